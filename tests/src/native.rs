//! Drives the machine natively, as a host would.

use crate::run::Run;
use crate::world;
use pif::limits::{Limits, Usage};
use pif::machine::Machine;
use pif::request::{Answer, Program, Step, Stepped};

/// Whether a tool is meant by a name, which may have its revision.
pub(crate) fn is_named(tool: &str, name: &str) -> bool {
    tool == name || name.split_once('@').is_some_and(|(bare, _)| bare == tool)
}

/// Runs a program in slices of so much fuel. Tools are not given at the start but when the machine
/// asks for them.
#[must_use]
pub fn run(program: &Program, limits: &Limits, slice: u64) -> Run {
    measured(program, limits, slice).0
}

/// Runs a program with debug lines, and gives them.
#[must_use]
pub fn debugged(program: &Program, limits: &Limits) -> (Run, Vec<String>) {
    let program = Program { debug: true, ..program.clone() };
    let (run, mut machine) = drive(&program, limits, u64::MAX);
    (run, machine.as_mut().map(Machine::take_debug).unwrap_or_default())
}

/// The steps of a run: terms with the values that they came to.
#[must_use]
pub fn stepped(program: &Program, limits: &Limits) -> Vec<Stepped> {
    let program = Program { debug: true, ..program.clone() };
    let (_, mut machine) = drive(&program, limits, u64::MAX);
    machine.as_mut().map(Machine::take_steps).unwrap_or_default()
}

/// Runs a program in slices of so much fuel; gives also all that the run has used.
#[must_use]
pub fn measured(program: &Program, limits: &Limits, slice: u64) -> (Run, Usage) {
    let (run, machine) = drive(program, limits, slice);
    (run, machine.map(|machine| machine.usage()).unwrap_or_default())
}

/// Runs a program to its end; gives the machine, too, if it began.
fn drive(program: &Program, limits: &Limits, slice: u64) -> (Run, Option<Machine>) {
    let names = program.bindings.iter().map(|(name, _)| (name.clone(), None));
    let start = Program { tools: Vec::new(), bindings: names.collect(), ..program.clone() };
    let mut machine = match Machine::start(start, *limits) {
        Ok(machine) => machine,
        Err(fault) => {
            let run = Run { result: Err((*fault).into()), fuel: 0 };
            return (run, None);
        }
    };
    let mut answer = Answer::None;
    let result = loop {
        answer = match machine.resume(answer, slice) {
            Step::Done(done) | Step::Continuation(done, _) => break Ok(done.into()),
            Step::Failed(fault) => break Err((*fault).into()),
            Step::Perform(calls) => match world::answer(&calls.calls) {
                Ok(outcomes) => Answer::Outcomes(outcomes),
                Err(refusal) => Answer::Refused(refusal),
            },
            Step::Wait(wait) => Answer::Waited(wait.millis),
            Step::Paused | Step::Enter(_) | Step::Leave(_) => Answer::None,
            Step::Recall(name) => {
                let bound = program.bindings.iter().find(|bound| bound.0 == name);
                Answer::Source(bound.and_then(|bound| bound.1.clone()))
            }
            Step::Lookup(name) => {
                let tool = program.tools.iter().find(|tool| is_named(&tool.0, &name));
                Answer::Source(tool.map(|tool| tool.1.clone()))
            }
        };
    };
    (Run { result, fuel: machine.usage().fuel }, Some(machine))
}
