//! An index in memory, for what no store has and for stores without a search of their own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::find;
use crate::error::Error;
use crate::find::{Collection, Document, Hit, Index};

/// An index in memory.
#[derive(Debug)]
pub struct Transient(Mutex<Connection>);

impl Transient {
    /// An empty index.
    pub fn new() -> Result<Self, Error> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(find::TABLES)?;
        Ok(Self(Mutex::new(db)))
    }

    /// Puts documents on a shelf, each in place of the one with its name.
    pub fn put(&self, shelf: Collection<'_>, documents: &[Document]) -> Result<(), Error> {
        let mut db = self.db();
        let transaction = db.transaction()?;
        documents.iter().try_for_each(|it| find::put(&transaction, shelf, it))?;
        Ok(transaction.commit()?)
    }

    fn db(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Index for Transient {
    fn size(&self, shelf: Collection<'_>) -> Result<u64, Error> {
        Ok(find::size(&self.db(), shelf)?)
    }

    fn hits(&self, shelf: Collection<'_>, word: &str) -> Result<Vec<Hit>, Error> {
        Ok(find::hits(&self.db(), shelf, word)?)
    }

    fn beginning_with(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        Ok(find::beginning_with(&self.db(), word, most)?)
    }

    fn typos_of(&self, word: &str, most: usize) -> Result<Vec<String>, Error> {
        Ok(find::near(&self.db(), word, most)?)
    }
}
