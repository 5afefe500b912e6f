//! The statements for checkpoints.

use rusqlite::{Connection, OptionalExtension, params};

use super::Sqlite;
use super::connections::Durability;
use crate::checkpoints::{Checkpoints, Head, Position};
use crate::journal::{Hash, ONLY_CHAIN};
use crate::{Error, Wait};

impl Checkpoints for Sqlite {
    fn identity(&self) -> Result<String, Error> {
        self.read(|db| Ok(db.query_row("SELECT id FROM identity", [], |row| row.get(0))?))
    }

    fn heads(&self) -> Result<Vec<Head>, Error> {
        self.read(|db| Ok(heads(db)?))
    }

    fn position(&self, chain: i64, id: i64) -> Result<Position, Error> {
        self.read(|db| Ok(position(db, chain, id)?))
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

fn heads(db: &Connection) -> rusqlite::Result<Vec<Head>> {
    let mut anchors = db.prepare_cached("SELECT chain, id FROM anchor ORDER BY chain")?;
    let anchors = anchors.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut heads = Vec::new();
    for anchor in anchors {
        let (chain, removed) = anchor?;
        let id = last_of(db, chain)?.unwrap_or(removed);
        heads.extend(known(db, chain, id)?);
    }
    Ok(heads)
}

/// The last entry of a chain that is there. Other chains are those of a store that was copied from a database,
/// and have an index; the only chain stands before all of them.
fn last_of(db: &Connection, chain: i64) -> rusqlite::Result<Option<i64>> {
    let sql = if chain == ONLY_CHAIN {
        "SELECT id FROM entry WHERE chain = ?1 AND id < coalesce((SELECT min(first) FROM
            (SELECT (SELECT e.id FROM entry e WHERE e.chain = a.chain AND e.chain <> 0 ORDER BY e.id LIMIT 1)
                AS first FROM anchor a WHERE a.chain <> 0)), 9223372036854775807)
            ORDER BY id DESC LIMIT 1"
    } else {
        "SELECT id FROM entry WHERE chain = ?1 AND chain <> 0 ORDER BY id DESC LIMIT 1"
    };
    db.prepare_cached(sql)?.query_row([chain], |row| row.get(0)).optional()
}

fn position(db: &Connection, chain: i64, id: i64) -> rusqlite::Result<Position> {
    if let Some(head) = known(db, chain, id)? {
        return Ok(Position::Known(head));
    }
    let removed = db
        .prepare_cached("SELECT id FROM anchor WHERE chain = ?1 AND id > ?2")?
        .query_row([chain, id], |row| row.get(0))
        .optional()?;
    Ok(removed.map_or(Position::Missing, Position::Removed))
}

/// An entry of a chain that is there, or is the last one that was removed.
fn known(db: &Connection, chain: i64, id: i64) -> rusqlite::Result<Option<Head>> {
    let hash = db
        .prepare_cached(
            "SELECT hash FROM entry WHERE id = ?2 AND chain = ?1
                UNION ALL SELECT hash FROM anchor WHERE chain = ?1 AND id = ?2 AND id > 0",
        )?
        .query_row([chain, id], |row| row.get(0))
        .optional()?;
    let Some(hash) = hash else { return Ok(None) };
    let entries = if chain == ONLY_CHAIN {
        // Its numbers have no gaps.
        id
    } else {
        let sql = "SELECT a.entries + (SELECT count(*) FROM entry WHERE chain = ?1 AND chain <> 0 AND id <= ?2)
            FROM anchor a WHERE a.chain = ?1";
        db.prepare_cached(sql)?.query_row([chain, id], |row| row.get(0))?
    };
    Ok(Some(Head { chain, id, hash: Hash(hash), entries }))
}

fn last(db: &Connection) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT note FROM checkpoint ORDER BY id DESC LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()
}
