//! The messages between a host and a machine: plain data, mirrored by wit/evaluator.wit.

use pif_core::fault::{Code, Fault};
use pif_core::hint::Hint;
use pif_core::text::quote::shorten;

/// The code to evaluate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Its text, as JSON or in the notation.
    Term(String),
    /// The name of a tool.
    Tool(String),
}

/// The argument of the code, if its value is a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Unit.
    None,
    /// A function is not applied: it is the value of the run.
    Unapplied,
    /// A term, as JSON text. Strings that hold JSON, numbers or booleans are decoded first.
    Input(String),
    /// Plain JSON.
    Data(String),
}

/// The start of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The code to evaluate.
    pub code: Source,
    /// The argument of its value.
    pub argument: Argument,
    /// A JSON object whose members are variables of the code.
    pub context: Option<String>,
    /// Variables of the code: names with the terms of their values. Only those that the code names
    /// are read. Where the term is missing, the machine asks for it.
    pub bindings: Vec<(String, Option<String>)>,
    /// Sources known from the start: the name of a tool and its code, as JSON or in the notation.
    pub tools: Vec<(String, String)>,
    /// The step of the continuation that led here; 0 for a first run.
    pub step: u64,
    /// Whether to record every evaluation step.
    pub debug: bool,
    /// Whether the host wants the value as a term, too.
    pub keep: bool,
}

impl Program {
    /// Returns a program that evaluates a term without an argument, variables or tools.
    #[must_use]
    pub fn term(code: impl Into<String>) -> Self {
        Self {
            code: Source::Term(code.into()),
            argument: Argument::None,
            context: None,
            bindings: Vec::new(),
            tools: Vec::new(),
            step: 0,
            debug: false,
            keep: false,
        }
    }

    /// Returns a program that evaluates the tool of this name.
    #[must_use]
    pub fn tool(name: impl Into<String>) -> Self {
        Self { code: Source::Tool(name.into()), ..Self::term("") }
    }

    /// Gives plain JSON as the argument. Code that is no function reads it as the variable `data`.
    #[must_use]
    pub fn with_data(self, json: impl Into<String>) -> Self {
        Self { argument: Argument::Data(json.into()), ..self }
    }

    /// Gives a term as the argument. Code that is no function reads its value as the variable
    /// `input`.
    #[must_use]
    pub fn with_input(self, term: impl Into<String>) -> Self {
        Self { argument: Argument::Input(term.into()), ..self }
    }

    /// Gives a JSON object, whose members are variables of the code.
    #[must_use]
    pub fn with_context(self, json: impl Into<String>) -> Self {
        Self { context: Some(json.into()), ..self }
    }

    /// Adds a tool that the code may name, with its code as JSON or in the notation.
    #[must_use]
    pub fn with_tool(mut self, name: impl Into<String>, source: impl Into<String>) -> Self {
        self.tools.push((name.into(), source.into()));
        self
    }
}

/// The host's answer to the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Starts the machine, or continues after `Paused`. After `Perform`: nothing grants the calls.
    None,
    /// Answers `Lookup` and `Recall`: the source of the tool, as JSON or in the notation, or the term of
    /// the binding as JSON; `None` if there is none.
    Source(Option<String>),
    /// Answers `Perform`: an outcome for each call, in order.
    Outcomes(Vec<Outcome>),
    /// Answers `Perform`: no call was sent.
    Refused(Refusal),
    /// Answers `Wait`: so many milliseconds have passed, and the `retry` tries again. Any other answer
    /// lets the fault be.
    Waited(u64),
    /// Answers `Enter`: what the step came to before. Any other answer has it evaluated.
    Passed(Box<Passage>),
}

/// A call of a tool of another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// The JSON text of an object.
    pub args: String,
    /// Whether the value is the whole result.
    pub is_raw: bool,
}

/// Calls whose outcomes the program waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// One, or those of a form `calls`.
    pub calls: Vec<Call>,
    /// The most calls at the same time.
    pub at_most: u32,
    /// Whether they come from the form `calls`.
    pub many: bool,
}

