//! The memory of a store.

use std::sync::Arc;

use pif_domain::text::similar::similar;
use pif_domain::text::time::now;

use super::memo::{Memo, Search};
use crate::error::Error as StoreError;
use crate::staging::MemoState;
use crate::store::Store;

/// The memory of a store.
#[derive(Debug, Clone)]
pub struct Memory {
    store: Arc<dyn Store>,
    /// Who it belongs to.
    owner: Arc<str>,
    /// Changes that are staged: they show and are not written.
    staged: Arc<[MemoState]>,
}

impl Memory {
    /// The local user's memory in a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, owner: Arc::default(), staged: Arc::default() }
    }

    /// A principal's memory in the store.
    #[must_use]
    pub fn of(&self, principal: &Arc<str>) -> Self {
        let (store, owner) = (Arc::clone(&self.store), Arc::clone(principal));
        Self { store, owner, staged: Arc::default() }
    }

    /// The memory with changes that are staged.
    #[must_use]
    pub fn showing(&self, staged: Vec<MemoState>) -> Self {
        Self { staged: staged.into(), ..self.clone() }
    }

    /// What a staged state makes of an entry; None: it forgets it.
    fn staged(&self, state: &MemoState) -> Result<Option<Memo>, StoreError> {
        let Some(value) = &state.value else { return Ok(None) };
        let old = self.store.memo(&self.owner, &state.key)?;
        let known = old.as_ref().map(|memo| memo.tags.clone());
        let now = now();
        Ok(Some(Memo {
            key: state.key.clone(),
            tags: state.tags.clone().or(known).unwrap_or_default(),
            created: old.map_or(now, |memo| memo.created),
            updated: now,
            size: u64::try_from(value.chars().count()).unwrap_or(u64::MAX),
            value: Some(value.clone()),
        }))
    }

    /// The entry of a key, with its value.
    pub fn get(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        match self.staged.iter().find(|state| state.key == key) {
            Some(state) => self.staged(state),
            None => self.store.memo(&self.owner, key),
        }
    }

    /// The existing key that is closest to an unknown one.
    pub fn similar(&self, key: &str) -> Result<Option<String>, StoreError> {
        let keys = self.store.near_keys(&self.owner, key)?;
        Ok(similar(key, keys.iter().map(String::as_str)).map(str::to_owned))
    }

    /// The entries that a search finds, and the number of all matches. A query without any word
    /// finds nothing.
    pub fn search(&self, search: &Search) -> Result<(Vec<Memo>, u64), StoreError> {
        let (mut found, mut total) = self.store.search_memos(&self.owner, search)?;
        for state in self.staged.iter() {
            let before = found.len();
            found.retain(|memo| memo.key != state.key);
            total = total.saturating_sub(u64::try_from(before - found.len()).unwrap_or(u64::MAX));
            if let Some(memo) = self.staged(state)?.filter(|memo| search.finds(memo)) {
                found.insert(0, memo);
                total += 1;
            }
        }
        found.truncate(search.most);
        Ok((found, total))
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
