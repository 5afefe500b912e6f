//! The tools that models have evolved: names, and the terms they stand for. The registry takes
//! terms as text that somebody else has checked; it knows neither the language nor MCP.

pub mod name;
mod revision;
mod store;
pub mod text;

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::watch;

pub use self::revision::{Definition, Revision};
pub use self::store::Snapshot;

use self::store::Store;

/// How few digits of a hash may name a revision.
const SHORTEST_PREFIX: usize = 8;

/// Why a change was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The name has another form than names have.
    #[error(
        "`{0}` cannot name a tool: write a letter or `_` first, then up to 63 letters, digits, `_` or `-`"
    )]
    Name(String),
    /// The name is kept for the server.
    #[error("`{name}` is too close to the built-in `{reserved}`: choose another name")]
    Reserved {
        /// What was asked for.
        name: String,
        /// What it collides with.
        reserved: &'static str,
    },
    /// The name would be taken for that of another tool.
    #[error("`{name}` looks like the tool `{other}`: change that one, or choose another name")]
    Twin {
        /// What was asked for.
        name: String,
        /// What it would be taken for.
        other: String,
    },
    /// The description holds a character that cannot be seen.
    #[error(
        "the description holds the invisible character U+{code:04X} at position {index}: remove it"
    )]
    Hidden {
        /// The character's code point.
        code: u32,
        /// How many characters precede it.
        index: usize,
    },
    /// The description goes on out of sight.
    #[error("the description has a gap before position {index}: bring its parts together")]
    Gap {
        /// How many characters precede the one that is too much.
        index: usize,
    },
    /// The description piles up combining marks.
    #[error("the description stacks marks at position {index}: use fewer on one letter")]
    Stacked {
        /// How many characters precede the one that is too much.
        index: usize,
    },
    /// The description is too long.
    #[error("the description has {length} characters: shorten it to at most {}", text::LONGEST)]
    Long {
        /// How many characters it has.
        length: usize,
    },
    /// `expected_revision` is no hash.
    #[error(
        "`expected_revision` must be at least the first {SHORTEST_PREFIX} digits of a revision's hash"
    )]
    Prefix,
    /// Somebody else changed the tool meanwhile.
    #[error("`{name}` {found}, not at the revision `{expected}`: look at it again, then evolve it")]
    Conflict {
        /// The tool.
        name: String,
        /// What the caller believed.
        expected: String,
        /// What is so.
        found: String,
    },
}

/// A definition to be made.
#[derive(Debug, Clone)]
pub struct Change {
    /// The tool.
    pub name: String,
    /// What its author says it does.
    pub description: String,
    /// The canonical text of the term.
    pub source: String,
    /// sha256 of `source`.
    pub hash: String,
    /// The revision that the author believes to be the current one.
    pub expected: Option<String>,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The name was free.
    New,
    /// The name stood for another term, which had this hash.
    Changed(String),
    /// The term stays, its description is another one.
    Described,
    /// Nothing: it was so already.
    Unchanged,
}

/// The shared registry.
#[derive(Debug)]
pub struct Registry {
    store: RwLock<Store>,
    changes: watch::Sender<u64>,
}

impl Default for Registry {
    fn default() -> Self {
        Self { store: RwLock::default(), changes: watch::Sender::new(0) }
    }
}

impl Registry {
    /// The registry as it is now; later changes do not show in it.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.read().snapshot()
    }

    /// Wakes its holder after changes. Several changes may be one awakening.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Judges a change as far as that is possible without its term.
    pub fn review(
        &self,
        name: &str,
        description: &str,
        expected: Option<&str>,
    ) -> Result<(), Error> {
        name::ensure_free(name)?;
        text::ensure_plain(description)?;
        let store = self.read();
        ensure_distinct(&store, name)?;
        ensure_expected(store.current(name), name, expected)
    }

    /// Another tool whose name a hasty reader would take for this one.
    #[must_use]
    pub fn lookalike(&self, name: &str) -> Option<String> {
        self.read().lookalike(name).map(str::to_owned)
    }

    /// Makes a change, unless it is refused or there is nothing to change.
    pub fn evolve(&self, change: Change) -> Result<Status, Error> {
        self.review(&change.name, &change.description, None)?;
        let Change { name, description, source, hash, expected } = change;
        let mut store = self.write();
        // Somebody may have taken its twin since the review.
        ensure_distinct(&store, &name)?;
        let current = store.current(&name);
        ensure_expected(current, &name, expected.as_deref())?;
        let status = match current {
            None => Status::New,
            Some(current) if current.hash != hash => Status::Changed(current.hash.clone()),
            Some(current) if current.description != description => Status::Described,
            Some(_) => return Ok(Status::Unchanged),
        };
        store.put(&name, source, hash, description);
        self.changes.send_replace(store.changes());
        Ok(status)
    }

    fn read(&self) -> RwLockReadGuard<'_, Store> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Store> {
        self.store.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name that exists already stays usable, whatever looks like it.
fn ensure_distinct(store: &Store, name: &str) -> Result<(), Error> {
    match store.twin(name) {
        Some(other) if store.current(name).is_none() => {
            Err(Error::Twin { name: name.to_owned(), other: other.to_owned() })
        }
        _ => Ok(()),
    }
}

fn ensure_expected(
    current: Option<&Revision>,
    name: &str,
    expected: Option<&str>,
) -> Result<(), Error> {
    let Some(expected) = expected else { return Ok(()) };
    if expected.len() < SHORTEST_PREFIX || !expected.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(Error::Prefix);
    }
    let found = match current {
        Some(current) if current.is_named(expected) => return Ok(()),
        Some(current) => format!("is at the revision `{}`", current.short()),
        None => "does not exist".to_owned(),
    };
    Err(Error::Conflict { name: name.to_owned(), expected: expected.to_owned(), found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(source: &str, description: &str, expected: Option<&str>) -> Change {
        Change {
            name: "double".to_owned(),
            description: description.to_owned(),
            source: source.to_owned(),
            hash: format!("{source:0>64}"),
            expected: expected.map(str::to_owned),
        }
    }

    #[test]
    fn keeps_history() {
        let registry = Registry::default();
        let before = registry.snapshot();
        assert_eq!(registry.evolve(change("1", "", None)), Ok(Status::New));
        assert_eq!(registry.evolve(change("1", "", None)), Ok(Status::Unchanged));
        assert_eq!(registry.evolve(change("1", "one", None)), Ok(Status::Described));
        let first = format!("{:0>64}", 1);
        assert_eq!(registry.evolve(change("2", "one", None)), Ok(Status::Changed(first)));
        let after = registry.snapshot();
        assert!(before.is_empty());
        let double = after.get("double").expect("evolved");
        assert_eq!((double.current().source.as_str(), double.earlier().len()), ("2", 2));
    }

    #[test]
    fn refuses_a_change_of_something_else() {
        let registry = Registry::default();
        let conflict = registry.evolve(change("1", "", Some("00000000")));
        assert!(matches!(conflict, Err(Error::Conflict { .. })));
        assert_eq!(registry.evolve(change("1", "", None)), Ok(Status::New));
        assert_eq!(registry.evolve(change("1", "", Some("123"))), Err(Error::Prefix));
        assert!(registry.evolve(change("2", "", Some("00000000"))).is_ok());
    }
}
