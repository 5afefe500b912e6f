//! `cargo x counts components FILE…`: wasm instructions of several evaluators, on the workloads and
//! on every program of the tasks, the guide and the library. A file is a component, or the module
//! that cargo makes of `pif`. The first one is the base; of the others the table shows what
//! each adds, in per cent.

use std::path::Path;

use anyhow::{Context, Result};
use pif::limits::Limits;
use pif::request::{Argument, Program, Source};
use pif_sandbox::{Net, Sandbox, Setup};
use pif_tests::{case, component, library};
use serde_json::Value;
use wit_component::ComponentEncoder;

use super::workload::{self, Extent, Workload};
use crate::tasks::root;

/// A program from the tests, with its limits.
struct Test {
    group: &'static str,
    name: String,
    program: Program,
    limits: Limits,
}

/// What every evaluator takes for a program.
struct Row {
    group: &'static str,
    name: String,
    counts: Vec<u64>,
}

/// Counts, and prints a row for each program and a summary for each group.
pub(super) fn run(files: &[String]) -> Result<()> {
    let workloads = workload::all(&[])?;
    let tests = tests()?;
    let counts = files.iter().map(|file| count(file, &workloads, &tests).context(file.clone()));
    let counts = counts.collect::<Result<Vec<_>>>()?;
    let workloads = workloads.iter().map(|it| ("workloads", it.name.clone()));
    let names = workloads.chain(tests.iter().map(|it| (it.group, it.name.clone())));
    let rows = names.enumerate().map(|(at, (group, name))| {
        let counts = counts.iter().filter_map(|all| all.get(at).copied()).collect();
        Row { group, name, counts }
    });
    let rows: Vec<Row> = rows.collect();
    rows.iter().for_each(print);
    for group in ["workloads", "tasks", "guide", "library"] {
        for (at, file) in files.iter().enumerate().skip(1) {
            summarize(group, file, at, &rows);
        }
    }
    Ok(())
}

fn count(file: &str, workloads: &[Workload], tests: &[Test]) -> Result<Vec<u64>> {
    let cache = root().join("target/counts");
    std::fs::create_dir_all(&cache)?;
    let component = component(Path::new(file))?;
    let net = Net::WIDE;
    let setup = Setup { component: &component, cache: Some(&cache), concurrency: 1, net };
    let sandbox = Sandbox::set_up(&setup)?;
    let mut counts = Vec::new();
    for workload in workloads {
        counts.push(workload.sandboxed(&sandbox, Extent::Whole)?.instructions);
    }
    for Test { program, limits, .. } in tests {
        counts.push(component::instructions(&sandbox, program, limits));
    }
    Ok(counts)
}

/// The component in a file, or made of the module in it.
fn component(file: &Path) -> Result<Vec<u8>> {
    const MODULE: [u8; 4] = [1, 0, 0, 0];
    let bytes = std::fs::read(file)?;
    if bytes.get(4..8) != Some(&MODULE) {
        return Ok(bytes);
    }
    ComponentEncoder::default().module(&bytes).and_then(|encoder| encoder.validate(true).encode())
}

/// Programs as people write them, and not as benchmarks do.
fn tests() -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for file in case::corpus()? {
        let group = match file.topic.as_str() {
            "guide" => "guide",
            topic if topic.starts_with("tasks") => "tasks",
            _ => continue,
        };
        for case in file.cases {
            let name = format!("{}: {}", file.topic, case.name);
            tests.push(Test { group, name, program: case.program, limits: case.limits });
        }
    }
    tests.extend(of_library()?);
    Ok(tests)
}

/// The examples of the library, and its edges.
fn of_library() -> Result<Vec<Test>> {
    let mut sources = Vec::new();
    let mut calls = Vec::new();
    for path in library::files()? {
        for tool in library::tools(&std::fs::read_to_string(path)?)? {
            let name = tool["name"].as_str().context("a name")?;
            if tool.get("pinned") != Some(&Value::Bool(true)) {
                sources.push((name.to_owned(), tool["source"].to_string()));
                let examples = tool["examples"].as_array().context("examples")?;
                calls.extend(examples.iter().map(|example| (name.to_owned(), example.clone())));
            }
        }
    }
    let edges = std::fs::read_to_string(root().join("tests/library.json"))?;
    for edge in serde_json::from_str::<Vec<Value>>(&edges)? {
        calls.push((edge["tool"].as_str().context("a tool")?.to_owned(), edge));
    }
    let tests = calls.into_iter().map(|(tool, call)| {
        let argument = match call.get("input") {
            Some(input) => Argument::Input(input.to_string()),
            None => Argument::Data(call["data"].to_string()),
        };
        let name = format!("{tool} {:.40}", call["data"].to_string());
        let code = Source::Tool(tool);
        let tools = sources.clone();
        let program = Program {
            code,
            argument,
            context: None,
            bindings: Vec::new(),
            tools,
            step: 0,
            debug: false,
            keep: false,
        };
        Test { group: "library", name, program, limits: case::LIMITS }
    });
    Ok(tests.collect())
}

fn print(row: &Row) {
    let Some((base, others)) = row.counts.split_first() else { return };
    let changes: Vec<String> = others
        .iter()
        .map(|count| format!("{:+8.2} %", 100.0 * (ratio(*base, *count) - 1.0)))
        .collect();
    println!("{:9} {:52} {base:>12} {}", row.group, row.name, changes.join(" "));
}

/// The geometric mean of a group, and its worst and best programs.
fn summarize(group: &str, file: &str, at: usize, rows: &[Row]) {
    let of_group = rows.iter().filter(|row| row.group == group);
    let ratios = of_group.filter_map(|row| {
        let base = row.counts.first()?;
        let count = row.counts.get(at)?;
        Some((ratio(*base, *count), row.name.as_str()))
    });
    let mut ratios: Vec<(f64, &str)> = ratios.collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(best), Some(worst)) = (ratios.first(), ratios.last()) else { return };
    let logarithms: f64 = ratios.iter().map(|(ratio, _)| ratio.ln()).sum();
    let mean = (logarithms / ratio(1, ratios.len() as u64)).exp();
    let per_cent = |ratio: f64| 100.0 * (ratio - 1.0);
    println!(
        "{file}: {group}: mean {:+.3} %, best {:+.2} % ({}), worst {:+.2} % ({})",
        per_cent(mean),
        per_cent(best.0),
        best.1,
        per_cent(worst.0),
        worst.1
    );
}

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn ratio(base: u64, count: u64) -> f64 {
    count as f64 / base as f64
}
