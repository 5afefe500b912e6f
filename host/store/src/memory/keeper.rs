//! The memory of an owner, with the changes that are staged.

use std::sync::Arc;

use pif_domain::text::similar::similar;
use pif_domain::text::time::now;

use super::memo::Memo;
use super::note::DEFAULT_CONFIDENCE;
use crate::error::Error as StoreError;
use crate::find::{Collection, Kind, Query, SearchHit, Source, rank};
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

    /// Whether something of a key is staged.
    fn is_staged(&self, key: &str) -> bool {
        self.staged.iter().any(|state| state.key == key)
    }

    /// The keys of which something is staged, each once.
    fn staged_keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        for state in self.staged.iter() {
            if !keys.contains(&state.key.as_str()) {
                keys.push(&state.key);
            }
        }
        keys
    }

    /// The entry of a key after all that is staged of it; None: there is none then.
    fn staged(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        let mut memo = self.store.memo(&self.owner, key)?;
        for state in self.staged.iter().filter(|state| state.key == key) {
            memo = after(memo, state);
        }
        Ok(memo)
    }

    /// The entry of a key, with its value.
    pub fn get(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        if self.is_staged(key) { self.staged(key) } else { self.store.memo(&self.owner, key) }
    }

    /// The entry of a key, perhaps without its value.
    pub fn brief(&self, key: &str) -> Result<Option<Memo>, StoreError> {
        if self.is_staged(key) {
            return self.staged(key);
        }
        self.store.memo_without_value(&self.owner, key)
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
        let shelf = Collection { kind: Kind::Memory, owner: &self.owner };
        let hidden: Vec<String> = self.staged_keys().into_iter().map(str::to_owned).collect();
        let kept = Source { index: &*self.store, shelf, hidden: &hidden };
        if self.staged.is_empty() {
            return search(&[kept]);
        }
        let mut documents = Vec::new();
        for key in self.staged_keys() {
            documents.extend(self.staged(key)?.map(|memo| memo.document()));
        }
        let shown = Transient::new()?;
        shown.put(shelf, &documents)?;
        search(&[kept, Source { index: &shown, shelf, hidden: &[] }])
    }

    /// What a search by words finds is worth more the surer it is and the later it was used.
    pub fn weigh(&self, found: SearchHit) -> Result<Option<(SearchHit, Memo)>, StoreError> {
        let now = now();
        let Some(memo) = self.brief(&found.place)? else { return Ok(None) };
        let score = found.score * memo.confidence() * memo.freshness(now);
        Ok(Some((SearchHit { score, ..found }, memo)))
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
        for key in self.staged_keys() {
            let before = found.len();
            found.retain(|memo| memo.key != key);
            total = total.saturating_sub(u64::try_from(before - found.len()).unwrap_or(u64::MAX));
            let has_tags = |memo: &Memo| tags.iter().all(|tag| memo.tags.contains(tag));
            if let Some(memo) = self.staged(key)?.filter(has_tags) {
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

/// What a staged state makes of an entry.
fn after(memo: Option<Memo>, state: &MemoState) -> Option<Memo> {
    let now = now();
    if let Some(helped) = state.outcome {
        return memo.map(|memo| memo.tried(helped, now));
    }
    let value = state.value.as_ref()?;
    let known = memo.as_ref();
    // What was learned of another value says nothing of this one.
    let same = known.filter(|memo| memo.value.as_ref() == Some(value));
    let given = state.confidence.or(same.map(|memo| memo.given));
    let context = state.context.clone().or(known.map(|memo| memo.context.clone()));
    let tags = state.tags.clone().or(known.map(|memo| memo.tags.clone()));
    Some(Memo {
        key: state.key.clone(),
        tags: tags.unwrap_or_default(),
        created: known.map_or(now, |memo| memo.created),
        updated: now,
        size: u64::try_from(value.chars().count()).unwrap_or(u64::MAX),
        value: Some(value.clone()),
        context: context.unwrap_or_default(),
        given: given.unwrap_or(DEFAULT_CONFIDENCE),
        successes: same.map_or(0, |memo| memo.successes),
        tries: same.map_or(0, |memo| memo.tries),
        used: now,
    })
}
