//! Trials with the evaluator as it is.

use super::inputs::{Inputs, SEED};
use super::property::{Property, Verdict};
use super::value::Value;
use super::whole::{Outcome, Run, State, Tried, drive};
use crate::{Request, analyze, text};
use pif::request::{Argument, Step};
use pif::{Limits, Machine, Program};

/// Runs what a trial asks for, with a tool `self`.
pub(crate) fn evaluate(run: &Run, tool: &str) -> (Outcome, u64) {
    let program = Program {
        argument: Argument::Unapplied,
        context: Some(format!("{{\"data\":{}}}", run.data)),
        ..Program::term(&*run.code).with_tool("self", tool)
    };
    let limits = Limits { fuel: run.fuel, memory: 16 << 20, ..Limits::default() };
    let mut machine = match Machine::start(program, limits) {
        Ok(machine) => machine,
        Err(fault) => return (Outcome::fault(fault.code.name()), 0),
    };
    let outcome = match machine.run_alone() {
        Step::Done(done) => Outcome::value(done.json, done.kind),
        Step::Failed(fault) => Outcome::fault(fault.code.name()),
        _ => Outcome::Nothing,
    };
    (outcome, machine.usage().fuel)
}

fn tried(tool: &str, property: &str) -> (Property, Tried) {
    let shape =
        analyze(&Request { code: tool, ..Request::default() }).expect("a tool").shape_of_tool();
    let property = Property::read(property, &shape, &[]).expect("a property");
    let tried = drive(property.trial(), |run| evaluate(run, tool));
    (property, tried)
}

#[test]
fn a_property_that_holds_is_tried_on_two_thousand_inputs() {
    let (_, tried) = tried("xs => xs.map(x => x)", "xs => @self(xs).length == xs.length");
    assert_eq!(Property::verdict(&tried), Verdict::Holds);
    assert_eq!(tried.inputs + tried.silent, 2000);
    assert!(tried.exhaustive >= 3, "{tried:?}");
}

#[test]
fn the_smallest_counterexample_is_found() {
    for (tool, property, smallest) in [
        ("xs => xs.distinct()", "xs => @self(xs).length == xs.length", "[[null,null]]"),
        ("(a, b) => a * 2 - b", "(a, b) => @self(a, b) == @self(b, a)", "[0,1]"),
        ("n => n > 12345 ? n + 1 : n", "n => @self(n) == n", "[12346]"),
        ("s => s.upper().lower()", "s => @self(s) == s", "[\"A\"]"),
        ("xs => xs.sum()", "xs => @self(xs) < 500", "[[500]]"),
        ("xs => xs.sort()[0]", "xs => @self(xs) == xs[0]", "[[]]"),
        ("o => o.a * o.b", "o => @self(o) >= o.a", "[{\"a\":1,\"b\":0}]"),
        ("x => x", "false", "[]"),
    ] {
        let (read, tried) = tried(tool, property);
        let Verdict::Fails(found) = Property::verdict(&tried) else {
            panic!("{property}: {tried:?}")
        };
        let arguments = Value::List(found.arguments.clone()).json();
        assert_eq!(arguments, smallest, "{tool}, {property}, {found:?}");
        // The call shows it.
        let call = Value::read(&read.call(&found, "self")).expect("JSON").expect("a shallow call");
        let Value::Record(members) = call else { panic!("{call:?}") };
        let [(_, code), (_, data)] = &members[..] else { panic!("{members:?}") };
        let run = Run { program: 0, code: code.json().into(), data: data.json(), fuel: 1 << 20 };
        assert_eq!(Some(&evaluate(&run, tool).0), found.outcomes.first());
    }
}

#[test]
fn inputs_are_of_their_type_and_the_same_each_time() {
    for written in [
        "integer[]",
        "{a: text, b?: float | null}[]",
        "{[key: text]: boolean}",
        "[number, \"x\" | \"y\"]",
        "any",
        "boolean",
    ] {
        let shape = text::read(written).expect("a type");
        let all = || Inputs::new(vec![shape.clone()], SEED).take(3000).collect::<Vec<_>>();
        let inputs = all();
        let checker = Inputs::new(vec![shape.clone()], SEED);
        assert!(inputs.iter().all(|it| checker.holds(it)), "{written}");
        assert_eq!(inputs, all());
        assert!(checker.exhaustive() >= 3, "{written}: {}", checker.exhaustive());
        for input in &inputs {
            let json = Value::List(input.clone()).json();
            let read = Value::read(&json).expect("JSON").expect("a shallow value");
            assert_eq!(read.json(), json);
        }
    }
    assert_eq!(Inputs::new(vec![text::read("boolean").expect("a type")], SEED).count(), 2);
}

#[test]
fn a_trial_ends_with_its_fuel_and_tells_what_said_nothing() {
    let (_, tried) = tried("n => self(n + 1)", "n => @self(n) == 1");
    assert_eq!(Property::verdict(&tried), Verdict::Vacuous);
    assert!(tried.is_cut && tried.silent > 0 && tried.fuel <= 50_000_000, "{tried:?}");
}

#[test]
fn properties_are_as_the_page_shows_them() {
    for (code, expected) in crate::tests::blocks("property") {
        let [tool, property] = code[..] else { panic!("{code:?}") };
        let tried = tried(tool, property).1;
        let told = match Property::verdict(&tried) {
            Verdict::Holds => format!("holds for {} inputs", tried.inputs),
            Verdict::Fails(found) => format!("fails on {}", Value::List(found.arguments).json()),
            Verdict::Vacuous => "vacuous".to_owned(),
        };
        assert_eq!(told, expected, "{property}");
    }
}

/// A trial that is begun anew for each batch comes to what it comes to in one go.
#[test]
fn a_trial_goes_on_from_its_state() {
    for (tool, property) in [
        ("n => n > 12345 ? n + 1 : n", "n => @self(n) == n"),
        ("xs => xs.sum()", "xs => @self(xs) < 500"),
        ("(a, b) => a * 2 - b", "(a, b) => @self(a, b) == @self(b, a)"),
        ("xs => xs.filter(x => x > 0)", "xs => @self(xs).length <= xs.length"),
    ] {
        let (read, whole) = tried(tool, property);
        let mut state = read.trial().state();
        let mut batches = 0;
        while !state.is_over() {
            let mut trial = read.trial().resumed(&state).expect("a state of this trial");
            let runs = trial.batch(100);
            // A host that answers but for the last runs.
            let answered = runs.len().div_ceil(3).max(1);
            if runs.is_empty() {
                trial.next_run();
            }
            trial.take(runs.iter().take(answered).map(|run| evaluate(run, tool)));
            let json = trial.state().value().json();
            let value = Value::read(&json).expect("JSON").expect("a shallow value");
            state = State::read(&value).expect("a state");
            assert_eq!(state, trial.state());
            batches += 1;
            assert!(batches < 1000, "{state:?}");
        }
        assert_eq!(*state.tried(), whole, "{property}");
        assert!(batches > 1, "{batches}");
    }
}
