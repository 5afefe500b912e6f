//! What came of a run, in the words that the native machine and the component share.

use pif::fault::{Fault as GuestFault, Limit};
use pif::request::Done;

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The value or the fault.
    pub result: Result<Value, Fault>,
    /// Fuel spent.
    pub fuel: u64,
}

impl Run {
    /// What was warned of, beside the value or the fault.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        match &self.result {
            Ok(value) => &value.warnings,
            Err(fault) => &fault.warnings,
        }
    }
}

/// Code and place of a warning, which is all that the definition knows.
#[must_use]
pub fn head(warning: &str) -> &str {
    warning.split(": ").next().unwrap_or_default()
}

/// The value of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Canonical JSON.
    pub json: String,
    /// The value's type.
    pub kind: String,
    /// What the parser warned of, and what arose in the run.
    pub warnings: Vec<String>,
    /// Lines written by `trace`.
    pub trace: Vec<String>,
    /// The value as a term, if the program wants it.
    pub term: Option<Result<String, Fault>>,
}

/// What a program did wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// One of the codes of the language reference.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// A JSON Pointer.
    pub at: String,
    /// The tool in whose source `at` points.
    pub tool: Option<String>,
    /// What to write instead.
    pub hint: Option<String>,
    /// Tools whose code was active, outermost first.
    pub calls: Vec<String>,
    /// What stands at `at`, shortened.
    pub excerpt: Option<String>,
    /// Line and column, `1:5`, where the program was written in the notation.
    pub place: Option<String>,
    /// What was warned of before.
    pub warnings: Vec<String>,
    /// The limit of the run that was met, where hosts tell it.
    pub limit: Option<&'static str>,
    /// The place of a sure repair, what stands there, what is meant, and the whole program with it.
    pub fix: Option<[String; 4]>,
}

impl From<Done> for Value {
    fn from(done: Done) -> Self {
        let Done { json, kind, warnings, trace, term } = done;
        let term = term.map(|term| term.map_err(|fault| (*fault).into()));
        Self { json, kind: kind.to_owned(), warnings, trace, term }
    }
}

impl From<GuestFault> for Fault {
    fn from(fault: GuestFault) -> Self {
        let GuestFault { code, message, at, tool, hint, calls, excerpt, warnings, .. } = fault;
        let GuestFault { limit, place, fix, .. } = fault;
        let fix = fix.map(|it| [it.at, it.was, it.now, it.fixed]);
        let place = place.map(|place| format!("{}:{}", place.line, place.column));
        let hint = hint.map(|hint| hint.to_string());
        let limit = limit.and_then(|limit| match limit {
            Limit::Fuel => Some("fuel"),
            Limit::Depth => Some("depth"),
            Limit::Memory => Some("memory"),
            Limit::Output => None,
        });
        let code = code.name().to_owned();
        Self { code, message, at, tool, hint, calls, excerpt, place, warnings, limit, fix }
    }
}
