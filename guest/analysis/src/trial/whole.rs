//! A trial: programs, inputs, and the search for one on which they are not what they should be. It is
//! a state machine: it tells the next run and takes its outcome.

use super::inputs::Inputs;
use super::shrink;
use super::value::Value;

/// Most inputs of a trial.
pub const MOST_INPUTS: usize = 2000;
/// Most fuel of all runs of a trial.
pub const MOST_FUEL: u64 = 50_000_000;
/// Most fuel of one run.
pub const MOST_FUEL_OF_RUN: u64 = 1_000_000;
/// Most runs that make a failing input small.
const MOST_SMALLER: usize = 1000;

/// A run that a trial asks for: a program applied to arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which of the programs of the trial.
    pub program: usize,
    /// The program as JSON: the function applied to the elements of the variable `data`.
    pub code: String,
    /// The list of arguments as JSON.
    pub data: String,
    /// Fuel that the run may take.
    pub fuel: u64,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The canonical JSON of its value.
    Value(String),
    /// The code of its fault.
    Fault(String),
    /// It met a limit, or its value says nothing, as a function: such an input says nothing.
    Nothing,
}

impl Outcome {
    /// The outcome of a run that ended with a fault of this code.
    #[must_use]
    pub fn fault(code: &str) -> Self {
        match code {
            "out-of-fuel" | "too-deep" | "too-large" | "eval-depth" | "internal" => Self::Nothing,
            _ => Self::Fault(code.to_owned()),
        }
    }

    /// The outcome of a run with this value, of a kind as `type_of` names it.
    #[must_use]
    pub fn value(json: String, kind: &str) -> Self {
        // A function within a value is written as this text.
        let is_opaque =
            kind == "function" || kind == "continuation" || json.contains("\"<function>\"");
        if is_opaque { Self::Nothing } else { Self::Value(json) }
    }
}

/// What is asked of the outcomes of the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// The only program gives true.
    IsTrue,
    /// The only program has a value.
    HasValue,
    /// Both programs give one canonical text, or both have a fault.
    AreEqual,
}

impl Judge {
    /// Whether an input passes; none if it says nothing.
    fn passes(self, outcomes: &[Outcome]) -> Option<bool> {
        if outcomes.contains(&Outcome::Nothing) {
            return None;
        }
        match (self, outcomes) {
            (Self::IsTrue, [Outcome::Value(json)]) => Some(json == "true"),
            (Self::HasValue, [outcome]) => Some(matches!(outcome, Outcome::Value(_))),
            (Self::AreEqual, [Outcome::Value(a), Outcome::Value(b)]) => Some(a == b),
            (Self::AreEqual, [Outcome::Fault(_), Outcome::Fault(_)]) => Some(true),
            _ => Some(false),
        }
    }
}

/// An input on which the programs are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The arguments.
    pub arguments: Vec<Value>,
    /// The outcome of each program.
    pub outcomes: Vec<Outcome>,
}

/// What a trial came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The inputs that said something.
    pub inputs: usize,
    /// The inputs that said nothing, since a run met a limit.
    pub silent: usize,
    /// The size up to which all inputs over the plain scalars were tried.
    pub exhaustive: usize,
    /// Those inputs on which some program had a value. A trial without any shows nothing.
    pub with_value: usize,
    /// The smallest input found that fails.
    pub counterexample: Option<Counterexample>,
    /// Fuel of all runs.
    pub fuel: u64,
    /// Whether the fuel ended the trial.
    pub is_cut: bool,
}

/// A trial that goes on.
#[derive(Debug)]
pub struct Trial {
    /// The programs as JSON, each applied to the arguments.
    programs: Vec<String>,
    judge: Judge,
    inputs: Inputs,
    most: usize,
    tried: Tried,
    /// The input that is being tried, and the outcomes so far.
    current: Option<(Vec<Value>, Vec<Outcome>)>,
    /// Smaller inputs than the counterexample, the next one last.
    smaller: Vec<Vec<Value>>,
    /// Runs that are left to make it small.
    left: usize,
    is_over: bool,
}

