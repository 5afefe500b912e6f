//! The memory: what models want to know again later, as JSON under keys, with tags. Values are
//! text here and are given back as they were written. It knows neither the language nor MCP.

mod query;
mod words;

use std::sync::Arc;

use crate::domain::EntryEnding;
use crate::json;
use crate::similar::similar;
use crate::store::{self, Store, Transaction};
use crate::text::is_hidden;

/// Characters of a key.
pub const LONGEST_KEY: usize = 256;

/// Characters of a tag.
pub const LONGEST_TAG: usize = 64;

/// Tags of a key.
pub const MOST_TAGS: usize = 16;

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
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

/// A value to be kept under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    key: String,
    value: String,
    tags: Option<Vec<String>>,
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

/// The memory in a store.
#[derive(Debug)]
pub struct Memory {
    store: Arc<Store>,
    most_keys: u64,
    most_bytes: u64,
}

impl Memory {
    /// The memory in a store.
    #[must_use]
    pub fn new(store: Arc<Store>) -> Self {
        Self { store, most_keys: u64::MAX, most_bytes: u64::MAX }
    }

    /// Limits the memory to so many keys and so many bytes of values.
    #[must_use]
    pub fn within(self, most_keys: u64, most_bytes: u64) -> Self {
        Self { most_keys, most_bytes, ..self }
    }

    /// Keeps a value within a transaction; `now` is in milliseconds since 1970.
    pub fn keep(&self, db: &Transaction<'_>, note: &Note, now: i64) -> Result<Kept, Error> {
        let before = query::find(db, &note.key)?;
        let (id, old) = before.map_or((None, None), |(id, memo)| (Some(id), Some(memo)));
        let known = old.as_ref().map(|memo| memo.tags.clone());
        let tags = note.tags.clone().or(known).unwrap_or_default();
        let previous = old.as_ref().and_then(|memo| memo.value.clone());
        if let Some(old) = &old
            && old.tags == tags
            && previous.as_ref() == Some(&note.value)
        {
            let memo = Some(Memo { value: None, ..old.clone() });
            return Ok(Kept { status: EntryEnding::Unchanged, previous: None, memo });
        }
        self.ensure_room(db, previous.as_deref(), &note.value)?;
        // Clocks stand still for a while, and are set back: the order of changes must not depend
        // on that.
        let now = now.max(query::last_update(db)? + 1);
        let memo = Memo {
            key: note.key.clone(),
            tags,
            created: old.as_ref().map_or(now, |memo| memo.created),
            updated: now,
            size: count(note.value.chars().count()),
            value: Some(note.value.clone()),
        };
        query::put(db, id, &memo)?;
        let status = if old.is_some() { EntryEnding::Changed } else { EntryEnding::Stored };
        Ok(Kept { status, previous, memo: Some(Memo { value: None, ..memo }) })
    }

    /// Forgets a key within a transaction, if it is known.
    pub fn forget(&self, db: &Transaction<'_>, key: &str) -> Result<Kept, Error> {
        let Some((id, memo)) = query::find(db, key)? else {
            return Ok(Kept { status: EntryEnding::Unchanged, previous: None, memo: None });
        };
        query::remove(db, id)?;
        Ok(Kept { status: EntryEnding::Forgotten, previous: memo.value, memo: None })
    }

    fn ensure_room(&self, db: &Transaction<'_>, old: Option<&str>, new: &str) -> Result<(), Error> {
        let (keys, bytes) = query::sums(db)?;
        if old.is_none() && keys >= self.most_keys {
            return Err(Error::Keys { used: keys, most: self.most_keys });
        }
        let freed = old.map_or(0, |old| count(old.len()));
        let used = bytes.saturating_sub(freed).saturating_add(count(new.len()));
        // What makes the memory smaller is welcome even where it is too large.
        if used > self.most_bytes && count(new.len()) > freed {
            return Err(Error::Bytes { used, most: self.most_bytes });
        }
        Ok(())
    }

    /// What is kept under a key.
    pub fn get(&self, key: &str) -> Result<Option<Memo>, store::Error> {
        self.store.read(|db| Ok(query::find(db, key)?.map(|(_, memo)| memo)))
    }

