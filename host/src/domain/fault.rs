//! Faults: what went wrong with a call, as data. The evaluator reports what a program did wrong;
//! the host reports why it stopped or refused a call.

use super::code::FaultCode;
use super::limit::Limit;
use super::mismatch::Mismatches;

/// What a program did wrong, or what stopped it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault it is.
    pub code: FaultCode,
    /// One sentence in lower case without a final period.
    pub message: String,
    /// JSON Pointer into the submitted term, or into the source of `tool`.
    pub at: String,
    /// The tool in whose source `at` points.
    pub tool: Option<String>,
    /// What to write instead.
    pub hint: Option<String>,
    /// Tools whose code was active, outermost first.
    pub calls: Vec<String>,
    /// What stands at `at`, on one line and shortened.
    pub excerpt: Option<String>,
    /// What the run had warned of before.
    pub warnings: Vec<String>,
    /// The limit that was met, if it was one.
    pub limit: Option<Excess>,
    /// Where the value differs from its schema.
    pub mismatches: Option<Box<Mismatches>>,
    /// Where `at` is in a program that was written in the notation.
    pub place: Option<Box<Place>>,
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

/// A limit that was met, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// The limit.
    pub name: Limit,
    /// What was used, or asked for.
    pub used: u64,
    /// What there was.
    pub limit: u64,
}

impl Fault {
    /// Adds the limit that was met.
    #[must_use]
    pub fn by(self, limit: Option<Excess>) -> Self {
        Self { limit, ..self }
    }

    /// The message with the figures of the limit.
    #[must_use]
    pub fn told(&self) -> String {
        match self.limit {
            Some(Excess { name, used, limit }) => {
                format!("{} [{name}: {used} of {limit}]", self.message)
            }
            None => self.message.clone(),
        }
    }
}

/// A fault that the host makes: it points at no place in the program.
#[must_use]
pub fn fault(code: FaultCode, message: String, hint: Option<&str>) -> Fault {
    Fault {
        code,
        message,
        at: String::new(),
        tool: None,
        hint: hint.map(str::to_owned),
        calls: Vec::new(),
        excerpt: None,
        warnings: Vec::new(),
        limit: None,
        mismatches: None,
        place: None,
    }
}
