//! Any program on the machine with little of everything: it ends within its limits, as documented,
//! and every time in the same way.

use super::program::decode;
use crate::definitional::KINDS;
use crate::generate::Sample;
use crate::native::measured;
use crate::run::{Fault, Run, Value};
use anyhow::{Context, Result, ensure};
use pif::json::Tape;
use pif::limits::{Limits, Usage};
use pif::request::{Program, Source};

/// Bytes: the least that a server may be told to allow.
const MEMORY: u64 = 1 << 20;

/// Bytes by which the accounted memory may pass its limit before that is noticed: what one
/// operation takes outside the heap, such as the slots of a call.
const SLACK: u64 = 64 << 10;

/// The codes of LANGUAGE.md (Faults) that come from an evaluator and not from its host.
const CODES: &[&str] = &[
    "malformed",
    "unknown-form",
    "duplicate-key",
    "unbound",
    "not-a-function",
    "type-mismatch",
    "divide-by-zero",
    "not-finite",
    "empty-list",
    "out-of-range",
    "missing-key",
    "no-match",
    "regex",
    "fail",
    "unparsable",
    "unknown-tool",
    "outside-tool",
    "eval-depth",
    "out-of-fuel",
    "too-deep",
    "too-large",
    "capability-denied",
];

/// Runs the program in one piece, again, and in small pieces.
pub fn check(bytes: &[u8]) -> Result<()> {
    let Some(Sample { program, limits }) = decode(bytes) else { return Ok(()) };
    let limits = Limits { memory: MEMORY, output: 1 << 16, ..limits };
    let run = |slice| measured(&program, &limits, slice);
    let (whole, usage) = run(u64::MAX);
    examine(&whole, usage, &program, &limits)
        .with_context(|| format!("{program:#?}\n{whole:#?}\n{usage:?}"))?;
    let again = run(u64::MAX);
    ensure!(again == (whole.clone(), usage), "{program:#?}\n{whole:#?}\nagain: {again:#?}");
    let slice = 1 + u64::try_from(bytes.len())? % 50;
    let (sliced, _) = run(slice);
    ensure!(sliced == whole, "{program:#?}\n{whole:#?}\nin slices of {slice}: {sliced:#?}");
    Ok(())
}

fn examine(run: &Run, usage: Usage, program: &Program, limits: &Limits) -> Result<()> {
    ensure!(usage.fuel <= limits.fuel, "more fuel than there is");
    ensure!(usage.peak_depth <= limits.depth, "deeper than allowed");
    ensure!(usage.peak_memory <= limits.memory + SLACK, "more memory than allowed");
    match &run.result {
        Ok(value) => examine_value(value, limits),
        Err(fault) => {
            let spent = usage.fuel == limits.fuel;
            ensure!(fault.code != "out-of-fuel" || spent, "there is fuel left");
            examine_fault(fault, program)
        }
    }
}

fn examine_value(value: &Value, limits: &Limits) -> Result<()> {
    ensure!(KINDS.contains(&value.kind.as_str()), "there is no such type");
    ensure!(value.json.len() <= usize::try_from(limits.output)?, "a value over its limit");
    let read = Tape::default().parse(&value.json);
    read.map(|_| ()).context("the value is not JSON")
}

fn examine_fault(fault: &Fault, program: &Program) -> Result<()> {
    ensure!(CODES.contains(&fault.code.as_str()), "there is no such fault");
    let is_clean = |text: &str| !text.is_empty() && !text.contains(char::is_control);
    ensure!(is_clean(&fault.message), "a message that cannot be shown");
    ensure!(fault.hint.as_deref().is_none_or(is_clean), "a hint that cannot be shown");
    ensure!(fault.at.is_empty() || fault.at.starts_with('/'), "no pointer");
    let elsewhere = ["/input", "/data", "/context"];
    if fault.tool.is_some() || elsewhere.iter().any(|member| fault.at.starts_with(member)) {
        return Ok(());
    }
    // What serde_json cannot read or has to choose in says nothing about the pointer.
    let Source::Term(code) = &program.code else { return Ok(()) };
    let Ok(code) = serde_json::from_str::<serde_json::Value>(code) else { return Ok(()) };
    // Characters of a key that cannot be shown stand in the pointer as escapes.
    let is_shown = !fault.at.contains("\\u");
    let found = fault.code == "duplicate-key" || code.pointer(&fault.at).is_some();
    ensure!(found || !is_shown, "`at` points nowhere");
    Ok(())
}
