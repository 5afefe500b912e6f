//! The component: the library behind the contract of wit/. The only file that knows wit-bindgen.

#![expect(unsafe_code, reason = "generated bindings")]
#![expect(unreachable_pub, clippy::pedantic, reason = "generated bindings")]

use crate::check::analysis;
use crate::check::analysis::Mention;
use crate::check::foresight::{self, Absent, Foreseen, Outlook, Parameter, Spot};
use crate::check::rename;
use crate::edge::envelope;
use crate::machine;
use crate::request::{
    Answer, Argument, Call, Calls, Done, Left, Outcome, Passage, Program, Refusal, Source, Step,
    Stepped, Wait,
};
use exports::pif::evaluator::{analysis as check, machines, types};
use pif_core::fault::{Code, FailedCall, Fault, Fix, Limit, Note, Place};
use pif_core::hint::Hint;
use pif_core::limits::Limits;
use std::cell::RefCell;

wit_bindgen::generate!({ world: "guest", path: "../wit", generate_all });

#[derive(Debug)]
struct Component;

export!(Component);

#[derive(Debug)]
pub struct Machine(RefCell<machine::Machine>);

impl machines::Guest for Component {
    type Machine = Machine;

    fn evaluate(request: String) -> String {
        envelope::evaluate(&request)
    }
}

impl check::Guest for Component {
    fn check(code: String) -> Result<types::Summary, Vec<types::Fault>> {
        analysis::check(&code)
            .map(summary)
            .map_err(|faults| faults.into_iter().map(fault).collect())
    }

    fn foresee(code: String) -> Result<types::Outlook, types::Fault> {
        foresight::foresee(&code).map(outlook).map_err(|it| fault(*it))
    }

    fn locate(code: String, at: String) -> Option<types::Place> {
        foresight::locate(&code, &at).map(|found| place(Box::new(found)))
    }

    fn notation(code: String) -> Result<String, types::Fault> {
        analysis::notation(&code).map_err(|it| fault(*it))
    }

    fn rename(code: String, tool: String, to: String) -> Result<check::Renamed, types::Fault> {
        let renamed = rename::rename(&code, &tool, &to).map_err(fault)?;
        let rename::Renamed { canonical, count, is_quoted: quoted, is_pinned: pinned } = renamed;
        Ok(check::Renamed { canonical, count, quoted, pinned })
    }

    fn forms() -> String {
        analysis::forms()
    }

    fn words() -> String {
        pif_notation::words()
    }
}

impl machines::GuestMachine for Machine {
    fn start(
        program: types::Program,
        limits: types::Limits,
    ) -> Result<machines::Machine, types::Fault> {
        let types::Limits { fuel, depth, memory, output } = limits;
        let limits = Limits { fuel, depth, memory, output };
        let machine = machine::Machine::start(self::program(program), limits);
        let machine = machine.map_err(|fault| self::fault(*fault))?;
        Ok(machines::Machine::new(Self(RefCell::new(machine))))
    }

    fn resume(&self, answer: types::Answer, slice: u64) -> types::Step {
        let answer = match answer {
            types::Answer::None => Answer::None,
            types::Answer::Source(source) => Answer::Source(source),
            types::Answer::Outcomes(outcomes) => {
                Answer::Outcomes(outcomes.into_iter().map(outcome).collect())
            }
            types::Answer::Refused(refusal) => Answer::Refused(self::refusal(refusal)),
            types::Answer::Waited(millis) => Answer::Waited(millis),
            types::Answer::Passed(passage) => Answer::Passed(Box::new(self::passage(passage))),
        };
        step(self.0.borrow_mut().resume(answer, slice))
    }

    fn usage(&self) -> types::Usage {
        let usage = self.0.borrow().usage();
        types::Usage {
            fuel: usage.fuel,
            peak_memory: usage.peak_memory,
            peak_depth: usage.peak_depth,
        }
    }

    fn tell_named_steps(&self, most: u32) {
        self.0.borrow_mut().tell_named_steps(most);
    }

    fn steps(&self) -> Vec<types::Stepped> {
        self.0.borrow_mut().take_steps().into_iter().map(stepped).collect()
    }

    fn debug(&self) -> Vec<String> {
        self.0.borrow_mut().take_debug()
    }
}

fn stepped(step: Stepped) -> types::Stepped {
    let Stepped { text, form, at, tool, depth, value } = step;
    types::Stepped { text, form: form.to_owned(), at, tool, depth, value }
}

fn passage(passage: types::Passage) -> Passage {
    let types::Passage { value, fuel, calls, trace, tools, trials, steps } = passage;
    Passage { value, fuel, calls, trace, tools, trials, steps }
}

fn left(Left { fuel, is_failed: failed, passage }: Left) -> types::Left {
    let passage = passage.map(|passage| {
        let Passage { value, fuel, calls, trace, tools, trials, steps } = passage;
        types::Passage { value, fuel, calls, trace, tools, trials, steps }
    });
    types::Left { fuel, failed, passage }
}

fn program(program: types::Program) -> Program {
    let types::Program { code, argument, context, bindings, tools, step, debug, keep } = program;
    Program {
        code: match code {
            types::Code::Term(text) => Source::Term(text),
            types::Code::Tool(name) => Source::Tool(name),
        },
        argument: match argument {
            types::Argument::None => Argument::None,
            types::Argument::Unapplied => Argument::Unapplied,
            types::Argument::Input(text) => Argument::Input(text),
            types::Argument::Data(text) => Argument::Data(text),
        },
        context,
        bindings: bindings.into_iter().map(|bound| (bound.name, bound.term)).collect(),
        tools: tools.into_iter().map(|tool| (tool.name, tool.code)).collect(),
        step,
        debug,
        keep,
    }
}