    /// The key closest to one that is unknown.
    pub fn similar(&self, key: &str) -> Result<Option<String>, store::Error> {
        let keys = self.store.read(|db| Ok::<_, store::Error>(query::near(db, key)?))?;
        Ok(similar(key, keys.iter().map(String::as_str)).map(str::to_owned))
    }

    /// What a search finds, and how much there is in all. A search for words without a word in it
    /// finds nothing.
    pub fn search(&self, search: &Search) -> Result<(Vec<Memo>, u64), store::Error> {
        let words = match &search.words {
            None => None,
            Some(words) => match words::expression(words) {
                None => return Ok((Vec::new(), 0)),
                words => words,
            },
        };
        self.store.read(|db| Ok(query::search(db, words.as_deref(), search)?))
    }

    /// All that is kept, in the order in which it changed.
    pub fn all(&self) -> Result<Vec<Memo>, store::Error> {
        self.store.read(|db| Ok(query::all(db)?))
    }

    /// How many keys there are.
    pub fn count(&self) -> Result<u64, store::Error> {
        self.store.read(|db| Ok(query::sums(db)?.0))
    }
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
    use crate::store::{Durability, Place};

    fn memory(most_keys: u64, most_bytes: u64) -> Memory {
        let store = Store::open(&Place::Memory).expect("a store in memory");
        Memory { store: Arc::new(store), most_keys, most_bytes }
    }

    fn keep(memory: &Memory, key: &str, value: &str) -> Result<EntryEnding, Error> {
        let note = Note::new(key.to_owned(), value, None)?;
        memory.store.write(Durability::Process, |db| Ok(memory.keep(db, &note, 1)?.status))
    }

    fn forget(memory: &Memory, key: &str) -> Result<EntryEnding, Error> {
        memory.store.write(Durability::Process, |db| Ok(memory.forget(db, key)?.status))
    }

    #[test]
    fn holds_so_many_keys() -> Result<(), Error> {
        let memory = memory(2, u64::MAX);
        assert_eq!(
            (keep(&memory, "a", "1")?, keep(&memory, "b", "1")?),
            (EntryEnding::Stored, EntryEnding::Stored)
        );
        assert!(matches!(keep(&memory, "c", "1"), Err(Error::Keys { used: 2, most: 2 })));
        assert_eq!(
            (keep(&memory, "b", "2")?, forget(&memory, "a")?),
            (EntryEnding::Changed, EntryEnding::Forgotten)
        );
        assert_eq!((keep(&memory, "c", "1")?, memory.count()?), (EntryEnding::Stored, 2));
        Ok(())
    }

    #[test]
    fn holds_so_many_bytes() -> Result<(), Error> {
        let memory = memory(u64::MAX, 10);
        assert_eq!((keep(&memory, "a", "12345")?, keep(&memory, "b", "12345")?), {
            (EntryEnding::Stored, EntryEnding::Stored)
        });
        assert!(matches!(keep(&memory, "c", "1"), Err(Error::Bytes { used: 11, most: 10 })));
        assert!(matches!(keep(&memory, "a", "123456"), Err(Error::Bytes { used: 11, .. })));
        assert_eq!(
            (keep(&memory, "a", "1")?, keep(&memory, "c", "1234")?),
            (EntryEnding::Changed, EntryEnding::Stored)
        );
        assert_eq!(
            (forget(&memory, "a")?, forget(&memory, "a")?),
            (EntryEnding::Forgotten, EntryEnding::Unchanged)
        );
        let sums = memory.store.read(|db| Ok::<_, store::Error>(query::sums(db)?))?;
        assert_eq!(sums, (2, 9));
        Ok(())
    }

    #[test]
    fn finds_nothing_of_what_was_forgotten() -> Result<(), Error> {
        let memory = memory(u64::MAX, u64::MAX);
        let found = |words: &str| -> Result<u64, Error> {
            let search =
                Search { words: Some(words.to_owned()), most: 9, room: 9, ..Search::default() };
            Ok(memory.search(&search)?.1)
        };
        keep(&memory, "colour", "\"blue\"")?;
        assert_eq!((found("blue")?, found("colours")?, found("red")?), (1, 1, 0));
        keep(&memory, "colour", "\"red\"")?;
        assert_eq!((found("blue")?, found("red")?), (0, 1));
        forget(&memory, "colour")?;
        assert_eq!((found("red")?, found("colour")?), (0, 0));
        Ok(())
    }
}
