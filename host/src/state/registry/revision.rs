//! What the registry keeps of a tool.

use sha2::{Digest, Sha256};

use super::error::Error;
use super::error::SHORTEST_PREFIX;
use crate::state::error::Error as StoreError;

/// How many digits of a hash are shown where a whole one would be noise.
const SHORT: usize = 12;

/// A tool at one of its revisions: a term, named by its hash, and what was said of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name it was found by, without a pinned revision.
    pub name: String,
    /// sha256 of `source`, 64 hexadecimal digits.
    pub hash: String,
    /// The canonical text of the term.
    pub source: String,
    /// What its author says it does. Never instructions to us.
    pub description: String,
    /// What its author expects of it: a JSON list of `{input | data, output}`.
    pub examples: String,
    /// What its author says its values are like: a JSON Schema.
    pub output_schema: Option<String>,
    /// Counts all changes of the registry, so revisions can be put in order.
    pub change: i64,
}

/// A change of a tool that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// Counts all changes of the registry.
    pub change: i64,
    /// What the name stood for from then on; None: it was retired.
    pub hash: Option<String>,
    /// What its author said of it.
    pub description: String,
    /// The journal's entry of the change.
    pub entry: i64,
    /// When it was made, as RFC 3339 writes it.
    pub time: String,
}

impl Definition {
    /// The hash as people are shown it.
    #[must_use]
    pub fn short(&self) -> &str {
        short(&self.hash)
    }

    /// The tool, if its term is the one that its hash names. Whoever gets at a store can change
    /// the one and not the other.
    pub(super) fn intact(self) -> Result<Self, StoreError> {
        if is_named(&self.source, &self.hash) {
            return Ok(self);
        }
        Err(StoreError::Altered { tool: format!("`{}`", self.name), hash: self.hash })
    }

    /// The tool that a prefix of its hash has found, intact, unless revisions of another hash begin
    /// so too.
    pub(in crate::state) fn only(
        (tool, is_ambiguous): (Self, bool),
        prefix: &str,
    ) -> Result<Self, Error> {
        if is_ambiguous {
            let (name, prefix) = (tool.name, prefix.to_ascii_lowercase());
            return Err(Error::Revision { name, prefix, found: "more than one" });
        }
        Ok(tool.intact()?)
    }

    /// Bytes of all its texts.
    pub(super) fn size(&self) -> usize {
        let schema = self.output_schema.as_ref().map_or(0, String::len);
        let texts = [&self.name, &self.hash, &self.source, &self.description, &self.examples];
        texts.into_iter().map(String::len).sum::<usize>() + schema
    }
}

/// A hash as people are shown it.
#[must_use]
pub fn short(hash: &str) -> &str {
    hash.get(..SHORT).unwrap_or(hash)
}

/// Refuses a text that cannot name a revision.
pub(in crate::state) fn ensure_prefix(prefix: &str) -> Result<(), Error> {
    let is_hash = prefix.len() <= 64 && prefix.bytes().all(|b| b.is_ascii_hexdigit());
    if prefix.len() < SHORTEST_PREFIX || !is_hash { Err(Error::Prefix) } else { Ok(()) }
}

/// Whether a text pins the revision of a hash.
pub(crate) fn is_prefix(prefix: &str, hash: &str) -> bool {
    ensure_prefix(prefix).is_ok() && hash.starts_with(&prefix.to_ascii_lowercase())
}

/// The name of a term: sha256 of its canonical text.
pub(super) fn hash(source: &str) -> String {
    format!("{:x}", Sha256::digest(source))
}

/// Whether a hash is that of a term.
pub(super) fn is_named(source: &str, hash: &str) -> bool {
    self::hash(source) == hash
}
