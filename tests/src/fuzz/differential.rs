//! The machine against the definition of the language.

use super::program::decode;
use crate::generate::Sample;
use crate::{definitional, native};
use anyhow::{Result, ensure};

/// What both evaluators must agree on: value and its type or code of the fault, and fuel.
pub type Outcome = (Result<(String, String), String>, u64);

/// What comes of a program on the machine, resumed for so much fuel at a time.
pub fn by_machine(sample: &Sample, slice: u64) -> Outcome {
    let run = native::run(&sample.program, &sample.limits, slice);
    let result = run.result.map(|value| (value.json, value.kind));
    (result.map_err(|fault| fault.code), run.fuel)
}

/// What comes of a program by definition. It recurses as deep as the program does.
pub fn by_definition(sample: &Sample) -> Outcome {
    let outcome = definitional::run(&sample.program, &sample.limits);
    let result = outcome.result.map(|value| (value.json, value.kind.to_owned()));
    (result.map_err(|code| code.name().to_owned()), outcome.fuel)
}

/// Both come to the same end.
pub fn check(bytes: &[u8]) -> Result<()> {
    let Some(sample) = decode(bytes) else { return Ok(()) };
    let definition = definitional::on_large_stack(|| by_definition(&sample))?;
    let slice = 1 + u64::try_from(bytes.len())? % 1000;
    let machine = by_machine(&sample, slice);
    ensure!(machine == definition, "{sample:#?}\nmachine: {machine:?}\ndefined: {definition:?}");
    Ok(())
}
