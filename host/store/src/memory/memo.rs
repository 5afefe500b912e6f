//! Entries of the memory, and their limits.

use pif_domain::EntryOutcome;
use pif_domain::text::quote_one;

use crate::error::Error as StoreError;
use crate::find::{Document, decoded};

/// The most characters of a key.
pub const LONGEST_KEY: usize = 256;

/// The most characters of a tag.
pub const LONGEST_TAG: usize = 64;

/// The most tags of a key.
pub const MOST_TAGS: usize = 16;

/// The capacity of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryCapacity {
    /// The most keys.
    pub keys: u64,
    /// The most bytes of all values together.
    pub bytes: u64,
}

/// The reason why a value is not kept, or why a search is refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text has no visible character.
    #[error("the {0} is blank")]
    Blank(&'static str),
    /// The text is too long.
    #[error("the {what} has {length} characters, more than {most}")]
    Long {
        /// A key or a tag.
        what: &'static str,
        /// The number of its characters.
        length: usize,
        /// The most characters that it may have.
        most: usize,
    },
    /// The text contains an invisible character.
    #[error("the {what} holds the invisible character U+{code:04X} at position {index}")]
    Hidden {
        /// A key or a tag.
        what: &'static str,
        /// The character's code point.
        code: u32,
        /// The number of characters before it.
        index: usize,
    },
    /// There are too many tags.
    #[error("there are {0} tags, more than {MOST_TAGS}")]
    Tags(usize),
    /// The memory has the maximal number of keys.
    #[error("the memory is full: it holds {used} keys")]
    Keys {
        /// The number of keys.
        used: u64,
        /// The most keys that it may have.
        most: u64,
    },
    /// The value does not fit into the memory.
    #[error("the memory is full: its values would have {used} bytes")]
    Bytes {
        /// The bytes that all values would have.
        used: u64,
        /// The most bytes that they may have.
        most: u64,
    },
    /// The confidence is no share.
    #[error("the confidence {0} is not between 0 and 1")]
    Confidence(f64),
    /// There is no such key.
    #[error("the memory has no key {}", quote_one(.0))]
    Unknown(String),
    /// The key has another value or other tags and may not be replaced.
    #[error("{} is in the memory already, with another value or other tags", quote_one(.0))]
    Present(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An entry of the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Memo {
    /// The key.
    pub key: String,
    /// Its tags, in order.
    pub tags: Vec<String>,
    /// The time of the first write, in milliseconds since 1970.
    pub created: i64,
    /// The time of the last change of the value or the tags.
    pub updated: i64,
    /// Characters of the value.
    pub size: u64,
    /// The value as JSON text; None if it was not requested or did not fit.
    pub value: Option<String>,
    /// The situation in which it helps, in words; empty if none was given.
    pub context: String,
    /// How sure its author was, from 0 to 1.
    pub given: f64,
    /// How often it helped since.
    pub successes: u64,
    /// How often it was tried since.
    pub tries: u64,
    /// The time of its last use, in milliseconds since 1970.
    pub used: i64,
}

/// What the author's confidence weighs against outcomes: two tries.
const WEIGHT: f64 = 2.0;

/// The days without use after which an entry counts half.
const HALF_LIFE: f64 = 90.0;

/// The milliseconds of a day.
const DAY: f64 = 86_400_000.0;

impl Memo {
    /// How likely it is to help: (2 · given + successes) ÷ (2 + tries).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nobody tries 2^52 times")]
    pub fn confidence(&self) -> f64 {
        (WEIGHT * self.given + self.successes as f64) / (WEIGHT + self.tries as f64)
    }

    /// How much it counts at a time: half after 90 days without use.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "there are less than 2^52 milliseconds")]
    pub fn freshness(&self, now: i64) -> f64 {
        let unused = now.saturating_sub(self.used).max(0) as f64;
        0.5_f64.powf(unused / DAY / HALF_LIFE)
    }

    /// The entry after a try at a time.
    #[must_use]
    pub(crate) fn tried(&self, helped: bool, now: i64) -> Self {
        let successes = self.successes.saturating_add(u64::from(helped));
        let (tries, used) = (self.tries.saturating_add(1), now);
        Self { successes, tries, used, ..self.clone() }
    }

    /// What searches know of it.
    #[must_use]
    pub fn document(&self) -> Document {
        let name = format!("{} {}", self.key, self.tags.join(" "));
        let value = decoded(self.value.as_deref().unwrap_or_default());
        Document::new(&self.key, &name, &self.context, &value)
    }
}

/// The result of a change of the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryChange {
    /// `Stored`, `Changed`, `Unchanged` or `Forgotten`.
    pub status: EntryOutcome,
    /// Whether it counted as a try, and the value stayed.
    pub counted: bool,
    /// The previous value, if it was replaced or forgotten.
    pub previous: Option<String>,
    /// The current entry.
    pub memo: Option<Memo>,
}

/// Refuses a value that exceeds the capacity. `keys` and `bytes` are the current sums; `old` is the
/// replaced value.
pub(crate) fn ensure_room(
    most: MemoryCapacity,
    (keys, bytes): (u64, u64),
    old: Option<&str>,
    new: &str,
) -> Result<(), Error> {
    if old.is_none() && keys >= most.keys {
        return Err(Error::Keys { used: keys, most: most.keys });
    }
    let freed = old.map_or(0, |old| count(old.len()));
    let used = bytes.saturating_sub(freed).saturating_add(count(new.len()));
    // A smaller value is accepted even if the memory is over its capacity.
    if used > most.bytes && count(new.len()) > freed {
        return Err(Error::Bytes { used, most: most.bytes });
    }
    Ok(())
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: MemoryCapacity = MemoryCapacity { keys: 2, bytes: 10 };

    #[test]
    fn outcomes_move_confidence_and_time_moves_freshness() {
        let memo = Memo {
            key: String::new(),
            tags: Vec::new(),
            created: 0,
            updated: 0,
            size: 0,
            value: None,
            context: String::new(),
            given: 0.8,
            successes: 0,
            tries: 0,
            used: 0,
        };
        let is = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(is(memo.confidence(), 0.8));
        assert!(is(memo.tried(true, 5).confidence(), 2.6 / 3.0));
        assert!(is(memo.tried(true, 5).tried(false, 7).confidence(), 2.6 / 4.0));
        let days = |count: i64| count * 86_400_000;
        assert!(is(memo.freshness(0), 1.0) && is(memo.freshness(days(90)), 0.5));
        assert!(is(memo.freshness(days(180)), 0.25) && is(memo.freshness(-5), 1.0));
        assert!(is(memo.tried(false, days(90)).freshness(days(90)), 1.0));
    }

    #[test]
    fn holds_so_many_keys() {
        let full = ensure_room(MOST, (2, 3), None, "1");
        assert!(matches!(full, Err(Error::Keys { used: 2, most: 2 })));
        assert!(ensure_room(MOST, (2, 3), Some("1"), "2").is_ok());
        assert!(ensure_room(MOST, (1, 3), None, "1").is_ok());
    }

    #[test]
    fn holds_so_many_bytes() {
        assert!(ensure_room(MOST, (1, 9), None, "1").is_ok());
        let full = ensure_room(MOST, (1, 10), None, "1");
        assert!(matches!(full, Err(Error::Bytes { used: 11, most: 10 })));
        assert!(ensure_room(MOST, (2, 10), Some("12345"), "123456").is_err());
        assert!(ensure_room(MOST, (2, 10), Some("12345"), "54321").is_ok());
        assert!(ensure_room(MOST, (2, 19), Some("12345"), "1").is_ok());
    }
}
