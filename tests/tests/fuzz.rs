//! What fuzzing starts from, and what it has found, goes through the same checks here.

use anyhow::{Context, Result, ensure};
use pif_tests::fuzz::{TARGETS, Target};
use std::fs;
use std::path::{Path, PathBuf};

/// Files and bytes that the inputs may take in the tree.
const MOST: (usize, usize) = (200, 500_000);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// The inputs of a target, and their names.
fn inputs(corpus: &str) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = folder().join("corpus").join(corpus);
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let read = entries.map(|entry| {
        let path = entry?.path();
        Ok((path.display().to_string(), fs::read(path)?))
    });
    read.collect()
}

fn try_again(name: &str) -> Result<()> {
    let find = |target: &&Target| target.name == name;
    let target = TARGETS.iter().find(find).context("there is no such target")?;
    let inputs = inputs(target.corpus)?;
    ensure!(inputs.len() >= 20, "only {} inputs", inputs.len());
    for (file, bytes) in inputs {
        (target.check)(&bytes).with_context(|| format!("{name}: {file}"))?;
    }
    Ok(())
}

#[test]
fn terms_read_the_same_when_they_are_written() -> Result<()> {
    try_again("parse")
}

#[test]
fn texts_in_the_notation_are_read_or_refused() -> Result<()> {
    try_again("notation")
}

#[test]
fn programs_end_within_their_limits() -> Result<()> {
    try_again("evaluate")
}

#[test]
fn the_machine_agrees_with_the_definition() -> Result<()> {
    try_again("differential")
}

#[test]
#[ignore = "long"]
fn limits_of_memory_change_no_value() -> Result<()> {
    try_again("memory")
}

#[test]
fn lines_are_answered_once() -> Result<()> {
    try_again("wire")
}

#[test]
fn every_target_is_there_and_its_inputs_are_few() -> Result<()> {
    let (mut files, mut bytes) = (0, 0);
    for corpus in ["program", "wire"] {
        for (_, input) in inputs(corpus)? {
            files += 1;
            bytes += input.len();
        }
    }
    ensure!(files <= MOST.0 && bytes <= MOST.1, "{files} files, {bytes} bytes");
    for target in TARGETS {
        let path = folder().join("fuzz_targets").join(format!("{}.rs", target.name));
        let source = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        ensure!(source.contains(&format!("fuzz::{}::check", target.name)), "{source}");
    }
    Ok(())
}

#[test]
fn the_broker_and_its_server_take_nothing_out_of_order() -> Result<()> {
    try_again("broker")
}
