//! The files for several servers name commands, flags and settings that there are.

use anyhow::{Context as _, Result, ensure};
use pif_tests::server::binary;
use std::fs;
use std::path::Path;
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

fn read(name: &str) -> Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/package/cluster");
    fs::read_to_string(folder.join(name)).with_context(|| name.to_owned())
}

/// Ensures that the binary understands words and variables: it shows the help of their command.
fn ensure_understood(words: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let mut command = Command::new(binary::path()?);
    command.env_clear().envs(variables.iter().copied()).args(words);
    let said = command.arg("--help").output()?;
    ensure!(said.status.success(), "{words:?}: {}", String::from_utf8_lossy(&said.stderr));
    // A setting that there is stands in the help with its variable.
    let help = Command::new(binary::path()?).env_clear().arg("--help").output()?;
    let help = String::from_utf8(help.stdout)?;
    for (name, _) in variables {
        ensure!(help.contains(&format!("[env: {name}=")), "{name} is no setting");
    }
    Ok(())
}

#[test]
fn the_file_for_containers_is_understood() -> Result<()> {
    let documents = YamlLoader::load_from_str(&read("compose.yaml")?)?;
    let file = documents.first().context("a document")?;
    for service in [&file["x-server"], &file["services"]["init"]] {
        let text = |it: &Yaml| it.as_str().map(str::to_owned);
        let words: Vec<String> =
            service["command"].as_vec().context("a command")?.iter().filter_map(text).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let variables = service["environment"].as_hash().context("an environment")?;
        let variables: Vec<(&str, &str)> = variables
            .iter()
            .filter_map(|(name, value)| Some((name.as_str()?, value.as_str()?)))
            .collect();
        ensure!(variables.len() == 2, "{variables:?}");
        ensure_understood(&words, &variables)?;
    }
    let servers = file["services"].as_hash().context("services")?.keys();
    let servers: Vec<&str> =
        servers.filter_map(Yaml::as_str).filter(|name| name.starts_with("pif")).collect();
    let proxy = read("Caddyfile")?;
    ensure!(servers.len() == 3);
    ensure!(servers.iter().all(|name| proxy.contains(&format!("{name}:7332"))), "{servers:?}");
    Ok(())
}

#[test]
fn the_unit_of_systemd_is_understood() -> Result<()> {
    let unit = read("mcp-pif@.service")?;
    let values = |key: &str| -> Vec<String> {
        let lines = unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        lines.map(str::to_owned).collect()
    };
    let start = values("ExecStart").pop().context("a command")?;
    let words: Vec<&str> = start.split(' ').skip(1).collect();
    let variables = values("Environment").join(" ");
    let variables: Vec<(&str, &str)> =
        variables.split(' ').filter_map(|it| it.split_once('=')).collect();
    ensure!(variables.len() == 4, "{variables:?}");
    ensure_understood(&words, &variables)
}
