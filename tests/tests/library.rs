//! The standard library: its files are as they are to be, and every example in them comes out, on
//! the native machine and in the sandbox as `evolve` runs examples. What its tools do at their edges
//! stands in `library.json`: every case runs on every evaluator.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use pif::request::{Argument, Program, Source};
use pif_sandbox::{Sandbox, Watch};
use pif_server::config::Config;
use pif_server::workshop::{Workshop, library};
use pif_tests::case::{LIMITS, canonical};
use pif_tests::definitional::{self, on_large_stack};
use pif_tests::run::Run;
use pif_tests::{component, library as files, native};
use serde::Deserialize;
use serde_json::{Map, Value};

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
        let renewed = files::renew(&path).with_context(|| path.display().to_string())?;
        ensure!(renewed == text, "{}: renew it by `cargo x library`", path.display());
    }
    Ok(())
}

/// Whether a revision is found only where it is named.
fn is_pinned(tool: &Map<String, Value>) -> bool {
    tool.get("pinned") == Some(&Value::Bool(true))
}

fn text<'a>(tool: &'a Map<String, Value>, member: &str) -> Result<&'a str> {
    tool.get(member).and_then(Value::as_str).with_context(|| member.to_owned())
}

/// What a tool is called by: an earlier revision by its hash.
fn reference(tool: &Map<String, Value>) -> Result<String> {
    let (name, hash) = (text(tool, "name")?, text(tool, "sha256")?);
    Ok(if is_pinned(tool) { format!("{name}@{hash}") } else { name.to_owned() })
}

/// The server has what the files have: the same term under the same hash, and earlier revisions
/// behind the current one.
#[test]
fn the_server_has_all_of_it() -> Result<()> {
    let tools = tools()?;
    let current = tools.iter().filter(|tool| !is_pinned(tool)).count();
    assert_eq!(library().tools().count(), current);
    for tool in tools {
        let (reference, hash) = (reference(&tool)?, text(&tool, "sha256")?);
        let found = library().find(&reference).with_context(|| reference.clone())?;
        let summary = pif::analysis::check(&found.source);
        let summary = summary.map_err(|fault| anyhow::anyhow!("{reference}: {fault:?}"))?;
        assert_eq!(
            (&summary.canonical, &summary.hash),
            (&found.source, &found.hash),
            "{reference}"
        );
        assert_eq!(library().source(hash), Some(found.source.as_str()), "{reference}");
    }
    Ok(())
}

/// What a revision was released with stays: journals and terms name it by its hash.
#[test]
fn earlier_revisions_are_kept() -> Result<()> {
    for (name, hash) in [
        ("std_gcd", "eb54dcc08e68bf4648726567a0391461e50ceb174313f7965478cc13159a84c9"),
        ("std_roman", "f1ebf77bf22e68aaaaffe789cbebffd9e5d3b3a7dccc97224ebe9cdd3b8b4517"),
        ("std_left_join", "bc2c1cd8d9507ab9639a48e745f5151a0b3cd19b87968feb961e235bc074bf97"),
    ] {
        let current = library().find(name).context("the tool")?;
        ensure!(current.hash != hash, "{name} is what it was");
        let early = library().find(&format!("{name}@{hash}")).context("the revision")?;
        assert_eq!(early.hash, hash);
        assert_eq!(library().revisions(name).len(), 2, "{name}");
    }
    Ok(())
}

/// The sources of all tools, by what they are called by.
fn sources(tools: &[Map<String, Value>]) -> Result<Vec<(String, String)>> {
    tools.iter().map(|tool| Ok((reference(tool)?, tool["source"].to_string()))).collect()
}

fn program(tool: String, argument: Argument, tools: Vec<(String, String)>) -> Program {
    Program {
        code: Source::Tool(tool),
        argument,
        context: None,
        bindings: Vec::new(),
        tools,
        step: 0,
        debug: false,
        keep: false,
    }
}

#[test]
fn every_example_comes_out_natively() -> Result<()> {
    let tools = tools()?;
    let sources = sources(&tools)?;
    for tool in &tools {
        let name = reference(tool)?;
        let examples = tool["examples"].as_array().context("examples")?;
        ensure!(examples.len() >= LEAST_EXAMPLES, "{name} has {} examples", examples.len());
        for example in examples {
            let argument = match (example.get("input"), example.get("data")) {
                (Some(input), None) => Argument::Input(input.to_string()),
                (None, Some(data)) => Argument::Data(data.to_string()),
                _ => bail!("{name}: {example}"),
            };
            let run =
                native::run(&program(name.clone(), argument, sources.clone()), &LIMITS, u64::MAX);
            let found = run.result.map_err(|fault| anyhow::anyhow!("{name}: {fault:?}"))?;
            ensure!(found.warnings.is_empty(), "{name}: {:?}", found.warnings);
            assert_eq!(found.json, canonical(&example["output"]), "{name}: {example}");
        }
    }
    Ok(())
}

/// A tool, what it is given, and what must come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edge {
    tool: String,
    data: Value,
    value: Option<Value>,
    fault: Option<Refusal>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusal {
    code: String,
    /// What the message must contain.
    message: String,
}

fn ensure_run(edge: &Edge, run: &Run) -> Result<()> {
    match (&run.result, &edge.fault) {
        (Ok(found), None) => {
            let expected = edge.value.as_ref().map_or_else(|| "null".to_owned(), canonical);
            ensure!(found.json == expected, "{edge:?} gives {}", found.json);
        }
        (Err(fault), Some(expected)) => {
            let is_told = fault.code == expected.code && fault.message.contains(&expected.message);
            ensure!(is_told, "{edge:?}: {fault:?}");
        }
        (result, _) => bail!("{edge:?}: {result:?}"),
    }
    Ok(())
}

#[test]
fn edges_are_told_on_every_evaluator() -> Result<()> {
    let tools = tools()?;
    let sources = sources(&tools)?;
    let sandbox = component::open()?;
    let edges: Vec<Edge> = serde_json::from_str(include_str!("../library.json"))?;
    let wrong = edges.iter().filter_map(|edge| {
        let argument = Argument::Data(edge.data.to_string());
        let program = program(edge.tool.clone(), argument, sources.clone());
        ensure_edge(edge, &program, &sandbox).err().map(|error| format!("{error:#}"))
    });
    let wrong: Vec<String> = wrong.collect();
    ensure!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), edges.len(), wrong.join("\n"));
    Ok(())
}

fn ensure_edge(edge: &Edge, program: &Program, sandbox: &Sandbox) -> Result<()> {
    let native = native::measured(program, &LIMITS, 100_003);
    ensure_run(edge, &native.0)?;
    let there = component::measured(sandbox, program, &LIMITS, 100_003);
    ensure!(there == native, "{edge:?}: in the component {there:?}, native {native:?}");
    let defined = on_large_stack(|| definitional::run(program, &LIMITS))?;
    let value = native.0.result.map(|value| value.json).map_err(|fault| fault.code);
    let by_definition = defined.result.map(|it| it.json).map_err(|code| code.name().to_owned());
    ensure!((value, native.0.fuel) == (by_definition, defined.fuel), "{edge:?}: by the definition");
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
