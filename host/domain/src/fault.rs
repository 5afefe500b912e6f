//! Faults: the failures of calls, as data. The evaluator reports errors of programs. The host
//! reports why it stopped or refused a call.

use super::call::{CallSummary, FailedCall};
use super::code::FaultCode;
use super::limit::Limit;
use super::mismatch::Mismatches;
use super::prefix::named;

/// An error of a program, or the reason why a call was stopped or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the fault.
    pub code: FaultCode,
    /// One sentence in lower case without a final period.
    pub message: String,
    /// JSON Pointer into the submitted term, or into the source of `tool`.
    pub at: String,
    /// The tool in whose source `at` points.
    pub tool: Option<String>,
    /// A correction to suggest.
    pub hint: Option<String>,
    /// Tools whose code was active, outermost first.
    pub calls: Vec<String>,
    /// The code at `at`, on one line and shortened.
    pub excerpt: Option<Box<str>>,
    /// The warnings of the run before the fault.
    pub warnings: Vec<String>,
    /// The limit that was met, if there is one.
    pub limit: Option<Box<Excess>>,
    /// The differences between the value and its schema.
    pub mismatches: Option<Box<Mismatches>>,
    /// Why a session is over, if the code is `session-closed`.
    pub reason: Option<&'static str>,
    /// The call that the fault is about, if its code is `upstream`.
    pub upstream: Option<Box<FailedCall>>,
    /// The calls that the run made.
    pub calls_made: Vec<CallSummary>,
    /// Where `at` is in a program that was written in the notation.
    pub place: Option<Box<Place>>,
    /// The variable that nothing binds, if the code is `unbound`.
    pub variable: Option<Box<str>>,
    /// Whether the text ends before the program does, so that more text may complete it.
    pub is_incomplete: bool,
    /// The repair of the submitted code, if it is sure.
    pub fix: Option<Box<Fix>>,
}

/// A sure repair of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// Where the repaired part begins: `LINE:COLUMN` in a program in the notation, a JSON Pointer
    /// into a JSON term.
    pub at: String,
    /// The part as it was written.
    pub was: String,
    /// The part as it is meant.
    pub now: String,
    /// The whole program with all sure repairs.
    pub fixed: String,
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// The line around the place, and below it a line with `^`.
    pub caret: String,
}

/// A limit that was met, with its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// The limit.
    pub name: Limit,
    /// The amount used or asked for.
    pub used: u64,
    /// The value of the limit.
    pub limit: u64,
}

impl Fault {
    /// Adds the limit that was met.
    #[must_use]
    pub fn by(self, limit: Option<Excess>) -> Self {
        Self { limit: limit.map(Box::new), ..self }
    }

    /// Adds a hint as it stands: its names are those that somebody else gave, and none is a tool's.
    #[must_use]
    pub fn advised(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// The message followed by the figures of the limit.
    #[must_use]
    pub fn told(&self) -> String {
        match self.limit.as_deref() {
            Some(Excess { name, used, limit }) => {
                format!("{} [{name}: {used} of {limit}]", self.message)
            }
            None => self.message.clone(),
        }
    }
}

/// Makes a fault of the host, which points at no place in the program. The hint names tools as clients
/// see them.
#[must_use]
pub fn fault(code: FaultCode, message: String, hint: Option<&str>) -> Fault {
    Fault {
        code,
        message,
        at: String::new(),
        tool: None,
        hint: hint.map(|hint| named(hint).into_owned()),
        calls: Vec::new(),
        excerpt: None,
        warnings: Vec::new(),
        limit: None,
        mismatches: None,
        reason: None,
        upstream: None,
        calls_made: Vec::new(),
        place: None,
        variable: None,
        is_incomplete: false,
        fix: None,
    }
}
