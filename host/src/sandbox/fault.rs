//! What went wrong with a run, as data: what the guest told of its program, or what the host says
//! of a run that it stopped, with the limit that was met.

use std::fmt;

use super::bindings::{Note, Told};
use crate::schema::Mismatches;

/// Characters of a message or hint that are kept. The evaluator's are far shorter; this bounds
/// what anything else in its place could say.
const LONGEST: usize = 4_000;

/// The hint of faults that no program should be able to cause.
pub(super) const DEFECT: &str =
    "this is a defect of the evaluator, not of the program: please report it with the program";

/// What a program did wrong, or what stopped it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// One of the codes of the language reference, or of the host's own.
    pub code: String,
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
    /// Where the value is not as a schema has it.
    pub mismatches: Option<Box<Mismatches>>,
}

/// A limit, and what was used of it when it was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// The layer that the limit belongs to, as `server_info` names it.
    pub name: &'static str,
    /// What was used, or asked for.
    pub used: u64,
    /// What there was.
    pub limit: u64,
}

impl Fault {
    /// The same fault, as the work of a limit.
    #[must_use]
    pub fn by(self, limit: Option<Excess>) -> Self {
        Self { limit, ..self }
    }

    /// The message with the figures of the limit, for those who see nothing else.
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

impl From<Told> for Fault {
    fn from(told: Told) -> Self {
        let Told { code, message, at, tool, hint, calls, excerpt, warnings } = told;
        let (message, hint, excerpt) = (cut(message), hint.map(cut), excerpt.map(cut));
        let (limit, mismatches) = (None, None);
        let code = cut(code);
        Self { code, message, at, tool, hint, calls, excerpt, warnings, limit, mismatches }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, at, message, hint, .. } = self;
        f.write_str(code)?;
        if !at.is_empty() {
            write!(f, " at {at}")?;
        }
        write!(f, ": {message}")?;
        hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// A fault that the host makes: it points at no place in the program.
#[must_use]
pub fn fault(code: &str, message: String, hint: Option<&str>) -> Fault {
    Fault {
        code: code.to_owned(),
        message,
        at: String::new(),
        tool: None,
        hint: hint.map(str::to_owned),
        calls: Vec::new(),
        excerpt: None,
        warnings: Vec::new(),
        limit: None,
        mismatches: None,
    }
}
