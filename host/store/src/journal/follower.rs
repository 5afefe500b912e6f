//! Entries as they come. Numbers are given before entries are committed, and several servers may write: an entry
//! may come after one with a greater number. The entries of one chain come in order.

use std::collections::BTreeMap;

use super::entry::Entry;
use super::filter::Filter;
use super::keeper::Journal;
use crate::checkpoints::Head;
use crate::error::Error;

/// A reader that gives each entry once, those of each chain in order.
#[derive(Debug, Clone, Default)]
pub struct Follower {
    /// The last entry of each chain that was read.
    seen: BTreeMap<i64, i64>,
}

impl Follower {
    /// One that begins after these entries.
    #[must_use]
    pub fn after(heads: &[Head]) -> Self {
        Self { seen: heads.iter().map(|head| (head.chain, head.id)).collect() }
    }

    /// Whether it has passed an entry.
    #[must_use]
    pub fn has_passed(&self, entry: &Entry) -> bool {
        self.seen.get(&entry.chain).is_some_and(|seen| entry.id <= *seen)
    }

    /// Gives entries that it has not given yet, of those that this filter lets through, by their numbers; about
    /// `most`. None: it has given all that were there.
    pub fn next(
        &mut self,
        journal: &Journal,
        filter: &Filter,
        most: usize,
    ) -> Result<Option<Vec<Entry>>, Error> {
        let heads = journal.store().heads()?;
        let news: Vec<&Head> =
            heads.iter().filter(|head| self.seen(head.chain) < head.id).collect();
        if news.is_empty() {
            return Ok(None);
        }
        let mut entries = Vec::new();
        // Of a chain with more than is read at once the rest comes later, and so does what has greater numbers.
        let mut last = i64::MAX;
        for head in &news {
            let filter = Filter {
                chain: Some(head.chain),
                after: Some(self.seen(head.chain)),
                before: Some(head.id.saturating_add(1)),
                ..filter.clone()
            };
            let page = journal.entries(&filter, false, most)?;
            if let Some(end) = page.last().filter(|_| page.len() == most) {
                last = last.min(end.id);
            }
            entries.extend(page);
        }
        entries.retain(|entry| entry.id <= last);
        entries.sort_unstable_by_key(|entry| entry.id);
        for head in news {
            let seen = self.seen.entry(head.chain).or_default();
            *seen = (*seen).max(head.id.min(last));
        }
        Ok(Some(entries))
    }

    fn seen(&self, chain: i64) -> i64 {
        self.seen.get(&chain).copied().unwrap_or_default()
    }
}
