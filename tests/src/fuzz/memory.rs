//! Programs that fill their memory, with limits around what they need: what comes of them depends on
//! the limit only where that is too small, and what takes no more than a third of it always fits.

use crate::generate::{Filling, Random, filling};
use crate::native::measured;
use crate::run::Run;
use anyhow::{Context, Result, ensure};
use pif::limits::{Limits, Usage};
use pif::machine::Machine;
use pif::request::{Answer, Program, Step};

/// Enough of everything.
const AMPLE: Limits =
    Limits { fuel: 200_000_000, depth: 1_000_000, memory: 1 << 30, output: 1 << 28 };

/// Fuel between two looks at what is needed, and bytes that may be made and forgotten between them beside
/// what one operation makes.
const LOOK: u64 = 1500;
const BETWEEN: u64 = 64 << 10;

/// Limits that are tried whatever a program needs, in MiB.
const MEBIBYTES: &[u64] = &[1, 2, 3, 5, 8, 13, 21, 34, 64];

/// Runs the program that comes of these choices with different limits.
pub fn check(bytes: &[u8]) -> Result<()> {
    let filling = filling(Random::from_bytes(bytes));
    examine(&filling, |_, _, _| Ok(())).with_context(|| format!("{filling:?}"))
}

/// Runs a program with different limits; each run is also shown to a function.
pub fn examine(
    Filling { program, largest }: &Filling,
    mut show: impl FnMut(&Limits, &Run, Usage) -> Result<()>,
) -> Result<()> {
    let ample = measured(program, &AMPLE, u64::MAX).0;
    // An ample memory may be too little too; then there is nothing to compare with.
    if is_too_large(&ample) {
        return Ok(());
    }
    let enough = 3 * (needed(program)? + BETWEEN + largest);
    let around = [enough / 4, enough / 2, enough / 3 * 2, enough / 6 * 5];
    let tried = MEBIBYTES.iter().map(|mebibytes| mebibytes << 20).chain(around);
    for memory in tried.filter(|memory| *memory < enough && *memory >= 1 << 20).chain([enough]) {
        let limits = Limits { memory, ..AMPLE };
        let (run, usage) = measured(program, &limits, u64::MAX);
        ensure!(
            run == ample || memory < enough && is_too_large(&run),
            "with {memory} bytes, of which {enough} are enough: {run:?}\nwith ample memory: {ample:?}"
        );
        show(&limits, &run, usage)?;
    }
    Ok(())
}

/// Whether there was not enough memory.
#[must_use]
pub fn is_too_large(run: &Run) -> bool {
    run.result.as_ref().is_err_and(|fault| fault.code == "too-large")
}

/// Bytes that the run needs where it needs most, as far as looking now and then shows it.
fn needed(program: &Program) -> Result<u64> {
    let start = Program { tools: Vec::new(), ..program.clone() };
    let mut machine = Machine::start(start, AMPLE).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let (mut answer, mut most) = (Answer::None, machine.needed_memory());
    loop {
        answer = match machine.resume(answer, LOOK) {
            Step::Paused => Answer::None,
            Step::Recall(_) => Answer::Source(None),
            Step::Lookup(name) => {
                let tool = program.tools.iter().find(|tool| tool.0 == name);
                Answer::Source(tool.map(|tool| tool.1.clone()))
            }
            _ => return Ok(most),
        };
        most = most.max(machine.needed_memory());
    }
}
