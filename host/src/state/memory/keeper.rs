//! The memory in a store.

use std::sync::Arc;

use super::memo::{Memo, Search};
use crate::state::error::Error as StoreError;
use crate::state::store::Store;
use crate::text::similar::similar;

/// The memory in a store.
#[derive(Debug)]
pub struct Memory {
    store: Arc<dyn Store>,
}

impl Memory {
    /// The memory in a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// What is kept under a key.
    pub fn get(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        self.store.memo(key)
    }

    /// The key closest to one that is unknown.
    pub fn similar(&self, key: &str) -> Result<Option<String>, StoreError> {
        let keys = self.store.near_keys(key)?;
        Ok(similar(key, keys.iter().map(String::as_str)).map(str::to_owned))
    }

    /// What a search finds, and how much there is in all. A search for words without a word in it
    /// finds nothing.
    pub fn search(&self, search: &Search) -> Result<(Vec<Memo>, u64), StoreError> {
        self.store.search_memos(search)
    }

    /// All that is kept, in the order in which it changed.
    pub fn all(&self) -> Result<Vec<Memo>, StoreError> {
        self.store.memos()
    }

    /// How many keys there are.
    pub fn count(&self) -> Result<u64, StoreError> {
        Ok(self.store.sums()?.0)
    }
}
