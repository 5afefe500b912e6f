//! Drives the machine inside the component, through the server's own sandbox.

use std::time::Duration;

use pif::limits::{Limits, Usage};
use pif::request::{self, Program};
use pif_domain::{self, CallOutcome, Failure, FaultCode, Reason, Refusal};
use pif_sandbox::{self, Answer, Argument, Binding, Calls, Code, Sandbox, Step, Watch};

use crate::native::is_named;
use crate::run::{Fault, Run, Value};
use crate::world;

/// No case takes that long.
const PATIENCE: Duration = Duration::from_mins(5);

/// Opens a sandbox for as many runs at a time as there are cores.
pub fn open() -> anyhow::Result<Sandbox> {
    let cores = std::thread::available_parallelism()?.get();
    Ok(Sandbox::open(None, cores)?)
}

/// Runs a program in slices of so much fuel; also all that the run has used. Tools are not given at
/// the start but when the machine asks for them.
#[must_use]
pub fn measured(sandbox: &Sandbox, program: &Program, limits: &Limits, slice: u64) -> (Run, Usage) {
    let watch = Watch::new(PATIENCE);
    let mut machine = match sandbox.start(&start(program), convert(limits), &watch) {
        Ok(machine) => machine,
        Err(fault) => {
            return (Run { result: Err(fault.into()), fuel: 0 }, Usage::default());
        }
    };
    let result = finish(&mut machine, program, slice);
    let usage = machine.usage().map(|usage| {
        let pif_sandbox::Usage { fuel, peak_memory, peak_depth, .. } = usage;
        Usage { fuel, peak_memory, peak_depth }
    });
    let usage = usage.unwrap_or_default();
    (Run { result, fuel: usage.fuel }, usage)
}

/// The wasm instructions of a run, from parsing to printing; none if the program cannot be parsed.
#[must_use]
pub fn instructions(sandbox: &Sandbox, program: &Program, limits: &Limits) -> u64 {
    let watch = Watch::new(PATIENCE);
    let started = sandbox.start(&start(program), convert(limits), &watch);
    started.map_or(0, |mut machine| {
        // A fault takes instructions too.
        let _result = finish(&mut machine, program, u64::MAX);
        machine.taken().instructions
    })
}

/// Answers the machine until it has finished.
fn finish(
    machine: &mut pif_sandbox::Machine,
    program: &Program,
    slice: u64,
) -> Result<Value, Fault> {
    let mut answer = Answer::None;
    loop {
        answer = match machine.resume(&answer, slice) {
            Ok(Step::Done(value)) => break Ok(value.into()),
            Ok(Step::Continuation(continuation)) => break Ok(continuation.into()),
            Err(fault) => break Err(fault.into()),
            Ok(Step::Perform(calls)) => answer_to(&calls),
            Ok(Step::Wait(wait)) => Answer::Waited(wait.milliseconds),
            Ok(Step::Paused | Step::Enter(_) | Step::Leave(_)) => Answer::None,
            Ok(Step::Recall(name)) => {
                let bound = program.bindings.iter().find(|bound| bound.0 == name);
                Answer::Source(bound.and_then(|bound| bound.1.clone()))
            }
            Ok(Step::Lookup(name)) => {
                let tool = program.tools.iter().find(|tool| is_named(&tool.0, &name));
                Answer::Source(tool.map(|tool| tool.1.clone()))
            }
        };
    }
}

/// What the world of the tests says to calls.
fn answer_to(calls: &Calls) -> Answer {
    let asked = |call: &pif_domain::Call| {
        let pif_domain::Call { tool, args, is_raw } = call.clone();
        request::Call { tool, args, is_raw }
    };
    let outcome = |outcome| match outcome {
        request::Outcome::Value(json) => CallOutcome::Value(json),
        request::Outcome::Failed { reason, message, value } => {
            let reason = Reason::find(&reason).unwrap_or(Reason::Unavailable);
            CallOutcome::Failed(Failure { reason, message, value })
        }
    };
    let answer = world::answer(&calls.calls.iter().map(asked).collect::<Vec<_>>());
    let answer = answer.map(|outcomes| outcomes.into_iter().map(outcome).collect());
    let refusal = |request::Refusal { index, code, message, hint }| {
        let code = FaultCode::find(code.name()).unwrap_or(FaultCode::Internal);
        let hint = hint.map(|hint| hint.to_string());
        Refusal { index: index as usize, code, message, hint }
    };
    answer.map_err(refusal).into()
}

fn start(program: &Program) -> pif_sandbox::Program {
    let code = match program.code.clone() {
        request::Source::Term(text) => Code::Term(text),
        request::Source::Tool(name) => Code::Tool(name),
    };
    let argument = match program.argument.clone() {
        request::Argument::None => Argument::None,
        request::Argument::Unapplied => Argument::Unapplied,
        request::Argument::Input(text) => Argument::Input(text),
        request::Argument::Data(text) => Argument::Data(text),
    };
    let Program { context, step, debug, keep, .. } = program.clone();
    let names = program.bindings.iter().map(|(name, _)| name.clone());
    let bindings = names.map(|name| Binding { name, term: None }).collect();
    pif_sandbox::Program { code, argument, context, bindings, tools: Vec::new(), step, debug, keep }
}

fn convert(limits: &Limits) -> pif_sandbox::Limits {
    let Limits { fuel, depth, memory, output } = *limits;
    pif_sandbox::Limits { fuel, depth, memory, output }
}

impl From<pif_sandbox::Value> for Value {
    fn from(value: pif_sandbox::Value) -> Self {
        let pif_sandbox::Value { json, kind, warnings, trace, term } = value;
        let term = term.map(|term| term.map_err(|fault| pif_domain::Fault::from(fault).into()));
        Self { json, kind, warnings, trace, term }
    }
}

impl From<pif_sandbox::Continuation> for Value {
    fn from(continuation: pif_sandbox::Continuation) -> Self {
        let pif_sandbox::Continuation { json, warnings, trace, .. } = continuation;
        Self { json, kind: "continuation".to_owned(), warnings, trace, term: None }
    }
}

impl From<pif_domain::Fault> for Fault {
    fn from(fault: pif_domain::Fault) -> Self {
        let pif_domain::Fault {
            code,
            message,
            at,
            tool,
            hint,
            calls,
            excerpt,
            place,
            warnings,
            fix,
            ..
        } = fault;
        let fix = fix.map(|it| [it.at, it.was, it.now, it.fixed]);
        let excerpt = excerpt.map(Into::into);
        let place = place.map(|place| format!("{}:{}", place.line, place.column));
        let (code, limit) = (code.to_string(), fault.limit.map(|limit| limit.name.name()));
        Self { code, message, at, tool, hint, calls, excerpt, place, warnings, limit, fix }
    }
}
