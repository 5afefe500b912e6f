//! The statements for checkpoints.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Sqlite;
use super::connections::Durability;
use crate::checkpoints::{Checkpoints, Leaf};
use crate::journal::Hash;
use crate::{Error, Wait};

impl Checkpoints for Sqlite {
    fn identity(&self) -> Result<String, Error> {
        self.read(|db| Ok(db.query_row("SELECT id FROM identity", [], |row| row.get(0))?))
    }

    fn chains(&self) -> Result<Vec<i64>, Error> {
        self.read(|db| Ok(chains(db)?))
    }

    fn leaves(&self, after: i64, take: &mut dyn FnMut(Leaf)) -> Result<(), Error> {
        self.read(|db| Ok(leaves(db, after, take)?))
    }

    fn last_checkpoint(&self) -> Result<Option<String>, Error> {
        self.read(|db| Ok(last(db)?))
    }

    fn keep_checkpoint(
        &self,
        note: &str,
        before: Option<&str>,
        most: usize,
    ) -> Result<bool, Error> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.write(Durability::Process, Wait::Patiently, |db| {
            if last(db)?.as_deref() != before {
                return Ok(false);
            }
            db.execute("INSERT INTO checkpoint (note) VALUES (?1)", [note])?;
            let last = db.last_insert_rowid();
            db.execute("DELETE FROM checkpoint WHERE id <= ?1 - ?2", params![last, most])?;
            Ok(true)
        })
    }

    /// All processes may: a checkpoint is kept only after the one that was read.
    fn makes_checkpoints(&self) -> Result<bool, Error> {
        Ok(true)
    }
}

fn chains(db: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut statement =
        db.prepare_cached("SELECT chain FROM entry UNION SELECT chain FROM removed ORDER BY 1")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

fn leaves(db: &Connection, after: i64, take: &mut dyn FnMut(Leaf)) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "SELECT chain, id, hash FROM removed WHERE id > ?1
            UNION ALL SELECT chain, id, hash FROM entry WHERE id > ?1 ORDER BY 1, 2",
    )?;
    let mut rows = statement.query([after])?;
    while let Some(row) = rows.next()? {
        take(leaf(row)?);
    }
    Ok(())
}

fn leaf(row: &Row<'_>) -> rusqlite::Result<Leaf> {
    Ok(Leaf { chain: row.get(0)?, id: row.get(1)?, hash: Hash(row.get(2)?) })
}

fn last(db: &Connection) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT note FROM checkpoint ORDER BY id DESC LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()
}
