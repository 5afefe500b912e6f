//! A tool as somebody wants it to be, and what became of that.

use super::error::Error;
use super::revision::{Definition, ensure_prefix};
use crate::domain::EntryEnding;
use crate::json::compact;

/// A tool as somebody wants it to be.
#[derive(Debug, Clone)]
pub struct Evolution {
    /// The tool.
    pub name: String,
    /// What its author says it does.
    pub description: String,
    /// The canonical text of the term.
    pub source: String,
    /// sha256 of `source`.
    pub hash: String,
    /// The tools that the term names.
    pub tools: Vec<String>,
    /// A JSON list of `{input | data, output}`.
    pub examples: String,
    /// A JSON Schema, in one spelling.
    pub output_schema: Option<String>,
    /// The revision that the author believes to be the current one.
    pub expected: Option<String>,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The name was free, or retired.
    New,
    /// The name stood for another term, which had this hash.
    Changed(String),
    /// The term stays, its description, examples or output schema are others.
    Described,
    /// Nothing: it was so already.
    Unchanged,
}

impl Status {
    /// How the journal entry of the change ends.
    #[must_use]
    pub fn ending(&self) -> EntryEnding {
        match self {
            Self::New => EntryEnding::New,
            Self::Changed(_) => EntryEnding::Changed,
            Self::Described => EntryEnding::Described,
            Self::Unchanged => EntryEnding::Unchanged,
        }
    }

    /// Its name in replies.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.ending().name()
    }
}

impl From<Definition> for Evolution {
    /// Makes a tool what it was. Its term is kept already, with the tools that it names.
    fn from(tool: Definition) -> Self {
        let Definition { name, hash, source, description, examples, output_schema, .. } = tool;
        let (tools, expected) = (Vec::new(), None);
        Self { name, description, source, hash, tools, examples, output_schema, expected }
    }
}

impl Evolution {
    /// Whether a tool is so already, however its examples are spaced.
    #[must_use]
    pub fn is(&self, tool: &Definition) -> bool {
        tool.hash == self.hash
            && tool.description == self.description
            && compact(&tool.examples) == compact(&self.examples)
            && tool.output_schema == self.output_schema
    }

    /// Whether a tool is so already; refuses it where it is not and may not be replaced.
    pub fn ensure_replaced(&self, current: &Definition, replace: bool) -> Result<bool, Error> {
        let is_same = self.is(current);
        if is_same || replace {
            return Ok(is_same);
        }
        let how = if current.hash == self.hash {
            "with another description, other examples or another output schema".to_owned()
        } else {
            format!("at the revision `{}`", current.short())
        };
        Err(Error::Present { name: self.name.clone(), how })
    }
}

/// A name that exists already stays usable, whatever looks like it.
pub(in crate::state) fn ensure_distinct(twin: Option<String>, name: &str) -> Result<(), Error> {
    match twin {
        Some(other) => Err(Error::Twin { name: name.to_owned(), other }),
        None => Ok(()),
    }
}

/// Refuses to change a tool that is another one than its author believes.
pub(in crate::state) fn ensure_expected(
    current: Option<&Definition>,
    name: &str,
    expected: Option<&str>,
) -> Result<(), Error> {
    let Some(expected) = expected else { return Ok(()) };
    ensure_prefix(expected)?;
    let found = match current {
        Some(it) if it.hash.starts_with(&expected.to_ascii_lowercase()) => return Ok(()),
        Some(it) => format!("is at the revision `{}`", it.short()),
        None => "does not exist".to_owned(),
    };
    Err(Error::Conflict { name: name.to_owned(), expected: expected.to_owned(), found })
}
