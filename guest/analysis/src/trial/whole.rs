//! A trial: programs, inputs, and the search for one on which they are not what they should be. It is
//! a state machine: it tells the next run and takes its outcome.

use super::inputs::Inputs;
use super::shrink;
use super::value::Value;
use std::rc::Rc;

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
    pub code: Rc<str>,
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
#[derive(Clone, Debug)]
pub struct Trial {
    /// The programs as JSON, each applied to the arguments.
    programs: Vec<Rc<str>>,
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
        let applied = |code: &String| format!("{{\"apply\":[{code},{{\"var\":\"data\"}}]}}").into();
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
        if is_open {
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
            self.smaller = self.simpler(&arguments);
            self.tried.counterexample = Some(Counterexample { arguments, outcomes });
        }
    }

    /// The next runs, of so many inputs, if none of them fails. They begin with a new input.
    #[must_use]
    pub fn batch(&self, inputs: usize) -> Vec<Run> {
        let (mut ahead, mut runs) = (self.clone(), Vec::new());
        let passes = Outcome::Value("true".to_owned());
        for _ in 0..inputs * self.programs.len() {
            let Some(run) = ahead.next_run() else { break };
            runs.push(run);
            ahead.answer(passes.clone(), 0);
        }
        runs
    }

    /// Takes the outcomes of the first runs of a batch, each with its fuel. A host may leave out the last
    /// ones. What comes behind an input that fails, or is not all of an input, counts for nothing: the next
    /// batch asks for what is needed.
    pub fn take(&mut self, outcomes: impl IntoIterator<Item = (Outcome, u64)>) {
        let mut outcomes = outcomes.into_iter();
        let before = self.tried.counterexample.clone();
        while self.tried.counterexample == before {
            let of_input: Vec<_> = outcomes.by_ref().take(self.programs.len()).collect();
            if of_input.len() < self.programs.len() {
                return;
            }
            for (outcome, fuel) in of_input {
                if self.next_run().is_none() {
                    return;
                }
                self.answer(outcome, fuel);
            }
        }
    }

    /// How far the trial is, as data.
    #[must_use]
    pub fn state(&self) -> State {
        State {
            tried: self.tried.clone(),
            left: self.left,
            open: self.smaller.len(),
            is_over: self.is_over,
        }
    }

    /// The trial, which has just begun, as far as another of the same programs and inputs was. None if the
    /// state is not that of such a trial.
    #[must_use]
    pub fn resumed(mut self, state: &State) -> Option<Self> {
        let done = state.tried.inputs + state.tried.silent;
        if done > self.most || state.tried.exhaustive != self.tried.exhaustive {
            return None;
        }
        for _ in 0..done {
            self.inputs.next()?;
        }
        if let Some(found) = &state.tried.counterexample {
            self.smaller = self.simpler(&found.arguments);
            if state.open > self.smaller.len() {
                return None;
            }
            self.smaller.truncate(state.open);
        }
        Some(Self { tried: state.tried.clone(), left: state.left, is_over: state.is_over, ..self })
    }

    /// The inputs that are simpler than one, the next one last.
    fn simpler(&self, arguments: &[Value]) -> Vec<Vec<Value>> {
        let mut simpler = shrink::arguments(arguments);
        simpler.retain(|it| self.inputs.holds(it));
        simpler.reverse();
        simpler
    }

    /// The programs of its runs, as JSON.
    #[must_use]
    pub fn programs(&self) -> &[Rc<str>] {
        &self.programs
    }

    /// What the trial has come to.
    #[must_use]
    pub fn tried(&self) -> &Tried {
        &self.tried
    }
}

/// How far a trial is: all that another instance needs to go on, beside the programs and the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    tried: Tried,
    /// Runs that are left to make the counterexample small.
    left: usize,
    /// Simpler inputs that are still to be tried.
    open: usize,
    is_over: bool,
}

impl State {
    /// What the trial has come to so far.
    #[must_use]
    pub fn tried(&self) -> &Tried {
        &self.tried
    }

    /// Whether the trial is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The state as a value of JSON.
    #[must_use]
    pub fn value(&self) -> Value {
        let count = |n: usize| Value::Number(n.to_string());
        let tried = &self.tried;
        let outcome = |it: &Outcome| {
            let (kind, text) = match it {
                Outcome::Value(json) => ("value", json.as_str()),
                Outcome::Fault(code) => ("fault", code.as_str()),
                Outcome::Nothing => ("nothing", ""),
            };
            Value::List(vec![Value::text(kind), Value::text(text)])
        };
        let found = tried.counterexample.as_ref().map_or(Value::Null, |it| {
            let outcomes = it.outcomes.iter().map(outcome).collect();
            Value::List(vec![Value::List(it.arguments.clone()), Value::List(outcomes)])
        });
        Value::List(vec![
            count(tried.inputs),
            count(tried.silent),
            count(tried.exhaustive),
            count(tried.with_value),
            Value::Number(tried.fuel.to_string()),
            Value::Boolean(tried.is_cut),
            found,
            count(self.left),
            count(self.open),
            Value::Boolean(self.is_over),
        ])
    }

    /// Reads a state from its value. None if it is none.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let Value::List(parts) = value else { return None };
        let [inputs, silent, exhaustive, with_value, fuel, is_cut, found, left, open, is_over] =
            &parts[..]
        else {
            return None;
        };
        let count =
            |value: &Value| if let Value::Number(n) = value { n.parse().ok() } else { None };
        let truth = |value: &Value| if let Value::Boolean(b) = value { Some(*b) } else { None };
        let outcome = |value: &Value| {
            let Value::List(parts) = value else { return None };
            let [Value::Text(kind), Value::Text(text)] = &parts[..] else { return None };
            Some(match kind.as_str() {
                "value" => Outcome::Value(text.clone()),
                "fault" => Outcome::Fault(text.clone()),
                "nothing" => Outcome::Nothing,
                _ => return None,
            })
        };
        let counterexample = match found {
            Value::Null => None,
            Value::List(parts) => {
                let [Value::List(arguments), Value::List(outcomes)] = &parts[..] else {
                    return None;
                };
                let outcomes = outcomes.iter().map(outcome).collect::<Option<_>>()?;
                Some(Counterexample { arguments: arguments.clone(), outcomes })
            }
            _ => return None,
        };
        let Value::Number(fuel) = fuel else { return None };
        let tried = Tried {
            inputs: count(inputs)?,
            silent: count(silent)?,
            exhaustive: count(exhaustive)?,
            with_value: count(with_value)?,
            counterexample,
            fuel: fuel.parse().ok()?,
            is_cut: truth(is_cut)?,
        };
        Some(Self { tried, left: count(left)?, open: count(open)?, is_over: truth(is_over)? })
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
