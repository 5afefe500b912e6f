//! The memory of a store.

use std::sync::Arc;

use pif_domain::text::similar::similar;

use super::memo::{Memo, Search};
use crate::error::Error as StoreError;
use crate::store::Store;

/// The memory of a store.
#[derive(Debug, Clone)]
pub struct Memory {
    store: Arc<dyn Store>,
    /// Who it belongs to.
    owner: Arc<str>,
}

impl Memory {
    /// The local user's memory in a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, owner: Arc::default() }
    }

    /// A principal's memory in the store.
    #[must_use]
    pub fn of(&self, principal: &Arc<str>) -> Self {
        Self { store: Arc::clone(&self.store), owner: Arc::clone(principal) }
    }

    /// The entry of a key, with its value.
    pub fn get(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        self.store.memo(&self.owner, key)
    }

    /// The existing key that is closest to an unknown one.
    pub fn similar(&self, key: &str) -> Result<Option<String>, StoreError> {
        let keys = self.store.near_keys(&self.owner, key)?;
        Ok(similar(key, keys.iter().map(String::as_str)).map(str::to_owned))
    }

    /// The entries that a search finds, and the number of all matches. A query without any word
    /// finds nothing.
    pub fn search(&self, search: &Search) -> Result<(Vec<Memo>, u64), StoreError> {
        self.store.search_memos(&self.owner, search)
    }

    /// All entries, in the order of their last change.
    pub fn all(&self) -> Result<Vec<Memo>, StoreError> {
        self.store.memos(&self.owner)
    }

    /// The number of keys of all memories in the store.
    pub fn count(&self) -> Result<u64, StoreError> {
        Ok(self.store.sums()?.0)
    }
}
