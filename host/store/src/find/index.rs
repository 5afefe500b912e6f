//! What a store offers for searches by words.

use std::fmt::Debug;

use super::document::Kind;
use crate::error::Error;

/// The documents of a kind and an owner. Tools belong to nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shelf<'a> {
    /// The kind.
    pub kind: Kind,
    /// The owner.
    pub owner: &'a str,
}

/// A document that has a word.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The name of the document on its shelf.
    pub place: String,
    /// How much the document is about the word: the part of BM25 that counts its occurrences, those in a
    /// name three times and those in a description twice, against the length of the document. It lies
    /// between 0 and 2.2.
    pub frequency: f64,
}

/// Documents by words. A word finds its inflected forms, whatever its case and its accents.
pub trait Index: Debug {
    /// The number of documents on a shelf.
    fn size(&self, shelf: Shelf<'_>) -> Result<u64, Error>;
    /// The documents on a shelf that have a word.
    fn hits(&self, shelf: Shelf<'_>, word: &str) -> Result<Vec<Hit>, Error>;
    /// Words of documents, on whichever shelf, that begin with this one: the most frequent first, of
    /// equal ones in alphabetical order.
    fn beginning_with(&self, word: &str, most: usize) -> Result<Vec<String>, Error>;
    /// Words of documents, on whichever shelf, that differ from this one by one typo.
    fn typos_of(&self, word: &str, most: usize) -> Result<Vec<String>, Error>;
}
