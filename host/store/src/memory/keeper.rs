//! The memory of an owner, with the changes that are staged.

use std::sync::Arc;

use pif_domain::text::similar::similar;
use pif_domain::text::time::now;

use super::memo::Memo;
use super::note::DEFAULT_CONFIDENCE;
use crate::error::Error as StoreError;
use crate::find::{Found, Kind, Query, Shelf, Source, rank};
use crate::sqlite::Transient;
use crate::staging::MemoState;
use crate::store::Store;

/// How old a use is before the next one is written down, in milliseconds: freshness moves by days.
const WRITTEN_AFTER: i64 = 86_400_000;

/// A search by words, by tags that an entry must all have, or by both. Without words the latest entries
/// come first; with words the best ones do: match × confidence × freshness.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Words, in one text.
    pub words: Option<String>,
    /// Tags that an entry must have.
    pub tags: Vec<String>,
    /// The most entries in the result.
    pub most: usize,
    /// The most characters of all values in the result.
    pub room: usize,
}

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
        let known = |of: fn(&Memo) -> String| old.as_ref().map(of).unwrap_or_default();
        let tags = old.as_ref().map(|memo| memo.tags.clone());
        let now = now();
        Ok(Some(Memo {
            key: state.key.clone(),
            tags: state.tags.clone().or(tags).unwrap_or_default(),
            created: old.as_ref().map_or(now, |memo| memo.created),
            updated: now,
            size: u64::try_from(value.chars().count()).unwrap_or(u64::MAX),
            value: Some(value.clone()),
            context: state.context.clone().unwrap_or_else(|| known(|memo| memo.context.clone())),
            given: state
                .confidence
                .or(old.as_ref().map(|it| it.given))
                .unwrap_or(DEFAULT_CONFIDENCE),
            successes: 0,
            tries: 0,
            used: now,
        }))
    }

    /// The entry of a key, with its value.
    pub fn get(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        match self.staged.iter().find(|state| state.key == key) {
            Some(state) => self.staged(state),
            None => self.store.memo(&self.owner, key),
        }
    }

    /// The entry of a key, perhaps without its value.
    pub fn brief(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        match self.staged.iter().find(|state| state.key == key) {
            Some(state) => self.staged(state),
            None => self.store.memo_without_value(&self.owner, key),
        }
    }

    /// The existing key that is closest to an unknown one.
    pub fn similar(&self, key: &str) -> Result<Option<String>, StoreError> {
        let keys = self.store.near_keys(&self.owner, key)?;
        Ok(similar(key, keys.iter().map(String::as_str)).map(str::to_owned))
    }

    /// Calls back with the sources of a search among its entries.
    pub fn look<T>(
        &self,
        search: impl FnOnce(&[Source<'_>]) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let shelf = Shelf { kind: Kind::Memory, owner: &self.owner };
        let hidden: Vec<String> = self.staged.iter().map(|state| state.key.clone()).collect();
        let kept = Source { index: &*self.store, shelf, hidden: &hidden };
        if self.staged.is_empty() {
            return search(&[kept]);
        }
        let mut documents = Vec::new();
        for state in self.staged.iter() {
            documents.extend(self.staged(state)?.map(|memo| memo.document()));
        }
        let shown = Transient::new()?;
        shown.put(shelf, &documents)?;
        search(&[kept, Source { index: &shown, shelf, hidden: &[] }])
    }

    /// What a search by words finds is worth more the surer it is and the later it was used.
    pub fn weigh(&self, found: Found) -> Result<Option<(Found, Memo)>, StoreError> {
        let now = now();
        let Some(memo) = self.brief(&found.place)? else { return Ok(None) };
        let score = found.score * memo.confidence() * memo.freshness(now);
        Ok(Some((Found { score, ..found }, memo)))
    }

    /// The entries that a search finds, and the number of all matches. A query without any word
    /// finds nothing.
    pub fn search(&self, search: &Search) -> Result<(Vec<Memo>, u64), StoreError> {
        let Some(words) = &search.words else { return self.tagged(search) };
        let query = Query::new(words);
        let mut ranked = Vec::new();
        for found in self.look(|sources| rank(&query, sources))? {
            let has_tags = |memo: &Memo| search.tags.iter().all(|tag| memo.tags.contains(tag));
            ranked.extend(self.weigh(found)?.filter(|(_, memo)| has_tags(memo)));
        }
        ranked.sort_by(|(a, first), (b, second)| {
            b.score.total_cmp(&a.score).then_with(|| first.key.cmp(&second.key))
        });
        let total = u64::try_from(ranked.len()).unwrap_or(u64::MAX);
        let mut room = search.room;
        let mut found = Vec::new();
        for (_, mut memo) in ranked.into_iter().take(search.most) {
            let size = usize::try_from(memo.size).unwrap_or(usize::MAX);
            memo.value = match room.checked_sub(size) {
                Some(left) => {
                    room = left;
                    self.get(&memo.key)?.and_then(|memo| memo.value)
                }
                None => None,
            };
            found.push(memo);
        }
        Ok((found, total))
    }

    fn tagged(&self, search: &Search) -> Result<(Vec<Memo>, u64), StoreError> {
        let Search { tags, most, room, .. } = search;
        let (mut found, mut total) = self.store.tagged(&self.owner, tags, *most, *room)?;
        for state in self.staged.iter() {
            let before = found.len();
            found.retain(|memo| memo.key != state.key);
            total = total.saturating_sub(u64::try_from(before - found.len()).unwrap_or(u64::MAX));
            let has_tags = |memo: &Memo| tags.iter().all(|tag| memo.tags.contains(tag));
            if let Some(memo) = self.staged(state)?.filter(has_tags) {
                found.insert(0, memo);
                total += 1;
            }
        }
        found.truncate(*most);
        Ok((found, total))
    }

    /// Notes that entries are used now. A view of staged changes notes nothing.
    pub fn note_use(&self, memos: &[Memo]) {
        let now = now();
        let is_due = |memo: &&Memo| now.saturating_sub(memo.used) > WRITTEN_AFTER;
        let due: Vec<&str> = memos.iter().filter(is_due).map(|memo| memo.key.as_str()).collect();
        if due.is_empty() || !self.staged.is_empty() {
            return;
        }
        let noted = self.store.transact(&mut |db| {
            due.iter().try_for_each(|key| Ok(db.note_use(&self.owner, key, now)?))
        });
        // What was asked for is there all the same.
        if let Err(error) = noted {
            tracing::warn!(%error, "a use of the memory cannot be noted");
        }
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
