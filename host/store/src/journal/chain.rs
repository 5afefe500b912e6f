//! The hash chains: each entry's hash covers the entry and the hash of the one before it in its chain. A changed,
//! added or removed entry in the middle breaks the chain.

use std::collections::BTreeMap;

use super::entry::{Entry, Link, ONLY_CHAIN};
use super::error::Error;

/// What was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainEnds {
    /// The last entry that was removed, of the chain with the last entry.
    pub anchor: Link,
    /// The last entry.
    pub head: Link,
    /// The number of verified entries, of all chains.
    pub entries: i64,
    /// The number of chains.
    pub chains: usize,
}

impl ChainEnds {
    /// The number of verified entries.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.entries
    }
}

/// Verifies chains entry by entry, from their anchors.
#[derive(Debug)]
pub struct Walk {
    /// The anchor of each chain, and its last entry so far.
    chains: BTreeMap<i64, (Link, Link)>,
    last: Link,
    entries: i64,
}

impl Walk {
    /// Starts at the anchors of all chains.
    #[must_use]
    pub fn new(anchors: impl IntoIterator<Item = Link>) -> Self {
        let chains: BTreeMap<i64, (Link, Link)> =
            anchors.into_iter().map(|anchor| (anchor.chain, (anchor, anchor))).collect();
        let last = chains.values().map(|(anchor, _)| *anchor).max_by_key(|anchor| anchor.id);
        Self { chains, last: last.unwrap_or(Link::start(ONLY_CHAIN)), entries: 0 }
    }

    /// The least number that the next entry may have.
    #[must_use]
    pub fn next(&self) -> i64 {
        self.last.id + 1
    }

    /// Verifies an entry. It must be the next one of its chain and unchanged. Entries come in the order of
    /// their numbers.
    pub fn step(&mut self, entry: &Entry) -> Result<(), Error> {
        let broken = |id, reason: &str| Error::Broken { id, reason: reason.to_owned() };
        let start = Link::start(entry.chain);
        let (_, head) = self.chains.entry(entry.chain).or_insert((start, start));
        let next = head.id + 1;
        if entry.id < next || (entry.chain == ONLY_CHAIN && entry.id != next) {
            let reason = format!("it is missing: entry {} follows", entry.id);
            return Err(broken(next, &reason));
        }
        if entry.link(head.hash) != entry.hash {
            return Err(broken(entry.id, "it is not as it was written"));
        }
        *head = Link::after(entry);
        (self.last, self.entries) = (*head, self.entries + 1);
        Ok(())
    }

    /// Verifies that a chain ends where its store says.
    pub fn end(&self, head: Link) -> Result<(), Error> {
        let found = self.chains.get(&head.chain).map_or(Link::start(head.chain), |(_, head)| *head);
        if found == head {
            return Ok(());
        }
        let reason = format!("chain {} ends at entry {}, not there", head.chain, found.id);
        Err(Error::Broken { id: head.id, reason })
    }

    /// What was verified.
    #[must_use]
    pub fn verified(self) -> ChainEnds {
        let (chains, entries) = (self.chains.len(), self.entries);
        let last = self.chains.get(&self.last.chain);
        let (anchor, head) = last.copied().unwrap_or((self.last, self.last));
        ChainEnds { anchor, head, entries, chains }
    }
}

/// The `ends` up to which entries must be removed; None if the journal has at most `most` bytes.
/// About seven eighths of `most` remain, so that the next removal is not due soon. `ends` is that
/// of the last entry.
pub(crate) fn surplus(anchor: Link, ends: i64, most: u64) -> Option<i64> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    (ends - anchor.ends > most).then(|| ends - most / 8 * 7)
}
