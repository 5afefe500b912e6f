//! What a host asks of a machine and what it is told: plain data, mirrored by wit/evaluator.wit.

use crate::fault::Fault;

/// What to evaluate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The text of a term.
    Term(String),
    /// The name of a tool.
    Tool(String),
}

/// What the value of the code is applied to when it is a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Unit.
    None,
    /// A term after normalisation, as JSON text.
    Input(String),
    /// Plain JSON.
    Data(String),
}

/// Everything a run starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What to evaluate.
    pub code: Source,
    /// What its value is applied to.
    pub argument: Argument,
    /// A JSON object whose members are variables of the code.
    pub context: Option<String>,
    /// Sources known from the start: name and JSON text.
    pub tools: Vec<(String, String)>,
    /// The step of the continuation that led here; 0 for a first run.
    pub step: u64,
    /// Whether to record every evaluation step.
    pub debug: bool,
}

impl Program {
    /// A program that evaluates a term and nothing else.
    #[must_use]
    pub fn term(code: impl Into<String>) -> Self {
        Self {
            code: Source::Term(code.into()),
            argument: Argument::None,
            context: None,
            tools: Vec::new(),
            step: 0,
            debug: false,
        }
    }
}

/// What a machine is resumed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To start, or to go on after `Paused`.
    None,
    /// To `Lookup`: the source of the tool, or that there is no such tool.
    Source(Option<String>),
    /// To `Perform`: `{"ok":true,"value":…}` or `{"ok":false,…}`.
    Outcome(String),
    /// To `Perform`: nothing grants it. The run ends in the fault `capability-denied`.
    Denied,
}

/// The result of a finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Canonical JSON.
    pub json: String,
    /// The value's type, as `type_of` names it.
    pub kind: &'static str,
    /// Such as ``ignored-key at /add/0: `sub` is not part of `add` ``.
    pub warnings: Vec<String>,
    /// Lines written by `trace`.
    pub trace: Vec<String>,
}

/// A run that ended in `continue`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The tool to call again.
    pub tool: String,
    /// Its next input, as canonical JSON.
    pub input: String,
    /// 1, or 1 more than the step of the program.
    pub step: u64,
}

/// Where a machine stands after `resume`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It ended with a value.
    Done(Done),
    /// It ended with a continuation, which is its value.
    Continuation(Done, Continuation),
    /// It needs the source of this tool.
    Lookup(String),
    /// It needs an effect: capability and argument.
    Perform(String, String),
    /// The slice is used up.
    Paused,
    /// It ended with a fault.
    Failed(Box<Fault>),
}
