//! What a store offers for searches by words.

use std::fmt::Debug;

use super::document::Kind;
use crate::error::Error;

/// The documents of a kind and an owner. Tools belong to nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collection<'a> {
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

/// A document of which nobody knows what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmeant {
    /// Its name on its shelf.
    pub place: String,
    /// The hash of its texts.
    pub hash: String,
}

/// What a document means: the direction of a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// Its name on its shelf.
    pub place: String,
    /// The numbers of the model.
    pub numbers: Vec<f32>,
}

/// Documents by words. A word finds its inflected forms, whatever its case and its accents.
pub trait Index: Debug {
    /// The number of documents on a shelf.
    fn size(&self, shelf: Collection<'_>) -> Result<u64, Error>;
    /// The documents on a shelf that have a word.
    fn hits(&self, shelf: Collection<'_>, word: &str) -> Result<Vec<Hit>, Error>;
    /// Words of documents, on whichever shelf, that begin with this one: the most frequent first, of
    /// equal ones in alphabetical order.
    fn beginning_with(&self, word: &str, most: usize) -> Result<Vec<String>, Error>;
    /// Words of documents, on whichever shelf, that differ from this one by one typo.
    fn typos_of(&self, word: &str, most: usize) -> Result<Vec<String>, Error>;

    /// Documents on a shelf of which nobody knows what they mean to a model, which gives so many numbers.
    /// An index that keeps no meanings has none.
    fn unmeant(
        &self,
        _shelf: Collection<'_>,
        _model: (&str, usize),
        _most: usize,
    ) -> Result<Vec<Unmeant>, Error> {
        Ok(Vec::new())
    }
    /// Keeps what a document means to a model, unless it has changed since.
    fn keep_meaning(
        &self,
        _shelf: Collection<'_>,
        _document: &Unmeant,
        _model: &str,
        _numbers: &[f32],
    ) -> Result<(), Error> {
        Ok(())
    }
    /// What the documents on a shelf mean to a model, as far as it is known.
    fn meanings(&self, _shelf: Collection<'_>, _model: &str) -> Result<Vec<Embedding>, Error> {
        Ok(Vec::new())
    }
}
