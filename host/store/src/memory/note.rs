//! A value to keep, as it is asked for.

use pif_domain::json;
use pif_domain::text::is_hidden;

use serde::{Deserialize, Serialize};

use super::memo::{Error, LONGEST_KEY, LONGEST_TAG, MOST_TAGS};
use crate::journal::Digest;

/// The most characters of a context.
pub const LONGEST_CONTEXT: usize = 1_000;

/// How sure an author is who does not say it.
pub const DEFAULT_CONFIDENCE: f64 = 0.8;

/// The most words of a context in a key that is made, and the digits of the hash behind them.
const KEY_WORDS: usize = 4;
const KEY_DIGITS: usize = 8;

/// A value to keep under a key.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The key that it is kept under.
    pub key: String,
    /// The value as JSON text.
    pub value: String,
    /// Its tags. None: the key keeps those that it has.
    pub tags: Option<Vec<String>>,
    /// The situation in which it helps. None: the key keeps the one that it has.
    pub context: Option<String>,
    /// How sure the author is, from 0 to 1. None: as before, or [`DEFAULT_CONFIDENCE`].
    pub confidence: Option<f64>,
    /// Whether the key was made of context and value.
    pub is_made: bool,
    /// What came of it elsewhere, for a note of another store.
    pub outcomes: Option<Outcomes>,
}

/// How often an entry was tried, and helped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcomes {
    /// How often it helped.
    pub successes: u64,
    /// How often it was tried.
    pub tries: u64,
}

impl Outcomes {
    /// Whether it was never tried.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Note {
    /// A note of a value, as JSON text. Without `tags` the key keeps its current tags.
    pub fn new(key: String, value: &str, tags: Option<Vec<String>>) -> Result<Self, Error> {
        ensure_plain("key", &key, LONGEST_KEY)?;
        let (tags, value) = (tags.map(sort).transpose()?, json::compact(value));
        let (context, confidence, outcomes) = (None, None, None);
        Ok(Self { key, value, tags, context, confidence, is_made: false, outcomes })
    }

    /// A note under a key that is made of context and value: equal ones have equal keys.
    pub fn keyless(
        value: &str,
        tags: Option<Vec<String>>,
        context: Option<&str>,
    ) -> Result<Self, Error> {
        let context = context.unwrap_or_default();
        let hash = Digest::of(&format!("{context}\0{}", json::compact(value))).sha256;
        let words = context.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
        let mut name: Vec<String> = words
            .take(KEY_WORDS)
            .map(|it| it.chars().take(24).collect::<String>().to_lowercase())
            .collect();
        if name.is_empty() {
            name.push("note".to_owned());
        }
        let digits = hash.get(..KEY_DIGITS).unwrap_or_default();
        let note = Self::new(format!("{}/{digits}", name.join("-")), value, tags)?;
        Ok(Self { is_made: true, ..note })
    }

    /// The note with a context and the author's confidence.
    pub fn learned(self, context: Option<String>, confidence: Option<f64>) -> Result<Self, Error> {
        if let Some(context) = &context
            && !context.is_empty()
        {
            ensure_plain("context", context, LONGEST_CONTEXT)?;
        }
        match confidence {
            Some(share) if !(0.0..=1.0).contains(&share) => Err(Error::Confidence(share)),
            confidence => Ok(Self { context, confidence, ..self }),
        }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
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
