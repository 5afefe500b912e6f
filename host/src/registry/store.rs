//! Where definitions are kept. This store forgets them when the process ends; what it offers is
//! all that the registry asks of one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::name;
use super::revision::{Definition, Revision};

/// Definitions by name. Whoever holds one sees the registry as it was when it was taken.
pub type Snapshot = Arc<BTreeMap<String, Definition>>;

/// The current definitions.
#[derive(Debug, Default)]
pub(super) struct Store {
    definitions: Snapshot,
    /// What names have in common that look alike, and the first one of each kind.
    looks: BTreeMap<Look, String>,
    changes: u64,
}

/// Something by which a reader may take one name for another.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Twin(usize, String),
    Sketch(String),
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
        if let Some(definition) = definitions.get_mut(name) {
            definition.replace(revision);
            return;
        }
        definitions.insert(name.to_owned(), Definition::new(revision));
        for look in twins(name).chain([Look::Sketch(name::sketch(name))]) {
            self.looks.entry(look).or_insert_with(|| name.to_owned());
        }
    }

    /// Another name that is hardly told apart from this one.
    pub(super) fn twin(&self, name: &str) -> Option<&str> {
        self.other(twins(name), name)
    }

    /// Another name that a hasty reader would take for this one.
    pub(super) fn lookalike(&self, name: &str) -> Option<&str> {
        self.other([Look::Sketch(name::sketch(name))].into_iter(), name)
    }

    fn other(&self, mut looks: impl Iterator<Item = Look>, name: &str) -> Option<&str> {
        let other = |look| self.looks.get(&look).filter(|other| *other != name);
        looks.find_map(other).map(String::as_str)
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes
    }
}

fn twins(name: &str) -> impl Iterator<Item = Look> {
    name::twins(name).into_iter().enumerate().map(|(kind, look)| Look::Twin(kind, look))
}
