//! Entries of the memory, and their limits.

use pif_domain::EntryEnding;
use pif_domain::json;
use pif_domain::text::{is_hidden, quote_one};

use crate::error::Error as StoreError;

/// The most characters of a key.
pub const LONGEST_KEY: usize = 256;

/// The most characters of a tag.
pub const LONGEST_TAG: usize = 64;

/// The most tags of a key.
pub const MOST_TAGS: usize = 16;

/// The capacity of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
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
    /// The key has another value or other tags and may not be replaced.
    #[error("{} is in the memory already, with another value or other tags", quote_one(.0))]
    Present(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A value to keep under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The key that it is kept under.
    pub key: String,
    /// The value as JSON text.
    pub value: String,
    /// Its tags. None: the key keeps those that it has.
    pub tags: Option<Vec<String>>,
}

impl Note {
    /// A note of a value, as JSON text. Without `tags` the key keeps its current tags.
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

/// An entry of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

/// The result of a change of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// `Stored`, `Changed`, `Unchanged` or `Forgotten`.
    pub status: EntryEnding,
    /// The previous value, if it was replaced or forgotten.
    pub previous: Option<String>,
    /// The current entry.
    pub memo: Option<Memo>,
}

/// A search for any of the words in keys, tags and values, for all of the tags, or for both.
/// Without words the latest entries come first; with words the best matches do.
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

impl Search {
    /// Whether an entry, with its value, is what the search is for.
    #[must_use]
    pub fn finds(&self, memo: &Memo) -> bool {
        let has_tags = self.tags.iter().all(|tag| memo.tags.contains(tag));
        let Some(words) = &self.words else { return has_tags };
        let value = memo.value.as_deref().unwrap_or_default();
        let text = format!("{} {} {value}", memo.key, memo.tags.join(" ")).to_lowercase();
        let parts = text.split(|c: char| !c.is_alphanumeric());
        let words = words.to_lowercase();
        let mut wanted = words.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
        has_tags && wanted.any(|word| parts.clone().any(|part| part == word))
    }
}

/// Refuses a value that exceeds the capacity. `keys` and `bytes` are the current sums; `old` is the
/// replaced value.
pub(crate) fn ensure_room(
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
    // A smaller value is accepted even if the memory is over its capacity.
    if used > most.bytes && count(new.len()) > freed {
        return Err(Error::Bytes { used, most: most.bytes });
    }
    Ok(())
}

/// Sorts tags and removes duplicates.
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
