//! A gate that noise cannot fool: what the workloads cost, counted and not timed, against the
//! figures that are checked in. There are four, each the same at every repetition: the language's
//! fuel; wasm instructions; and instructions of the processor, as callgrind counts them, natively
//! and in the sandbox. Fuel must not change at all, the others must not grow.

mod callgrind;
mod components;
mod figures;
pub(crate) mod workload;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use figures::{Figures, Row};
use pif_sandbox::{COMPONENT, Net, Sandbox, Setup};
use workload::{Extent, Workload};
use xshell::cmd;

use crate::tasks::{for_release, root, shell};

/// Which columns are counted: those before it too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Fuel,
    Wasm,
    Callgrind,
}

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    rows: Rows,
}

#[derive(clap::Args)]
struct Rows {
    /// Write the figures down
    #[arg(long)]
    bless: bool,
    /// The workloads; all without
    names: Vec<String>,
}

#[derive(clap::Subcommand)]
enum What {
    /// Count fuel only
    Fuel(Rows),
    /// Count fuel and wasm instructions only
    Wasm(Rows),
    /// Compare wasm instructions of evaluators, each in a file
    Components {
        /// The first is the base
        #[arg(required = true)]
        files: Vec<String>,
    },
    /// What callgrind looks at
    #[command(hide = true)]
    One { place: String, extent: String, name: String },
}

/// Counts and compares, or writes down.
pub(crate) fn run(options: &Options) -> Result<()> {
    match &options.what {
        None => for_release(|| compare(Level::Callgrind, &options.rows)),
        Some(What::Fuel(rows)) => compare(Level::Fuel, rows),
        Some(What::Wasm(rows)) => compare(Level::Wasm, rows),
        Some(What::Components { files }) => components::run(files),
        Some(What::One { place, extent, name }) => one(place, extent, name),
    }
}

fn compare(level: Level, Rows { bless, names }: &Rows) -> Result<()> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tools = tools(level)?;
    let recorded = Figures::read(&path())?;
    // Writing down everything is how figures of other tools are replaced.
    if !(*bless && names.is_empty() && level == Level::Callgrind) {
        ensure_same_tools(&recorded, &tools)?;
    }
    let workloads = workload::all(&names)?;
    ensure!(!workloads.is_empty(), "there is no workload of that name");
    let rows = count(level, &workloads)?;
    figures::print(&recorded, &rows);
    if *bless {
        return recorded.renew(tools, &rows, names.is_empty()).write(&path());
    }
    let whole = names.is_empty();
    let complaints = figures::compare(&recorded, &rows, whole);
    ensure!(
        complaints.is_empty(),
        "{}\n\nIf that is meant to be so: cargo x counts --bless",
        complaints.join("\n")
    );
    println!("\nno fuel changed, and nothing else grew more than it may");
    Ok(())
}

fn path() -> PathBuf {
    root().join("scripts/counts/figures.json")
}

/// What the figures of a level depend on, besides the sources.
fn tools(level: Level) -> Result<Vec<(String, String)>> {
    let mut tools = Vec::new();
    if level >= Level::Wasm {
        tools.push(("rustc".to_owned(), rustc()?));
    }
    if level >= Level::Callgrind {
        tools.push((
            "target".to_owned(),
            format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        ));
        tools.push(("valgrind".to_owned(), callgrind::version()?));
    }
    Ok(tools)
}

fn rustc() -> Result<String> {
    let sh = shell()?;
    Ok(cmd!(sh, "rustc --version").quiet().read()?)
}

fn ensure_same_tools(recorded: &Figures, tools: &[(String, String)]) -> Result<()> {
    for (tool, version) in tools {
        let then = recorded.tool(tool).unwrap_or("none");
        ensure!(
            then == version,
            "the figures were counted with another {tool}, and do not compare: {then} then, \
             {version} now. Use that one; or type `cargo x counts --bless` in the sources from \
             before your change, and compare with that. `cargo x counts fuel` compares anyhow"
        );
    }
    Ok(())
}

fn count(level: Level, workloads: &[Workload]) -> Result<Vec<(String, Row)>> {
    let cache = root().join("target/counts");
    let sandbox = if level >= Level::Wasm { Some(sandbox(&cache)?) } else { None };
    let mut rows = Vec::new();
    for workload in workloads {
        let mut row = Row { fuel: Some(workload.native(Extent::Whole)?), ..Row::default() };
        if let Some(sandbox) = &sandbox {
            let spent = workload.sandboxed(sandbox, Extent::Whole)?;
            ensure!(
                row.fuel == Some(spent.fuel),
                "{}: {:?} natively, {} in the sandbox",
                workload.name,
                row.fuel,
                spent.fuel
            );
            row.wasm = Some(spent.instructions);
        }
        if level >= Level::Callgrind {
            eprintln!("{}", workload.name);
            row.native = Some(callgrind::between("native", &workload.name)?);
            row.sandbox = Some(callgrind::between("sandbox", &workload.name)?);
        }
        rows.push((workload.name.clone(), row));
    }
    Ok(rows)
}

/// A sandbox with a cache of its own.
fn sandbox(cache: &Path) -> Result<Sandbox> {
    std::fs::create_dir_all(cache)?;
    let setup = Setup { component: COMPONENT, cache: Some(cache), concurrency: 1, net: Net::WIDE };
    Ok(Sandbox::set_up(&setup)?)
}

/// What callgrind looks at: a workload once to its end, so that everything is warm, and then once
/// more, to where it is ready or to its end. What differs is what counts.
fn one(place: &str, extent: &str, name: &str) -> Result<()> {
    let all = workload::all(&[name])?;
    let workload = all.first().context("no such workload")?;
    let extent = if extent == "whole" { Extent::Whole } else { Extent::Ready };
    if place == "native" {
        workload.native(Extent::Whole)?;
        workload.native(extent)?;
    } else {
        let sandbox = sandbox(&root().join("target/counts"))?;
        workload.sandboxed(&sandbox, Extent::Whole)?;
        workload.sandboxed(&sandbox, extent)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole of `cargo x counts fuel`, in every `cargo test`.
    #[test]
    fn fuel_is_as_recorded() -> Result<()> {
        compare(Level::Fuel, &Rows { bless: false, names: Vec::new() })
    }
}
