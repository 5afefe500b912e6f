//! The standard library: its files are as they are to be, and every example in them comes out, on
//! the native machine and in the sandbox as `evolve` runs examples.

use anyhow::{Context, Result, ensure};
use mcp_pif::config::Config;
use mcp_pif::sandbox::{Sandbox, Watch};
use mcp_pif::workshop::{Workshop, library};
use pif_guest::request::{Argument, Program, Source};
use pif_tests::case::{LIMITS, canonical};
use pif_tests::{library as files, native};
use serde_json::{Map, Value};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

/// What a tool has at least.
const LEAST_EXAMPLES: usize = 3;

/// All tools of all files.
fn tools() -> Result<Vec<Map<String, Value>>> {
    let mut all = Vec::new();
    for path in files::files()? {
        all.extend(files::tools(&fs::read_to_string(path)?)?);
    }
    Ok(all)
}

#[test]
fn the_files_are_in_their_canonical_spelling() -> Result<()> {
    for path in files::files()? {
        let text = fs::read_to_string(&path)?;
        let renewed = files::renew(&text).with_context(|| path.display().to_string())?;
        ensure!(renewed == text, "{}: renew it by `cargo x library`", path.display());
    }
    Ok(())
}

/// The server has what the files have: the same term under the same hash.
#[test]
fn the_server_has_all_of_it() -> Result<()> {
    let tools = tools()?;
    assert_eq!(library().tools().count(), tools.len());
    for tool in tools {
        let name = tool["name"].as_str().context("a name")?;
        let found = library().find(name).with_context(|| name.to_owned())?;
        let summary = pif_guest::analysis::check(&found.source);
        let summary = summary.map_err(|fault| anyhow::anyhow!("{name}: {fault:?}"))?;
        assert_eq!((&summary.canonical, &summary.hash), (&found.source, &found.hash), "{name}");
    }
    Ok(())
}

#[test]
fn every_example_comes_out_natively() -> Result<()> {
    let tools = tools()?;
    let source = |tool: &Map<String, Value>| {
        (tool["name"].as_str().unwrap_or_default().to_owned(), tool["source"].to_string())
    };
    let sources: Vec<(String, String)> = tools.iter().map(source).collect();
    for tool in &tools {
        let name = tool["name"].as_str().context("a name")?;
        let examples = tool["examples"].as_array().context("examples")?;
        ensure!(examples.len() >= LEAST_EXAMPLES, "{name} has {} examples", examples.len());
        for example in examples {
            let argument = match (example.get("input"), example.get("data")) {
                (Some(input), None) => Argument::Input(input.to_string()),
                (None, Some(data)) => Argument::Data(data.to_string()),
                _ => anyhow::bail!("{name}: {example}"),
            };
            let program = Program {
                code: Source::Tool(name.to_owned()),
                argument,
                context: None,
                tools: sources.clone(),
                step: 0,
                debug: false,
            };
            let run = native::run(&program, &LIMITS, u64::MAX);
            let found = run.result.map_err(|fault| anyhow::anyhow!("{name}: {fault:?}"))?;
            ensure!(found.warnings.is_empty(), "{name}: {:?}", found.warnings);
            assert_eq!(found.json, canonical(&example["output"]), "{name}: {example}");
        }
    }
    Ok(())
}

#[test]
fn every_example_comes_out_in_the_sandbox() -> Result<()> {
    let config = Config::from_flags(&["--ephemeral"])?;
    let sandbox = Arc::new(Sandbox::open(None, 1)?);
    let workshop = Workshop::open(&config, sandbox)?;
    let watch = Watch::new(Duration::from_mins(5));
    for tool in library().tools() {
        let passed = workshop.prove(&tool.name, &watch);
        let passed = passed.map_err(|refused| anyhow::anyhow!("{}: {refused:?}", tool.name))?;
        ensure!(passed >= LEAST_EXAMPLES, "{}: {passed}", tool.name);
    }
    Ok(())
}
