//! The machine against the definition of the language.

use super::program::decode;
use crate::generate::Sample;
use crate::run::head;
use crate::{definitional, native};
use anyhow::{Result, ensure};
use pif::request::{Argument, Program, Source};

/// What both evaluators must agree on: value and its type or code of the fault, fuel, and codes and
/// places of warnings.
pub type Outcome = (Result<(String, String), String>, u64, Vec<String>);

/// What comes of a program on the machine, resumed for so much fuel at a time.
pub fn by_machine(sample: &Sample, slice: u64) -> Outcome {
    let run = native::run(&sample.program, &sample.limits, slice);
    let warnings = warnings(sample, run.warnings().iter().map(|line| head(line).to_owned()));
    let result = run.result.map(|value| (value.json, value.kind));
    (result.map_err(|fault| fault.code), run.fuel, warnings)
}

/// What comes of a program by definition. It recurses as deep as the program does.
pub fn by_definition(sample: &Sample) -> Outcome {
    let outcome = definitional::run(&sample.program, &sample.limits);
    let result = outcome.result.map(|value| (value.json, value.kind.to_owned()));
    let warnings = warnings(sample, outcome.warnings.into_iter());
    (result.map_err(|code| code.name().to_owned()), outcome.fuel, warnings)
}

/// None of a program that evaluates quotes: where it does the definition does not know.
fn warnings(sample: &Sample, warnings: impl Iterator<Item = String>) -> Vec<String> {
    let Program { code: Source::Term(code) | Source::Tool(code), argument, tools, .. } =
        &sample.program;
    let input = match argument {
        Argument::Input(text) => text,
        Argument::None | Argument::Unapplied | Argument::Data(_) => "",
    };
    let mut texts = [code, input].into_iter().chain(tools.iter().map(|(_, text)| text.as_str()));
    if texts.any(|text| text.contains("eval")) { Vec::new() } else { warnings.collect() }
}

/// Bytes of memory in which nearly every program ends that has no more fuel than these have. With
/// more, a few steps make texts that take the definition, which copies them, minutes.
const MEMORY: u64 = 4 << 20;

/// Programs that are written out and catch faults may look at what the definition does not know:
/// message, hint and place. Those that the generator makes do not.
fn is_blind(bytes: &[u8]) -> bool {
    const CATCH: &[u8] = b"catch";
    bytes.first() != Some(&b'#') && bytes.windows(CATCH.len()).any(|word| word == CATCH)
}

/// Both come to the same end. The definition knows no memory but that of a single text: where the
/// machine has too little, both are compared with more.
pub fn check(bytes: &[u8]) -> Result<()> {
    let Some(mut sample) = decode(bytes) else { return Ok(()) };
    let slice = 1 + u64::try_from(bytes.len())? % 1000;
    let enough = std::mem::replace(&mut sample.limits.memory, MEMORY);
    let (mut machine, mut definition) = outcomes(&sample, slice)?;
    if machine != definition && machine.0.as_ref().is_err_and(|code| code == "too-large") {
        sample.limits.memory = enough;
        (machine, definition) = outcomes(&sample, slice)?;
    }
    ensure!(
        machine == definition || is_blind(bytes),
        "{sample:#?}\nmachine: {machine:?}\ndefined: {definition:?}"
    );
    Ok(())
}

fn outcomes(sample: &Sample, slice: u64) -> Result<(Outcome, Outcome)> {
    let definition = definitional::on_large_stack(|| by_definition(sample))?;
    Ok((by_machine(sample, slice), definition))
}
