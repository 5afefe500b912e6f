//! The journal in a store: the way in for whatever is written, and what can be read of it.

use std::slice;
use std::sync::Arc;

use super::chain::Verified;
use super::entry::{Draft, Entry};
use super::error::Error;
use super::filter::{Filter, Statistics};
use super::hash::Link;
use super::settings::Settings;
use crate::state::change::{Done, Refusal, Wait, Write};
use crate::state::error::Error as StoreError;
use crate::state::store::Store;

/// The journal in a store.
#[derive(Debug)]
pub struct Journal {
    store: Arc<dyn Store>,
    settings: Settings,
}

impl Journal {
    /// The journal in a store, which is not verified by this.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Self {
        Self { store, settings }
    }

    /// How it is kept.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Makes changes, each with its entry: all of them or none.
    pub fn commit(&self, writes: &[Write]) -> Result<Vec<Done>, Refusal> {
        self.store.commit(writes, &self.settings, Wait::Patiently)
    }

    /// Makes one change with its entry.
    pub fn commit_one(&self, write: Write) -> Result<Done, Refusal> {
        let done = self.commit(&[write])?;
        done.into_iter().next().ok_or(Refusal::Store(StoreError::Confused))
    }

    /// Writes an entry; gives its number.
    pub fn append(&self, draft: Draft) -> Result<i64, StoreError> {
        self.append_within(&Write::entry(draft), Wait::Patiently)
    }

    /// Writes an entry alone; gives its number.
    pub fn append_within(&self, entry: &Write, wait: Wait) -> Result<i64, StoreError> {
        match self.store.commit(slice::from_ref(entry), &self.settings, wait) {
            Ok(done) => Ok(done.first().ok_or(StoreError::Confused)?.entry),
            Err(Refusal::Store(error)) => Err(error),
            // There is nothing to refuse.
            Err(Refusal::Registry(_) | Refusal::Memory(_)) => Err(StoreError::Confused),
        }
    }

    /// An entry by its number.
    pub fn entry(&self, id: i64) -> Result<Option<Entry>, StoreError> {
        self.store.entry(id)
    }

    /// Entries that pass a filter: the latest first, or the earliest first.
    pub fn entries(
        &self,
        filter: &Filter,
        latest_first: bool,
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        self.store.entries(filter, latest_first, most)
    }

    /// What the latest runs of a tool, of `most` at most, have cost.
    pub fn statistics(&self, tool: &str, most: usize) -> Result<Statistics, StoreError> {
        self.store.statistics(tool, most)
    }

    /// Where the chain stands.
    pub fn head(&self) -> Result<Link, StoreError> {
        self.store.head()
    }

    /// The last entry that was removed to keep the journal within its size.
    pub fn anchor(&self) -> Result<Link, StoreError> {
        self.store.anchor()
    }

    /// Follows the chain from its start to its head.
    pub fn verify(&self) -> Result<Verified, Error> {
        self.store.verify()
    }

    /// Where it is kept.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }
}
