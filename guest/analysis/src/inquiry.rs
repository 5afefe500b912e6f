//! Questions that runs on many inputs answer, step by step. An instance of the analyst keeps nothing: each
//! step gets the state that the step before has told, and the outcomes of the runs that it has asked for.

use crate::equality::Comparison;
use crate::laws::Question;
use crate::trial::whole::{MOST_FUEL, State};
use crate::trial::{Outcome, Property, Run, Trial, Tried, Value};
use std::rc::Rc;

/// A question that runs on many inputs answer.
#[derive(Debug)]
pub enum Inquiry {
    /// On which input two programs differ.
    Difference(Box<Comparison>),
    /// On which input a tool of this name does not have a property.
    Property(Box<Property>, String),
    /// On which input a function does not have a law.
    Law(Box<Question>),
}

/// What a step tells.
#[derive(Debug)]
pub struct Turn {
    /// The state, for the next step.
    pub state: String,
    /// The programs of the runs.
    pub programs: Vec<Rc<str>>,
    /// The next runs; none if the inquiry is over.
    pub runs: Vec<Run>,
    /// Fuel that these runs may take together.
    pub fuel: u64,
    /// What the trials have come to so far, in their order.
    pub tried: Vec<Tried>,
}

impl Inquiry {
    /// Its trials, one after the other, until one finds what is looked for.
    fn trials(&self) -> Vec<Trial> {
        match self {
            Self::Difference(comparison) => comparison.trials().into(),
            Self::Property(property, tool) => vec![property.trial_of(tool)],
            Self::Law(question) => vec![question.trial.clone()],
        }
    }

    /// Takes the outcomes of the runs that the step before has asked for, each with its fuel, and tells the
    /// next ones: those of at most so many inputs. The first step has no state. None if the state is not
    /// that of this inquiry.
    #[must_use]
    pub fn step(
        &self,
        state: Option<&str>,
        came: impl IntoIterator<Item = (Outcome, u64)>,
        most: usize,
    ) -> Option<Turn> {
        let mut states = state.map_or(Some(Vec::new()), read)?;
        let mut trials = self.trials().into_iter().skip(states.len().saturating_sub(1));
        let trial = trials.next()?;
        let mut trial = match states.pop() {
            Some(state) => trial.resumed(&state)?,
            None => trial,
        };
        trial.take(came);
        loop {
            let runs = trial.batch(most.max(1));
            if runs.is_empty() {
                // This ends the trial.
                trial.next_run();
            }
            states.push(trial.state());
            let is_found = trial.tried().counterexample.is_some();
            let next = (runs.is_empty() && !is_found).then(|| trials.next()).flatten();
            let Some(next) = next else {
                let fuel = MOST_FUEL.saturating_sub(trial.tried().fuel);
                let tried = states.iter().map(|it| it.tried().clone()).collect();
                let programs = trial.programs().to_vec();
                return Some(Turn { state: write(&states), programs, runs, fuel, tried });
            };
            trial = next;
        }
    }
}

fn write(states: &[State]) -> String {
    Value::List(states.iter().map(State::value).collect()).json()
}

fn read(text: &str) -> Option<Vec<State>> {
    let Ok(Some(Value::List(states))) = Value::read(text) else { return None };
    states.iter().map(State::read).collect()
}

#[cfg(test)]
mod tests {
    use super::Inquiry;
    use crate::equality::Comparison;
    use crate::laws::questions;
    use crate::trial::tests::evaluate;
    use crate::trial::{Property, Tried, drive};
    use crate::{Request, analyze};

    /// Steps to the end, with batches that grow.
    fn stepped(inquiry: &Inquiry, tool: &str) -> Vec<Tried> {
        let mut turn = inquiry.step(None, [], 16).expect("a first step");
        for step in 0.. {
            assert!(step < 1000, "{turn:?}");
            if turn.runs.is_empty() {
                break;
            }
            let mut left = turn.fuel;
            let mut came = Vec::new();
            for run in &turn.runs {
                assert_eq!(run.code, turn.programs[run.program]);
                let run = crate::trial::Run { fuel: run.fuel.min(left), ..run.clone() };
                let (outcome, fuel) = evaluate(&run, tool);
                came.push((outcome, fuel));
                left = left.saturating_sub(fuel);
                if left == 0 {
                    break;
                }
            }
            turn = inquiry.step(Some(&turn.state), came, 16 << step.min(4)).expect("its own state");
        }
        turn.tried
    }

    #[test]
    fn steps_come_to_what_one_go_comes_to() {
        let request = |code| Request { code, ..Request::default() };
        for (first, second) in [
            ("x => x + 1", "x => 1 + x"),
            ("o => o.a ?? 1", "o => o.a || 1"),
            ("x => x == null ? 0 : x", "x => x ?? 0"),
            ("n => self(n + 1)", "n => self(n - 1)"),
        ] {
            let read = Comparison::read(&request(first), &request(second)).expect("two programs");
            let mut whole = Vec::new();
            for trial in read.trials() {
                whole.push(drive(trial, |run| evaluate(run, "0")));
                if whole.last().is_some_and(|it| it.counterexample.is_some()) {
                    break;
                }
            }
            let told = stepped(&Inquiry::Difference(Box::new(read)), "0");
            assert_eq!(told, whole, "{first} {second}");
        }
        let tool = "xs => xs.sum()";
        let shape = analyze(&request(tool)).expect("a tool").shape_of_tool();
        let property = Property::read("xs => @self(xs) < 500", &shape, &[]).expect("a property");
        let whole = drive(property.trial_of("self"), |run| evaluate(run, tool));
        let told = stepped(&Inquiry::Property(Box::new(property), "self".to_owned()), tool);
        assert_eq!(told, [whole]);
        for question in questions(&request("(a, b) => a * b"), "self").expect("a function") {
            let code = "(a, b) => a * b";
            let whole = drive(question.trial.clone(), |run| evaluate(run, code));
            assert_eq!(stepped(&Inquiry::Law(Box::new(question)), code), [whole]);
        }
    }

    #[test]
    fn a_state_of_something_else_is_refused() {
        let request = |code| Request { code, ..Request::default() };
        let read = Comparison::read(&request("x => x"), &request("x => 1")).expect("two programs");
        let inquiry = Inquiry::Difference(Box::new(read));
        for state in ["", "[]x", "{}", "[[1]]", "[null,null,null]"] {
            assert!(inquiry.step(Some(state), [], 10).is_none(), "{state}");
        }
    }
}
