//! The registry's data on a tool.

use sha2::{Digest, Sha256};

use super::error::Error;
use super::error::SHORTEST_PREFIX;
use crate::error::Error as StoreError;
use crate::find::{Document, decoded};

/// The digits of a shortened hash.
const SHORT: usize = 12;

/// The number of the change of a revision that is staged: it has none yet.
pub const STAGED: i64 = -1;

/// A revision of a tool: a term, identified by its hash, with its description, examples, properties and schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name of the tool, without a revision.
    pub name: String,
    /// sha256 of `source`, 64 hexadecimal digits.
    pub hash: String,
    /// The canonical text of the term.
    pub source: String,
    /// The author's description. The server never treats it as instructions.
    pub description: String,
    /// The author's examples: a JSON list of `{input | data, output}`.
    pub examples: String,
    /// The author's JSON Schema for the tool's values.
    pub output_schema: Option<String>,
    /// The names of its functions as a JSON list, if it is a native capability.
    pub members: Option<String>,
    /// The author's properties as a JSON list of texts: programs that give true for every input.
    pub properties: Option<String>,
    /// The number of the registry change that made this revision current. It orders revisions.
    pub change: i64,
}

/// A current tool, with what the registry knows of it beside its definition.
#[derive(Debug, Clone)]
pub struct CurrentTool {
    /// The tool.
    pub tool: Definition,
    /// The tools that its term names, each by name.
    pub uses: Vec<String>,
    /// When its last change was made, in milliseconds since 1970.
    pub time: i64,
    /// The number of that change's journal entry.
    pub entry: i64,
}

/// A past change of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// The number of the change. The registry counts all changes.
    pub change: i64,
    /// The hash of the new term; None if the tool was retired.
    pub hash: Option<String>,
    /// The author's description.
    pub description: String,
    /// The number of the change's journal entry.
    pub entry: i64,
    /// The time of the change, in RFC 3339 format.
    pub time: String,
}

impl Definition {
    /// The shortened hash, for people.
    #[must_use]
    pub fn short(&self) -> &str {
        short(&self.hash)
    }

    /// What searches know of it.
    #[must_use]
    pub fn document(&self) -> Document {
        let body = format!("{} {}", decoded(&self.source), decoded(&self.examples));
        Document::new(&self.name, &self.name, &self.description, &body)
    }

    /// Returns the tool if its hash is that of its term. Anyone who can write to the store's file
    /// can change one without the other.
    pub(super) fn intact(self) -> Result<Self, StoreError> {
        if is_named(&self.source, &self.hash) {
            return Ok(self);
        }
        Err(StoreError::Altered { tool: format!("`{}`", self.name), hash: self.hash })
    }

    /// Returns the tool that a prefix of its hash has found, if it is intact. Fails if the prefix
    /// also fits other hashes.
    pub fn only((tool, is_ambiguous): (Self, bool), prefix: &str) -> Result<Self, Error> {
        if is_ambiguous {
            let (name, prefix) = (tool.name, prefix.to_ascii_lowercase());
            return Err(Error::Revision { name, prefix, found: "more than one" });
        }
        Ok(tool.intact()?)
    }

    /// The bytes of all its texts.
    pub(super) fn size(&self) -> usize {
        let given = [&self.output_schema, &self.members, &self.properties];
        let given = given.into_iter().flatten().map(String::len).sum::<usize>();
        let texts = [&self.name, &self.hash, &self.source, &self.description, &self.examples];
        texts.into_iter().map(String::len).sum::<usize>() + given
    }
}

/// A shortened hash, for people.
#[must_use]
pub fn short(hash: &str) -> &str {
    hash.get(..SHORT).unwrap_or(hash)
}

/// Refuses a text that is not a prefix of a hash, or that is too short.
pub(crate) fn ensure_prefix(prefix: &str) -> Result<(), Error> {
    let is_hash = prefix.len() <= 64 && prefix.bytes().all(|b| b.is_ascii_hexdigit());
    if prefix.len() < SHORTEST_PREFIX || !is_hash { Err(Error::Prefix) } else { Ok(()) }
}

/// Whether a text is a valid prefix of a hash.
#[must_use]
pub fn is_prefix(prefix: &str, hash: &str) -> bool {
    ensure_prefix(prefix).is_ok() && hash.starts_with(&prefix.to_ascii_lowercase())
}

/// The hash of a term: sha256 of its canonical text, in hexadecimal digits.
pub(super) fn hash(source: &str) -> String {
    format!("{:x}", Sha256::digest(source))
}

/// Whether a hash is that of a term's canonical text.
pub(super) fn is_named(source: &str, hash: &str) -> bool {
    self::hash(source) == hash
}
