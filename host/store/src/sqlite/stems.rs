//! The words of texts as the index of SQLite has them, for indexes elsewhere: so each finds and weighs alike.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, params};

use super::find;
use crate::error::Error;
use crate::find::Document;

/// A stem in a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stem {
    /// The stem.
    pub term: String,
    /// The field that it stands in: 0 the name, 1 what the document is said to be, 2 its content.
    pub field: usize,
    /// How many stems of the field stand before it.
    pub offset: i64,
}

/// Cuts texts into words, and words to their stems.
#[derive(Debug)]
pub struct Stemmer(Mutex<Connection>);

impl Stemmer {
    /// A stemmer.
    pub fn new() -> Result<Self, Error> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(find::TABLES)?;
        db.execute_batch("CREATE VIRTUAL TABLE stem USING fts5vocab (document_text, instance)")?;
        Ok(Self(Mutex::new(db)))
    }

    /// The stems of a document in the order of fields and offsets, and its words as they are, each once.
    pub fn cut(&self, document: &Document) -> Result<(Vec<Stem>, Vec<String>), Error> {
        let db = self.db();
        let transaction = db.unchecked_transaction()?;
        let Document { name, about, body, .. } = document;
        transaction
            .prepare_cached(
                "INSERT INTO document_text (rowid, name, about, body) VALUES (1, ?1, ?2, ?3)",
            )?
            .execute([name, about, body])?;
        transaction
            .prepare_cached("INSERT INTO document_word (rowid, words) VALUES (1, ?1)")?
            .execute(params![format!("{name} {about} {body}")])?;
        let stems = stems(&transaction)?;
        let words = transaction
            .prepare_cached("SELECT term FROM document_vocabulary ORDER BY term")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        transaction.rollback()?;
        Ok((stems, words))
    }

    /// The stems of a word; several, where it has characters that the index takes for gaps.
    pub fn stems_of(&self, word: &str) -> Result<Vec<String>, Error> {
        let document = Document { name: word.to_owned(), ..Document::default() };
        Ok(self.cut(&document)?.0.into_iter().map(|stem| stem.term).collect())
    }

    fn db(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stems(db: &Connection) -> rusqlite::Result<Vec<Stem>> {
    let stem = |row: &rusqlite::Row<'_>| {
        let field: String = row.get(1)?;
        let field = ["name", "about", "body"].iter().position(|it| *it == field);
        Ok(Stem { term: row.get(0)?, field: field.unwrap_or_default(), offset: row.get(2)? })
    };
    let mut stems: Vec<Stem> = db
        .prepare_cached("SELECT term, col, offset FROM stem")?
        .query_map([], stem)?
        .collect::<Result<_, _>>()?;
    stems.sort_by(|a, b| (a.field, a.offset, &a.term).cmp(&(b.field, b.offset, &b.term)));
    Ok(stems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_to_stems() -> Result<(), Error> {
        let stemmer = Stemmer::new()?;
        let document = Document {
            name: "Sorted lists".to_owned(),
            body: "Übers listing".to_owned(),
            ..Document::default()
        };
        for _ in 0..2 {
            let (stems, words) = stemmer.cut(&document)?;
            let stems: Vec<_> =
                stems.iter().map(|it| (it.term.as_str(), it.field, it.offset)).collect();
            assert_eq!(stems, [("sort", 0, 0), ("list", 0, 1), ("uber", 2, 0), ("list", 2, 1)]);
            assert_eq!(words, ["listing", "lists", "sorted", "ubers"]);
        }
        assert_eq!(stemmer.stems_of("sorts\u{2013}list")?, ["sort", "list"]);
        Ok(())
    }
}
