//! What the registry keeps of a tool.

use std::sync::Arc;

/// How many digits of a hash are shown where a whole one would be noise.
const SHORT: usize = 12;

/// One immutable version of a tool, named by the hash of its term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// sha256 of `source`, 64 hexadecimal digits.
    pub hash: String,
    /// The canonical text of the term.
    pub source: String,
    /// What its author says it does. Never instructions to us.
    pub description: String,
    /// Counts all changes of the registry, so revisions can be put in order.
    pub created: u64,
}

impl Revision {
    /// The hash as people are shown it.
    #[must_use]
    pub fn short(&self) -> &str {
        self.hash.get(..SHORT).unwrap_or(&self.hash)
    }

    /// Whether `prefix` names this revision.
    #[must_use]
    pub fn is_named(&self, prefix: &str) -> bool {
        self.hash.starts_with(&prefix.to_ascii_lowercase())
    }
}

/// A name and all that it has ever stood for.
#[derive(Debug, Clone)]
pub struct Definition {
    current: Arc<Revision>,
    /// Oldest first.
    earlier: Vec<Arc<Revision>>,
}

impl Definition {
    pub(super) fn new(revision: Revision) -> Self {
        Self { current: Arc::new(revision), earlier: Vec::new() }
    }

    pub(super) fn replace(&mut self, revision: Revision) {
        let previous = std::mem::replace(&mut self.current, Arc::new(revision));
        self.earlier.push(previous);
    }

    /// What the name stands for now.
    #[must_use]
    pub fn current(&self) -> &Revision {
        &self.current
    }

    /// What it stood for before, oldest first.
    #[must_use]
    pub fn earlier(&self) -> &[Arc<Revision>] {
        &self.earlier
    }
}
