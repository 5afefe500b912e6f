//! The hash chain: each entry's hash covers the entry and the previous hash. A changed, added or
//! removed entry in the middle breaks the chain.

use super::entry::{Entry, Link};
use super::error::Error;

/// The ends of a verified chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// The last entry that was removed to keep the journal small.
    pub anchor: Link,
    /// The last entry.
    pub head: Link,
}

impl Verified {
    /// The number of verified entries.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.head.id - self.anchor.id
    }
}

/// Verifies a chain entry by entry, from its anchor.
#[derive(Debug)]
pub struct Walk {
    anchor: Link,
    head: Link,
}

impl Walk {
    /// Starts at the anchor.
    #[must_use]
    pub fn new(anchor: Link) -> Self {
        Self { anchor, head: anchor }
    }

    /// The number of the next entry.
    #[must_use]
    pub fn next(&self) -> i64 {
        self.head.id + 1
    }

    /// Verifies an entry. It must be the next one and unchanged.
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

    /// The ends of the verified part.
    #[must_use]
    pub fn verified(self) -> Verified {
        Verified { anchor: self.anchor, head: self.head }
    }
}

/// The `ends` up to which entries must be removed; None if the journal has at most `most` bytes.
/// About seven eighths of `most` remain, so that the next removal is not due soon. `ends` is that
/// of the last entry.
pub(crate) fn surplus(anchor: Link, ends: i64, most: u64) -> Option<i64> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    (ends - anchor.ends > most).then(|| ends - most / 8 * 7)
}