/// What came of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The JSON text of its value.
    Value(String),
    /// It has no value.
    Failed {
        /// Such as `timeout`.
        reason: String,
        /// One sentence for people.
        message: String,
        /// The JSON text of what the other server told beside it.
        value: Option<String>,
    },
}

/// The reason why no call was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The place in the list of the call that is to blame.
    pub index: u32,
    /// `UnknownCapability`, `Malformed` or `CapabilityDenied`.
    pub code: Code,
    /// One sentence, lower case, no final period.
    pub message: String,
    /// The code to write instead.
    pub hint: Option<Hint>,
}

impl Refusal {
    /// Refuses calls, the first of this tool, that nothing grants.
    #[must_use]
    pub fn denied(tool: &str) -> Self {
        let message = format!("the capability `{}` is not granted", shorten(tool));
        Self { index: 0, code: Code::CapabilityDenied, message, hint: None }
    }
}

/// A call has failed in a `retry` that may try again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Its tool.
    pub tool: String,
    /// Such as `timeout`.
    pub reason: String,
    /// How many attempts have failed, this one too.
    pub failed: u32,
    /// How long to wait before the next one.
    pub millis: u64,
    /// How long the host may wait at most.
    pub most: u64,
    /// How many calls the run has made in the `retry`, the failed one last.
    pub calls: u32,
}

/// What a step of the program came to: enough to go on without its evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The canonical term of its value, which is data.
    pub value: String,
    /// What it spent.
    pub fuel: u64,
    /// How many calls of other servers it made.
    pub calls: u32,
    /// Lines written by `trace`.
    pub trace: Vec<String>,
    /// Tools whose functions were made.
    pub tools: Vec<String>,
    /// Terms of `try` that had a value.
    pub trials: Vec<u32>,
    /// Steps that began in it.
    pub steps: u32,
}

/// A step of the program has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// What it spent.
    pub fuel: u64,
    /// Whether a fault has ended it, which was caught around it.
    pub is_failed: bool,
    /// What it came to, unless a run has to evaluate it again.
    pub passage: Option<Passage>,
}

/// The result of a finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Canonical JSON.
    pub json: String,
    /// The value's type, as `type_of` names it.
    pub kind: &'static str,
    /// Warnings such as ``ignored-key at /add/0: `sub` is not part of `add` ``.
    pub warnings: Vec<String>,
    /// Lines written by `trace`.
    pub trace: Vec<String>,
    /// The value as a term that evaluates to it, or why it has none; nothing unless the program
    /// asked for it.
    pub term: Option<Result<String, Box<Fault>>>,
}

/// A term that came to a value in a debug run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// The term in the notation; empty if it is long.
    pub text: String,
    /// Its form.
    pub form: &'static str,
    /// A JSON Pointer into the code, or into the source of `tool`.
    pub at: String,
    /// The tool in whose source the term stands.
    pub tool: Option<String>,
    /// Evaluations that were pending around it.
    pub depth: u32,
    /// Its value as JSON on one line; of a long one the beginning, and how much there is.
    pub value: String,
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

/// The state of a machine after `resume`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The run ended with a value.
    Done(Done),
    /// The run ended with a continuation, which is its value.
    Continuation(Done, Continuation),
    /// The machine needs the source of this tool. A name with a period is that of a call: without a
    /// source the machine asks by `Perform`.
    Lookup(String),
    /// The machine needs the term of this binding.
    Recall(String),
    /// The machine needs the outcomes of these calls.
    Perform(Calls),
    /// The machine waits before a `retry` tries again.
    Wait(Wait),
    /// The step of this name begins: the innermost one of those that have not ended.
    Enter(String),
    /// The innermost step has ended.
    Leave(Left),
    /// The slice is used up.
    Paused,
    /// The run ended with a fault.
    Failed(Box<Fault>),
}
