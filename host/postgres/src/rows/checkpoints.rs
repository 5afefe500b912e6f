//! The rows of checkpoints.

use pif_store::{Error, Leaf};

use super::entries::hash;
use super::limit;
use crate::connection::{Columns as _, Connection};

pub(crate) fn identity(db: &Connection) -> Result<String, Error> {
    db.row("SELECT id FROM identity", &[])?.text(0)
}

pub(crate) fn chains(db: &Connection) -> Result<Vec<i64>, Error> {
    let sql = "SELECT chain FROM entry UNION SELECT chain FROM removed ORDER BY 1";
    db.rows(sql, &[])?.iter().map(|row| row.number(0)).collect()
}

pub(crate) fn leaves(db: &Connection, after: i64, take: &mut dyn FnMut(Leaf)) -> Result<(), Error> {
    let sql = "SELECT chain, id, hash FROM entry WHERE id > $1
        UNION ALL SELECT chain, id, hash FROM removed WHERE id > $1 ORDER BY 1, 2";
    db.each(sql, &[&after], |row| {
        take(Leaf { chain: row.number(0)?, id: row.number(1)?, hash: hash(row, 2)? });
        Ok(())
    })
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
