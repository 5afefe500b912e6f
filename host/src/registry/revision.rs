//! What the registry keeps of a tool.

use sha2::{Digest, Sha256};

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

/// The name of a term: sha256 of its canonical text.
pub(super) fn hash(source: &str) -> String {
    format!("{:x}", Sha256::digest(source))
}

/// Whether a hash is that of a term.
pub(super) fn is_named(source: &str, hash: &str) -> bool {
    self::hash(source) == hash
}
