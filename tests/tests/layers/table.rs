//! The table of limits against the server: every row is a flag, a variable and a line of
//! `server_info`, and a test shows the limit at work.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use pif_domain::{Default, FaultCode, Limit, Setting, Unit};
use serde_json::{Value, json};

use crate::client::{self, Client};
use crate::{binary, text};

/// What `server_info` tells of limits: their values by name, and a line with all of them.
fn limits(client: &mut Client) -> Result<(Value, String)> {
    let info = client.call("server_info", &json!({}))?;
    let told = client::text(&info)?.lines().find(|line| line.starts_with("layers: "));
    Ok((info["structuredContent"]["limits"].clone(), told.context("layers")?.to_owned()))
}

/// What `--help` says of a flag.
fn section<'a>(help: &'a str, flag: &str) -> Result<&'a str> {
    let (_, rest) = help.split_once(&format!("{flag} <")).with_context(|| format!("no {flag}"))?;
    Ok(rest.split_once("\n      --").map_or(rest, |(section, _)| section))
}

fn variable(flag: &str) -> String {
    format!("MCP_PIF_{}", flag.replace('-', "_").to_uppercase())
}

/// Every Rust file of the tests and of the server.
fn sources(folder: &Path, all: &mut String) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, all)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push_str(&fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

#[test]
fn every_limit_is_told_with_its_flag_and_its_default() -> Result<()> {
    let help = Command::new(binary::path()?).arg("--help").env_clear().output()?;
    let help = String::from_utf8(help.stdout)?;
    let (values, told) = limits(&mut Client::legacy()?)?;
    ensure!(values.as_object().is_some_and(|all| all.len() == Limit::ALL.len()), "{values}");
    for limit in Limit::ALL {
        let row = limit.row();
        let value = values[row.name].as_u64().with_context(|| format!("{limit}: {values}"))?;
        let beyond = row.beyond.text();
        let Setting::Flag { flag, default, .. } = row.setting else {
            ensure!(told.contains(&format!(" {limit} {value} ({beyond})")), "{limit}: {told}");
            continue;
        };
        let expected = format!(" {limit} {value} (--{flag}, {beyond})");
        ensure!(told.contains(&expected), "{limit}: {told}");
        let section = section(&help, &format!("--{flag}"))?;
        let words = section.split_whitespace().collect::<Vec<_>>().join(" ");
        ensure!(words.contains(&format!("[default: {}]", default.text())), "{limit}: {words}");
        ensure!(words.contains(&format!("[env: {}=", variable(flag))), "{limit}: {words}");
    }
    Ok(())
}

/// A limit without a flag says why nobody sets it.
#[test]
fn every_fixed_limit_says_why() -> Result<()> {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/docs/limits.md"))?;
    for limit in Limit::ALL {
        let Setting::Fixed { value, why } = limit.row().setting else { continue };
        ensure!(value > 0 && why.ends_with('.'), "{limit}: {why}");
        let row = page.lines().find(|line| line.starts_with(&format!("| `{limit}` |")));
        ensure!(row.is_some_and(|row| row.contains(why)), "{limit} in limits.md: {row:?}");
    }
    Ok(())
}

/// A limit with a flag, and a value that is not its default.
struct Other {
    limit: Limit,
    flag: &'static str,
    /// As a user writes it.
    written: String,
    /// As the server tells it.
    value: u64,
}

impl Other {
    fn of(limit: Limit, usual: &Value) -> Option<Self> {
        let Setting::Flag { flag, most, .. } = limit.row().setting else { return None };
        let usual = usual[limit.name()].as_u64()?;
        let value = if usual < limit.shown(most) { usual + 1 } else { usual - 1 };
        let unit = if limit.row().unit == Unit::Time { "ms" } else { "" };
        Some(Self { limit, flag, written: format!("{value}{unit}"), value })
    }
}

#[test]
fn every_limit_is_set_by_its_flag_and_by_its_variable() -> Result<()> {
    let (usual, _) = limits(&mut Client::legacy()?)?;
    let others: Vec<_> = Limit::ALL.iter().filter_map(|limit| Other::of(*limit, &usual)).collect();
    ensure!(others.len() > 20, "{} limits can be set", others.len());
    let flags: Vec<String> =
        others.iter().map(|it| format!("--{}={}", it.flag, it.written)).collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let variables: Vec<(String, &str)> =
        others.iter().map(|it| (variable(it.flag), it.written.as_str())).collect();
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    for mut client in [Client::start(&flags)?, Client::start_in(&variables, &[])?] {
        client.initialize()?;
        let (values, _) = limits(&mut client)?;
        for Other { limit, value, .. } in &others {
            ensure!(values[limit.name()] == *value, "{limit}: {values}");
        }
    }
    Ok(())
}

#[test]
fn every_limit_has_a_test() -> Result<()> {
    let mut all = String::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["tests", "../host"] {
        sources(&root.join(folder), &mut all)?;
    }
    for limit in Limit::ALL {
        let test = limit.row().test;
        ensure!(all.contains(&format!("fn {test}()")), "{limit}: there is no test `{test}`");
    }
    Ok(())
}

#[test]
fn limits_have_names_of_their_own() {
    for (index, limit) in Limit::ALL.iter().enumerate() {
        assert_eq!(Limit::find(limit.name()), Some(*limit));
        let flag = |limit: &Limit| match limit.row().setting {
            Setting::Flag { flag, .. } => Some(flag),
            Setting::Fixed { .. } => None,
        };
        let rest = Limit::ALL.iter().skip(index + 1);
        assert!(flag(limit).is_none() || rest.into_iter().all(|it| flag(it) != flag(limit)));
        let is_derived = matches!(
            limit.row().setting,
            Setting::Flag { default: Default::Processors | Default::Profile, .. }
        );
        assert!(!is_derived || matches!(*limit, Limit::Result | Limit::Concurrency));
    }
}

/// The evaluator and the server agree on codes, and on which of them `try` catches.
#[test]
fn every_fault_code_is_in_the_table_and_in_the_reference() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let reference = fs::read_to_string(root.join("../guest/LANGUAGE.md"))?;
    let (_, faults) = reference.split_once("\n## Faults\n").context("no section on faults")?;
    for code in pif::fault::Code::ALL {
        let known = FaultCode::find(code.name()).with_context(|| code.name().to_owned())?;
        ensure!(known.is_catchable() == code.is_catchable(), "{code}");
        ensure!(faults.contains(&format!("`{code}`")), "{code} is not in LANGUAGE.md");
    }
    let page = fs::read_to_string(root.join("../host/docs/faults.md"))?;
    for code in FaultCode::ALL {
        ensure!(page.contains(&format!("| `{code}` |")), "{code} is not in faults.md");
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
        command.env_clear().env("MCP_PIF_NO_CACHE", "1").env("MCP_PIF_EPHEMERAL", "1");
        command.args(["run", &code]).args(arguments);
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
