//! The rows of checkpoints.

use pif_store::{Error, Head, Position};
use tokio_postgres::Row;

use super::entries::hash;
use super::limit;
use crate::connection::{Columns as _, Connection};

pub(crate) fn identity(db: &Connection) -> Result<String, Error> {
    db.row("SELECT id FROM identity", &[])?.text(0)
}

pub(crate) fn heads(db: &Connection) -> Result<Vec<Head>, Error> {
    let sql = "SELECT chain, id, hash, entries FROM chain WHERE id > 0 ORDER BY chain";
    db.rows(sql, &[])?.iter().map(head).collect()
}

/// The entry must be there, or be the last one that was removed.
pub(crate) fn position(db: &Connection, chain: i64, id: i64) -> Result<Position, Error> {
    let known = db.row_if_any(
        "SELECT a.chain, k.id, k.hash,
            a.entries + (SELECT count(*) FROM entry WHERE chain = $1 AND id <= $2)
            FROM anchor a, (SELECT id, hash FROM entry WHERE chain = $1 AND id = $2
                UNION ALL SELECT id, hash FROM anchor WHERE chain = $1 AND id = $2 AND id > 0) k
            WHERE a.chain = $1",
        &[&chain, &id],
    )?;
    if let Some(row) = known {
        return Ok(Position::Known(head(&row)?));
    }
    let sql = "SELECT id FROM anchor WHERE chain = $1 AND id > $2";
    let removed = db.row_if_any(sql, &[&chain, &id])?.map(|row| row.number(0)).transpose()?;
    Ok(removed.map_or(Position::Missing, Position::Removed))
}

fn head(row: &Row) -> Result<Head, Error> {
    let (chain, id, entries) = (row.number(0)?, row.number(1)?, row.number(3)?);
    Ok(Head { chain, id, hash: hash(row, 2)?, entries })
}

pub(crate) fn last(db: &Connection) -> Result<Option<String>, Error> {
    let row = db.row_if_any("SELECT note FROM checkpoint ORDER BY id DESC LIMIT 1", &[])?;
    row.map(|row| row.text(0)).transpose()
}

pub(crate) fn keep(
    db: &Connection,
    note: &str,
    before: Option<&str>,
    most: usize,
) -> Result<bool, Error> {
    let (note, before) = (note.as_bytes(), before.map(str::as_bytes));
    db.row("SELECT keep_checkpoint($1, $2, $3)", &[&note, &before, &limit(most)])?.truth(0)
}
