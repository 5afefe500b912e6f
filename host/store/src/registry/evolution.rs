//! A requested state of a tool, and the result of the request.

use pif_domain::EntryOutcome;
use pif_domain::json::compact;

use super::error::Error;
use super::revision::{Definition, ensure_prefix};

/// A requested state of a tool.
#[derive(Debug, Clone)]
pub struct Evolution {
    /// The tool.
    pub name: String,
    /// The author's description.
    pub description: String,
    /// The canonical text of the term.
    pub source: String,
    /// sha256 of `source`.
    pub hash: String,
    /// The tools that the term names.
    pub tools: Vec<String>,
    /// A JSON list of `{input | data, output}`.
    pub examples: String,
    /// A JSON Schema in canonical form.
    pub output_schema: Option<String>,
    /// The names of its functions as a JSON list, if it is a native capability.
    pub members: Option<String>,
    /// A JSON list of properties, if it has any.
    pub properties: Option<String>,
    /// The revision that the author expects to be current.
    pub expected: Option<String>,
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The name was free, or retired.
    New,
    /// The name referred to another term, with this hash.
    Changed(String),
    /// The term is unchanged; the description, the examples, the properties or the output schema changed.
    Described,
    /// Nothing changed: an equal tool exists.
    Unchanged,
}

impl Status {
    /// The ending of the change's journal entry.
    #[must_use]
    pub fn ending(&self) -> EntryOutcome {
        match self {
            Self::New => EntryOutcome::New,
            Self::Changed(_) => EntryOutcome::Changed,
            Self::Described => EntryOutcome::Described,
            Self::Unchanged => EntryOutcome::Unchanged,
        }
    }

    /// Its name in replies.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.ending().name()
    }
}

impl From<Definition> for Evolution {
    /// Requests an existing revision. Its term is already kept, with the tools that it names.
    fn from(tool: Definition) -> Self {
        let Definition {
            name,
            hash,
            source,
            description,
            examples,
            output_schema,
            members,
            properties,
            ..
        } = tool;
        Self {
            name,
            description,
            source,
            hash,
            tools: Vec::new(),
            examples,
            output_schema,
            members,
            properties,
            expected: None,
        }
    }
}

impl Evolution {
    /// Whether a tool has this content. White space in examples does not matter.
    #[must_use]
    pub fn is(&self, tool: &Definition) -> bool {
        tool.hash == self.hash
            && tool.description == self.description
            && compact(&tool.examples) == compact(&self.examples)
            && tool.output_schema == self.output_schema
            && tool.members == self.members
            && tool.properties == self.properties
    }

    /// Whether a tool has this content. Fails if it differs and `replace` is not set.
    pub fn ensure_replaced(&self, current: &Definition, replace: bool) -> Result<bool, Error> {
        let is_same = self.is(current);
        if is_same || replace {
            return Ok(is_same);
        }
        let how = if current.hash == self.hash {
            "with another description, other examples or properties, or another output schema"
                .to_owned()
        } else {
            format!("at the revision `{}`", current.short())
        };
        Err(Error::Present { name: self.name.clone(), how })
    }
}

/// Refuses a new name if `twin`, an existing name, is too similar. Existing names stay usable.
pub(crate) fn ensure_distinct(twin: Option<String>, name: &str) -> Result<(), Error> {
    match twin {
        Some(other) => Err(Error::Twin { name: name.to_owned(), other }),
        None => Ok(()),
    }
}

/// Refuses a change if the tool is not at the expected revision.
pub(crate) fn ensure_expected(
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