fn outcome(outcome: types::Outcome) -> Outcome {
    match outcome {
        types::Outcome::Value(json) => Outcome::Value(json),
        types::Outcome::Failed(types::Failure { reason, message, value }) => {
            Outcome::Failed { reason, message, value }
        }
    }
}

fn refusal(refusal: types::Refusal) -> Refusal {
    let types::Refusal { index, cause, message, hint } = refusal;
    let code = match cause {
        types::Cause::UnknownCapability => Code::UnknownCapability,
        types::Cause::Malformed => Code::Malformed,
        types::Cause::CapabilityDenied => Code::CapabilityDenied,
    };
    Refusal { index, code, message, hint: hint.map(Hint::from) }
}

fn calls(calls: Calls) -> types::Calls {
    let Calls { calls, at_most, many } = calls;
    let call = |Call { tool, args, is_raw }| types::Call { tool, args, raw: is_raw };
    types::Calls { calls: calls.into_iter().map(call).collect(), at_most, many }
}

fn step(step: Step) -> types::Step {
    match step {
        Step::Done(Done { json, kind, warnings, trace, term }) => {
            let term = term.map(|term| term.map_err(|fault| self::fault(*fault)));
            types::Step::Done(types::Value { json, kind: kind.into(), warnings, trace, term })
        }
        Step::Continuation(Done { json, warnings, trace, .. }, next) => {
            let tool = next.tool;
            let input = next.input;
            let step = next.step;
            types::Step::Continuation(types::Continuation {
                json,
                tool,
                input,
                step,
                warnings,
                trace,
            })
        }
        Step::Lookup(name) => types::Step::Lookup(name),
        Step::Recall(name) => types::Step::Recall(name),
        Step::Perform(calls) => types::Step::Perform(self::calls(calls)),
        Step::Wait(Wait { tool, reason, failed, millis: milliseconds, most, calls }) => {
            types::Step::Wait(types::Wait { tool, reason, failed, milliseconds, most, calls })
        }
        Step::Enter(name) => types::Step::Enter(name),
        Step::Leave(left) => types::Step::Leave(self::left(left)),
        Step::Paused => types::Step::Paused,
        Step::Failed(fault) => types::Step::Failed(self::fault(*fault)),
    }
}

fn fault(fault: Fault) -> types::Fault {
    let Fault { code, message, at, tool, hint, calls, excerpt, warnings, .. } = fault;
    let Fault { limit, upstream, place, variable, is_incomplete, fix, .. } = fault;
    let (code, limit) = (code.name().into(), limit.map(self::limit));
    let upstream = upstream.map(|call| {
        let FailedCall { tool, reason } = *call;
        types::FailedCall { tool, reason }
    });
    let place = place.map(self::place);
    types::Fault {
        code,
        message,
        at,
        tool,
        hint: hint.map(|hint| hint.to_string()),
        calls,
        excerpt,
        warnings,
        limit,
        upstream,
        place,
        variable,
        incomplete: is_incomplete,
        fix: fix.map(self::fix),
    }
}

fn fix(fix: Box<Fix>) -> types::Fix {
    let Fix { at, was, now, fixed } = *fix;
    types::Fix { at, was, now, fixed }
}

fn place(place: Box<Place>) -> types::Place {
    let Place { line, column, caret } = *place;
    types::Place { line, column, caret }
}

fn limit(limit: Limit) -> types::Limit {
    match limit {
        Limit::Fuel => types::Limit::Fuel,
        Limit::Depth => types::Limit::Depth,
        Limit::Memory => types::Limit::Memory,
        Limit::Output => types::Limit::Output,
    }
}

fn summary(summary: analysis::Summary) -> types::Summary {
    let analysis::Summary { canonical, hash, form, forms, free, tools, .. } = summary;
    let analysis::Summary { needs, computed, pure, notes, notation, .. } = summary;
    let forms = forms.into_iter().map(|(form, count)| (form.to_owned(), count)).collect();
    let note = |Note { code, at, message, hint, excerpt, place, fix }| {
        let (code, place) = (code.into(), place.map(self::place));
        let hint = hint.map(|hint| hint.to_string());
        types::Note { code, at, message, hint, excerpt, place, fix: fix.map(self::fix) }
    };
    let notes = notes.into_iter().map(note).collect();
    let mention = |Mention { name, at, excerpt }| types::Mention { name, at, excerpt };
    let [tools, needs] = [tools, needs].map(|named| named.into_iter().map(mention).collect());
    let form = form.into();
    types::Summary {
        canonical,
        hash,
        form,
        forms,
        free,
        tools,
        needs,
        computed,
        pure,
        notes,
        notation,
    }
}

fn outlook(outlook: Outlook) -> types::Outlook {
    let Outlook { parameters, takes_record, unbound, tools, calls, absent } = outlook;
    let spot = |Spot { name, at, excerpt, place }: Spot| types::Spot {
        name,
        at,
        excerpt,
        place: place.map(self::place),
    };
    let parameter = |Parameter { name, is_optional, default }| types::Parameter {
        name,
        optional: is_optional,
        default,
    };
    let call = |Foreseen { tool, members, is_closed }| types::Foreseen {
        tool: spot(tool),
        members,
        closed: is_closed,
    };
    let missing = |Absent { member, kind }: Absent| types::Absent {
        member: spot(member),
        kind: kind.to_owned(),
    };
    types::Outlook {
        parameters: parameters.into_iter().map(parameter).collect(),
        takes_record,
        unbound: unbound.into_iter().map(spot).collect(),
        tools: tools.into_iter().map(spot).collect(),
        calls: calls.into_iter().map(call).collect(),
        absent: absent.into_iter().map(missing).collect(),
    }
}