impl Trial {
    /// Begins a trial of programs, each a term as JSON whose value is a function of these inputs.
    #[must_use]
    pub fn new(programs: &[String], judge: Judge, inputs: Inputs) -> Self {
        let tried = Tried {
            inputs: 0,
            silent: 0,
            exhaustive: inputs.exhaustive(),
            with_value: 0,
            counterexample: None,
            fuel: 0,
            is_cut: false,
        };
        let applied = |code: &String| format!("{{\"apply\":[{code},{{\"var\":\"data\"}}]}}");
        Self {
            programs: programs.iter().map(applied).collect(),
            judge,
            inputs,
            most: MOST_INPUTS,
            tried,
            current: None,
            smaller: Vec::new(),
            left: MOST_SMALLER,
            is_over: false,
        }
    }

    /// The trial with fewer inputs at most.
    #[must_use]
    pub fn with_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// The next run; none if the trial is over.
    pub fn next_run(&mut self) -> Option<Run> {
        if self.current.is_none() {
            let arguments = self.next_arguments()?;
            self.current = Some((arguments, Vec::new()));
        }
        let (arguments, outcomes) = self.current.as_ref()?;
        let program = outcomes.len();
        let Some(code) = self.programs.get(program).cloned() else {
            self.is_over = true;
            return None;
        };
        let data = Value::List(arguments.clone()).json();
        let fuel = MOST_FUEL_OF_RUN.min(MOST_FUEL.saturating_sub(self.tried.fuel));
        Some(Run { program, code, data, fuel })
    }

    fn next_arguments(&mut self) -> Option<Vec<Value>> {
        if self.is_over {
            return None;
        }
        let next = if self.tried.counterexample.is_some() {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 { None } else { self.smaller.pop() }
        } else if self.tried.inputs + self.tried.silent >= self.most {
            None
        } else {
            self.inputs.next()
        };
        if self.tried.fuel >= MOST_FUEL {
            self.tried.is_cut = next.is_some();
            self.is_over = true;
            return None;
        }
        self.is_over = next.is_none();
        next
    }

    /// Takes the outcome of the last run, and the fuel that it took.
    pub fn answer(&mut self, outcome: Outcome, fuel: u64) {
        self.tried.fuel = self.tried.fuel.saturating_add(fuel);
        let Some((arguments, mut outcomes)) = self.current.take() else { return };
        outcomes.push(outcome);
        let is_open = outcomes.len() < self.programs.len();
        // What one program says of an input is nothing without the other.
        if is_open && !outcomes.contains(&Outcome::Nothing) {
            self.current = Some((arguments, outcomes));
            return;
        }
        let passes = self.judge.passes(&outcomes);
        let is_first = self.tried.counterexample.is_none();
        if is_first {
            self.tried.inputs += usize::from(passes.is_some());
            self.tried.silent += usize::from(passes.is_none());
            let has_value = outcomes.iter().any(|it| matches!(it, Outcome::Value(_)));
            self.tried.with_value += usize::from(passes.is_some() && has_value);
        }
        if passes == Some(false) {
            let smaller = shrink::arguments(&arguments);
            let fitting = smaller.into_iter().filter(|it| self.inputs.holds(it));
            self.smaller = fitting.collect();
            self.smaller.reverse();
            self.tried.counterexample = Some(Counterexample { arguments, outcomes });
        }
    }

    /// What the trial has come to.
    #[must_use]
    pub fn tried(&self) -> &Tried {
        &self.tried
    }
}

/// Runs a trial to its end.
pub fn drive(mut trial: Trial, mut run: impl FnMut(&Run) -> (Outcome, u64)) -> Tried {
    while let Some(next) = trial.next_run() {
        let (outcome, fuel) = run(&next);
        trial.answer(outcome, fuel);
    }
    trial.tried
}
