//! What the memory keeps, and how much of it.

use crate::domain::EntryEnding;
use crate::json;
use crate::state::error::Error as StoreError;
use crate::text::{is_hidden, quote_one};

/// Characters of a key.
pub const LONGEST_KEY: usize = 256;

/// Characters of a tag.
pub const LONGEST_TAG: usize = 64;

/// Tags of a key.
pub const MOST_TAGS: usize = 16;

/// How much the memory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Keys.
    pub keys: u64,
    /// Bytes of all values together.
    pub bytes: u64,
}

/// Why something is not kept, or not looked for.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is nothing to be seen of it.
    #[error("the {0} is blank")]
    Blank(&'static str),
    /// It is too long.
    #[error("the {what} has {length} characters, more than {most}")]
    Long {
        /// A key or a tag.
        what: &'static str,
        /// How many it has.
        length: usize,
        /// How many it may have.
        most: usize,
    },
    /// It holds a character that cannot be seen.
    #[error("the {what} holds the invisible character U+{code:04X} at position {index}")]
    Hidden {
        /// A key or a tag.
        what: &'static str,
        /// The character's code point.
        code: u32,
        /// How many characters precede it.
        index: usize,
    },
    /// There are too many tags.
    #[error("there are {0} tags, more than {MOST_TAGS}")]
    Tags(usize),
    /// There are as many keys as are kept.
    #[error("the memory is full: it holds {used} keys")]
    Keys {
        /// How many there are.
        used: u64,
        /// How many there may be.
        most: u64,
    },
    /// There is no room for the value.
    #[error("the memory is full: its values would have {used} bytes")]
    Bytes {
        /// How many they would have.
        used: u64,
        /// How many they may have.
        most: u64,
    },
    /// The key has another value or other tags, and may not be changed.
    #[error("{} is in the memory already, with another value or other tags", quote_one(.0))]
    Present(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A value to be kept under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub(in crate::state) key: String,
    pub(in crate::state) value: String,
    pub(in crate::state) tags: Option<Vec<String>>,
}

impl Note {
    /// A value, which is JSON text; no tags: those that the key has already.
    pub fn new(key: String, value: &str, tags: Option<Vec<String>>) -> Result<Self, Error> {
        ensure_plain("key", &key, LONGEST_KEY)?;
        let tags = tags.map(sort).transpose()?;
        Ok(Self { key, value: json::compact(value), tags })
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// What is kept under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memo {
    /// The key.
    pub key: String,
    /// Its tags, in order.
    pub tags: Vec<String>,
    /// When the key was first stored, in milliseconds since 1970.
    pub created: i64,
    /// When its value or its tags changed last.
    pub updated: i64,
    /// Characters of the value.
    pub size: u64,
    /// The value as JSON text; None: it was not asked for, or there was no room.
    pub value: Option<String>,
}

/// What came of storing or forgetting something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// `Stored`, `Changed`, `Unchanged` or `Forgotten`.
    pub status: EntryEnding,
    /// The value that was there before and is no more.
    pub previous: Option<String>,
    /// What is there now.
    pub memo: Option<Memo>,
}

/// What is looked for: words in keys, tags and values, all of these tags, or both. Without words
/// the latest come first, with words those that fit best.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Any words.
    pub words: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// The most that are given.
    pub most: usize,
    /// Characters of values that are given in all.
    pub room: usize,
}

/// Refuses a value that there is no room for, beside so many keys and bytes; `old` is what it
/// takes the place of.
pub(in crate::state) fn ensure_room(
    most: Capacity,
    (keys, bytes): (u64, u64),
    old: Option<&str>,
    new: &str,
) -> Result<(), Error> {
    if old.is_none() && keys >= most.keys {
        return Err(Error::Keys { used: keys, most: most.keys });
    }
    let freed = old.map_or(0, |old| count(old.len()));
    let used = bytes.saturating_sub(freed).saturating_add(count(new.len()));
    // What makes the memory smaller is welcome even where it is too large.
    if used > most.bytes && count(new.len()) > freed {
        return Err(Error::Bytes { used, most: most.bytes });
    }
    Ok(())
}

/// Tags in order, none twice.
fn sort(mut tags: Vec<String>) -> Result<Vec<String>, Error> {
    tags.sort_unstable();
    tags.dedup();
    if tags.len() > MOST_TAGS {
        return Err(Error::Tags(tags.len()));
    }
    tags.iter().try_for_each(|tag| ensure_plain("tag", tag, LONGEST_TAG))?;
    Ok(tags)
}

fn ensure_plain(what: &'static str, text: &str, most: usize) -> Result<(), Error> {
    if text.chars().all(char::is_whitespace) {
        return Err(Error::Blank(what));
    }
    let length = text.chars().count();
    if length > most {
        return Err(Error::Long { what, length, most });
    }
    match text.chars().enumerate().find(|(_, c)| is_hidden(*c)) {
        Some((index, c)) => Err(Error::Hidden { what, code: u32::from(c), index }),
        None => Ok(()),
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Capacity = Capacity { keys: 2, bytes: 10 };

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
