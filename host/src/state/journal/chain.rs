//! The chain: each entry holds the hash of itself and of the entry before, so that nothing in the
//! middle can be changed, added or taken away unseen.

use super::entry::Entry;
use super::error::Error;
use super::hash::Link;

/// What a verification has found in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// The last entry that was removed to keep the journal small.
    pub anchor: Link,
    /// The last entry.
    pub head: Link,
}

impl Verified {
    /// Entries that were looked at.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.head.id - self.anchor.id
    }
}

/// Follows a chain from its anchor, entry by entry.
#[derive(Debug)]
pub struct Walk {
    anchor: Link,
    head: Link,
}

impl Walk {
    /// Stands at the anchor.
    #[must_use]
    pub fn new(anchor: Link) -> Self {
        Self { anchor, head: anchor }
    }

    /// The number of the entry that has to follow.
    #[must_use]
    pub fn next(&self) -> i64 {
        self.head.id + 1
    }

    /// Goes on to an entry, which has to be the next one and as it was written.
    pub fn step(&mut self, entry: &Entry) -> Result<(), Error> {
        let broken = |id, reason: &str| Error::Broken { id, reason: reason.to_owned() };
        if entry.id != self.next() {
            let reason = format!("it is missing: entry {} follows", entry.id);
            return Err(broken(self.next(), &reason));
        }
        if entry.link(self.head.hash) != entry.hash {
            return Err(broken(entry.id, "it is not as it was written"));
        }
        self.head = Link { id: entry.id, ends: entry.ends, hash: entry.hash };
        Ok(())
    }

    /// What was found in order.
    #[must_use]
    pub fn verified(self) -> Verified {
        Verified { anchor: self.anchor, head: self.head }
    }
}

/// Up to where entries have to go once there is more than `most` bytes of them: so many that it takes
/// a while until that is so again. `ends` is that of the last entry.
pub(in crate::state) fn surplus(anchor: Link, ends: i64, most: u64) -> Option<i64> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    (ends - anchor.ends > most).then(|| ends - most / 8 * 7)
}
