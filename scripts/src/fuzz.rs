//! Fuzzing with cargo-fuzz: `cargo x fuzz [TARGET…] [--minutes N]`, and `cargo x fuzz seeds`, which
//! writes the inputs to start from.

use crate::tasks::{command, root};
use anyhow::{Context, Result, bail};
use pif_tests::fuzz::{TARGETS, Target, seeds};
use std::fs;
use std::process::{Command, Stdio};

/// Where the targets are, from the workspace.
const FOLDER: &str = "tests/fuzz";

/// A stable compiler does it, if it is told that this is no mistake. Nothing here is unsafe, so
/// there is nothing for a sanitizer to find.
const STABLE: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

/// Seconds that one input may take, and megabytes that a target may.
const LIMITS: [&str; 2] = ["-timeout=30", "-rss_limit_mb=4096"];

/// Runs the targets that are named, or all, one after the other for so many minutes each.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let [word] = arguments
        && word == "seeds"
    {
        let count = seeds::write(&root().join(FOLDER))?;
        println!("{count} seeds");
        return Ok(());
    }
    let (targets, minutes) = read(arguments)?;
    ensure_installed()?;
    for target in targets {
        fuzz(target, minutes)?;
    }
    Ok(())
}

fn read(arguments: &[String]) -> Result<(Vec<&'static Target>, u64)> {
    let (mut targets, mut minutes) = (Vec::new(), 1);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--minutes" {
            let number = arguments.next().context("`--minutes` takes a number")?;
            // None at all would be without end.
            let parsed = number.parse().ok().filter(|minutes| *minutes > 0);
            minutes = parsed.with_context(|| format!("`{number}` is no number of minutes"))?;
            continue;
        }
        let target = TARGETS.iter().find(|target| target.name == argument);
        let names = TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
        targets.push(target.with_context(|| format!("no target `{argument}`: there is {names}"))?);
    }
    if targets.is_empty() {
        targets.extend(TARGETS);
    }
    Ok((targets, minutes))
}

fn ensure_installed() -> Result<()> {
    let mut version = Command::new(env!("CARGO"));
    version.args(["fuzz", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !version.status().is_ok_and(|status| status.success()) {
        bail!("fuzzing needs cargo-fuzz. Type:\n\n    cargo install cargo-fuzz --locked");
    }
    Ok(())
}

/// New inputs are gathered in the target directory; those in the tree are only read.
fn fuzz(target: &Target, minutes: u64) -> Result<()> {
    let gathered = root().join(FOLDER).join("target/corpus").join(target.name);
    fs::create_dir_all(&gathered)?;
    let gathered = gathered.to_str().context("the workspace has a name in UTF-8")?;
    let seeds = format!("{FOLDER}/corpus/{}", target.corpus);
    let time = format!("-max_total_time={}", 60 * minutes);
    let words = format!("-dict={FOLDER}/dictionary.txt");
    let mut arguments = vec!["fuzz", "run", "--fuzz-dir", FOLDER, "--sanitizer", "none"];
    if target.corpus == "wire" {
        arguments.extend(["--features", "host"]);
    }
    arguments.extend(["--debug-assertions", target.name, gathered, &seeds, "--", &time, &words]);
    arguments.extend(LIMITS);
    command(env!("CARGO"), &arguments, &[STABLE])
        .with_context(|| format!("`{}` has found something: it is told above", target.name))
}
