//! Where definitions are kept. This store forgets them when the process ends; what it offers is
//! all that the registry asks of one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::revision::{Definition, Revision};

/// Definitions by name. Whoever holds one sees the registry as it was when it was taken.
pub type Snapshot = Arc<BTreeMap<String, Definition>>;

/// The current definitions.
#[derive(Debug, Default)]
pub(super) struct Store {
    definitions: Snapshot,
    changes: u64,
}

impl Store {
    /// The present state. Cheap: it is copied only when it changes while somebody looks at it.
    pub(super) fn snapshot(&self) -> Snapshot {
        Arc::clone(&self.definitions)
    }

    pub(super) fn current(&self, name: &str) -> Option<&Revision> {
        self.definitions.get(name).map(Definition::current)
    }

    /// Makes `name` stand for a term, keeping what it stood for, and counts the change.
    pub(super) fn put(&mut self, name: &str, source: String, hash: String, description: String) {
        self.changes += 1;
        let revision = Revision { hash, source, description, created: self.changes };
        let definitions = Arc::make_mut(&mut self.definitions);
        match definitions.get_mut(name) {
            Some(definition) => definition.replace(revision),
            None => {
                definitions.insert(name.to_owned(), Definition::new(revision));
            }
        }
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes
    }
}
