//! The shared registry: a store, notifications of changes and a cache.

use std::sync::{Arc, Mutex, PoisonError};

use pif_domain::text::description::ensure_plain;
use pif_domain::text::similar::similar;
use tokio::sync::watch;

use super::error::Error;
use super::evolution::{ensure_distinct, ensure_expected};
use super::name;
use super::revision::{Definition, Past, ensure_prefix, is_named};
use crate::error::Error as StoreError;
use crate::recall::Recall;
use crate::store::Store;

/// The most tools in the cache, and the most bytes of their texts.
const MOST_FOUND: usize = 1_000;
const MOST_FOUND_BYTES: usize = 16 << 20;

/// The shared registry.
#[derive(Debug)]
pub struct Registry {
    store: Arc<dyn Store>,
    changes: watch::Sender<i64>,
    latest: Mutex<Latest>,
}

/// A cache of look-ups at one change. They never become invalid, because later changes do not
/// affect them.
#[derive(Debug, Clone)]
struct Latest {
    as_of: i64,
    found: Arc<Recall<Option<Definition>>>,
}

impl Latest {
    fn new(as_of: i64) -> Self {
        Self { as_of, found: Arc::new(Recall::new(MOST_FOUND, MOST_FOUND_BYTES)) }
    }
}

impl Registry {
    /// Opens the registry of a store.
    pub fn open(store: Arc<dyn Store>) -> Result<Self, StoreError> {
        let last = store.last_change()?;
        let latest = Mutex::new(Latest::new(last));
        Ok(Self { store, changes: watch::Sender::new(last), latest })
    }

    /// A snapshot of the current state. Later changes do not affect it.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let as_of = self.store.last_change()?;
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.as_of != as_of {
            *latest = Latest::new(as_of);
        }
        Ok(Snapshot { store: Arc::clone(&self.store), as_of, found: Arc::clone(&latest.found) })
    }

    /// The registry after one of its earlier changes.
    #[must_use]
    pub fn snapshot_as_of(&self, as_of: i64) -> Snapshot {
        Snapshot { store: Arc::clone(&self.store), as_of, found: Latest::new(as_of).found }
    }

    /// A receiver that is notified of changes. One notification may cover several changes.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<i64> {
        self.changes.subscribe()
    }

    /// Notifies subscribers if this process or another has changed tools since the last
    /// notification.
    pub fn refresh(&self) -> Result<(), StoreError> {
        let last = self.store.last_change()?;
        self.changes.send_if_modified(|known| std::mem::replace(known, last) != last);
        Ok(())
    }

    /// Checks a change as far as possible without its term.
    pub fn review(
        &self,
        name: &str,
        description: &str,
        expected: Option<&str>,
    ) -> Result<(), Error> {
        name::ensure_free(name)?;
        ensure_plain(description).map_err(Error::Description)?;
        let current = self.store.find(name, i64::MAX)?;
        if current.is_none() {
            ensure_distinct(self.store.twin(name)?, name)?;
        }
        ensure_expected(current.as_ref(), name, expected)
    }

    /// Another name that a reader may confuse with this one.
    pub fn lookalike(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.store.lookalike(name)
    }
}

/// The registry after one of its changes.
#[derive(Debug, Clone)]
pub struct Snapshot {
    store: Arc<dyn Store>,
    as_of: i64,
    found: Arc<Recall<Option<Definition>>>,
}

impl Snapshot {
    /// The number of the last change in the snapshot.
    #[must_use]
    pub fn as_of(&self) -> i64 {
        self.as_of
    }

    /// The tool that a name referred to at this snapshot, or the revision of `name@hash`.
    pub fn find(&self, reference: &str) -> Result<Option<Definition>, Error> {
        if let Some(known) = self.found.get(reference) {
            return Ok(known);
        }
        let (name, pin) = name::split(reference);
        let found = match pin {
            None => Ok(self.store.find(name, self.as_of)?.map(Definition::intact).transpose()?),
            Some(prefix) => self.find_pinned(name, prefix),
        };
        if let Ok(found) = &found {
            let size = found.as_ref().map_or(0, Definition::size);
            self.found.keep(reference, found.clone(), size);
        }
        found
    }

    /// The existing name that is closest to an unknown one.
    pub fn similar(&self, name: &str) -> Result<Option<String>, StoreError> {
        let names = self.store.near(name)?;
        Ok(similar(name, names.iter().map(String::as_str)).map(str::to_owned))
    }

    /// The number of current tools.
    pub fn count(&self) -> Result<u64, StoreError> {
        self.store.count()
    }

    /// Current tools with names after `after`, in the order of names.
    pub fn page(&self, after: &str, most: usize) -> Result<Vec<Definition>, StoreError> {
        self.store.page(after, most)
    }

    /// Like [`Self::page`], for tools whose name or description contains all words; and the number
    /// of all such tools.
    pub fn search(
        &self,
        words: &[String],
        after: &str,
        most: usize,
    ) -> Result<(Vec<Definition>, u64), StoreError> {
        self.store.search(words, after, most)
    }

    /// The tools with the latest changes, in the order of names.
    pub fn latest(&self, most: usize) -> Result<Vec<Definition>, StoreError> {
        self.store.latest(most)
    }

    /// Tools that are native capabilities, in the order of names.
    pub fn capabilities(&self, most: usize) -> Result<Vec<Definition>, StoreError> {
        self.store.capabilities(most)
    }

    /// The names with this prefix, in order.
    pub fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.store.names(prefix, most)
    }

    /// The number of names with this prefix.
    pub fn count_names(&self, prefix: &str) -> Result<u64, StoreError> {
        self.store.count_names(prefix)
    }

    /// The changes of a name, the latest first.
    pub fn history(&self, name: &str, most: usize) -> Result<Vec<Past>, StoreError> {
        self.store.history(name, most)
    }

    /// The tools whose terms name this one, in the order of names.
    pub fn callers(&self, name: &str, most: usize) -> Result<Vec<Definition>, StoreError> {
        self.store.callers(name, most)
    }

    /// The output schema that a change gave its tool, if there is one.
    pub fn output_schema(&self, change: i64) -> Result<Option<String>, StoreError> {
        self.store.output_schema(change)
    }

    /// The names of the tools that the term with this hash names.
    pub fn uses(&self, hash: &str) -> Result<Vec<String>, StoreError> {
        self.store.uses(hash)
    }

    /// The source of the term with this hash.
    pub fn source(&self, hash: &str) -> Result<Option<String>, StoreError> {
        match self.store.source(hash)? {
            Some(source) if !is_named(&source, hash) => {
                let tool = match self.store.name_of(hash)? {
                    Some(name) => format!("`{name}`"),
                    None => "a tool that was forgotten".to_owned(),
                };
                Err(StoreError::Altered { tool, hash: hash.to_owned() })
            }
            found => Ok(found),
        }
    }

    /// The latest revision of a name whose hash has this prefix.
    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<Definition>, Error> {
        ensure_prefix(prefix)?;
        let found = self.store.find_pinned(name, &prefix.to_ascii_lowercase(), self.as_of)?;
        found.map(|found| Definition::only(found, prefix)).transpose()
    }
}
