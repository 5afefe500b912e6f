//! The table of layers in host/docs/limits.md against the server that it speaks of and the tests that it names.

use crate::client::Client;
use crate::{binary, text};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A row: layer, flag, default, what is seen beyond, test.
type Row = [String; 5];

fn rows() -> Result<Vec<Row>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/docs/limits.md");
    let page = std::fs::read_to_string(page)?;
    let (_, rest) = page.split_once("| layer | flag |").context("limits.md has no table")?;
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let cells: Vec<String> = line
            .trim_matches('|')
            .split('|')
            .map(|it| it.replace('`', "").trim().to_owned())
            .collect();
        cells.try_into().map_err(|cells| anyhow::anyhow!("not five cells: {cells:?}"))
    })
    .collect()
}

/// What `--help` says of a flag.
fn section<'a>(help: &'a str, flag: &str) -> Result<&'a str> {
    let (_, rest) = help.split_once(&format!("{flag} <")).with_context(|| format!("no {flag}"))?;
    Ok(rest.split_once("\n      --").map_or(rest, |(section, _)| section))
}

/// Every layer is in the table with its flag, default and test, and `server_info` knows the same.
#[test]
fn the_table_of_layers_is_true() -> Result<()> {
    let help = Command::new(binary::path()?).arg("--help").env_clear().output()?;
    let help = String::from_utf8(help.stdout)?;
    let tests = [include_str!("limits.rs"), include_str!("net.rs")].concat();
    let info = Client::legacy_with(text::FOREVER)?.call("server_info", &json!({}))?;
    let layers = info["structuredContent"]["layers"].as_array().context("layers")?;
    let rows = rows()?;
    ensure!(rows.len() == layers.len(), "{} rows, {} layers", rows.len(), layers.len());
    for ([layer, flag, default, beyond, test], known) in rows.iter().zip(layers) {
        let text = |member: &str| known[member].as_str().unwrap_or_default().to_owned();
        ensure!(
            [layer, flag, beyond].map(Clone::clone) == ["name", "flag", "fault"].map(text),
            "{layer}: {known}"
        );
        ensure!(known["limit"].as_u64() > Some(0), "{known}");
        let section = section(&help, flag)?;
        ensure!(section.contains(&format!("[default: {default}]")), "{layer}: {section}");
        let variable = flag.trim_start_matches('-').replace('-', "_").to_uppercase();
        ensure!(section.contains(&format!("[env: MCP_PIF_{variable}=")), "{layer}: {section}");
        ensure!(tests.contains(&format!("fn {test}()")), "{layer}: there is no test `{test}`");
        println!("{layer:16} → {test:55} → {beyond}");
    }
    Ok(())
}

/// An environment variable does what its flag does, and the flag overrules it.
#[test]
fn settings_come_from_the_environment_too() -> Result<()> {
    let omega: Value = serde_json::from_str(&text::OMEGA)?;
    let code = omega["code"].to_string();
    let run = |variable: Option<&str>, arguments: &[&str]| -> Result<String> {
        let mut command = Command::new(binary::path()?);
        command.env_clear().env("MCP_PIF_NO_CACHE", "1").args(["run", &code]).args(arguments);
        if let Some(fuel) = variable {
            command.env("MCP_PIF_FUEL", fuel);
        }
        Ok(String::from_utf8(command.output()?.stderr)?)
    };
    ensure!(run(Some("777"), &[])?.contains("[fuel: 777 of 777]"));
    ensure!(run(Some("777"), &["--fuel", "99"])?.contains("[fuel: 99 of 99]"));
    ensure!(run(Some("lots"), &[])?.contains("MCP_PIF_FUEL"));
    Ok(())
}
