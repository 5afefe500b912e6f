//! The rows of the memory.

use pif_store::Error;
use pif_store::memory::Memo;
use tokio_postgres::Row;

use super::{bytes, find as index, limit};
use crate::connection::{Columns as _, Connection};

/// The most keys that are compared with an unknown one.
const COMPARED: usize = 2_000;

const COLUMNS: &str =
    "m.key, m.tags, m.created, m.updated, m.size, m.context, m.given, m.successes, m.tries,
    m.used";

fn memo(row: &Row) -> Result<Memo, Error> {
    Ok(Memo {
        key: row.text(0)?,
        tags: serde_json::from_str(&row.text(1)?).unwrap_or_default(),
        created: row.number(2)?,
        updated: row.number(3)?,
        size: row.number(4)?.unsigned_abs(),
        value: None,
        context: row.text(5)?,
        given: row.float(6)?,
        successes: row.number(7)?.unsigned_abs(),
        tries: row.number(8)?.unsigned_abs(),
        used: row.number(9)?,
    })
}

fn whole(row: &Row) -> Result<Memo, Error> {
    Ok(Memo { value: row.text_if_any(10)?, ..memo(row)? })
}

/// The entry of an owner's key, with its value.
pub(crate) fn find(db: &Connection, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
    let sql = format!("SELECT {COLUMNS}, m.value FROM memory m WHERE m.owner = $1 AND m.key = $2");
    let row = db.row_if_any(&sql, &[&owner.as_bytes(), &key.as_bytes()])?;
    row.as_ref().map(whole).transpose()
}

/// The entry of an owner's key, without its value.
pub(crate) fn find_without_value(
    db: &Connection,
    owner: &str,
    key: &str,
) -> Result<Option<Memo>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM memory m WHERE m.owner = $1 AND m.key = $2");
    let row = db.row_if_any(&sql, &[&owner.as_bytes(), &key.as_bytes()])?;
    row.as_ref().map(memo).transpose()
}

/// The first key of an owner with this context and this value.
pub(crate) fn equal(
    db: &Connection,
    owner: &str,
    context: &str,
    value: &str,
) -> Result<Option<String>, Error> {
    let row = db.row_if_any(
        "SELECT key FROM memory WHERE owner = $1 AND context = $2 AND context <> '' AND value = $3
            ORDER BY key LIMIT 1",
        &[&owner.as_bytes(), &context.as_bytes(), &value.as_bytes()],
    )?;
    row.map(|row| row.text(0)).transpose()
}

/// Notes that a key is used at a time.
pub(crate) fn note_use(db: &Connection, owner: &str, key: &str, time: i64) -> Result<(), Error> {
    db.rows("SELECT note_use($1, $2, $3)", &[&owner.as_bytes(), &key.as_bytes(), &time]).map(drop)
}

/// All entries of an owner with their values, in the order of their last change.
pub(crate) fn all(db: &Connection, owner: &str) -> Result<Vec<Memo>, Error> {
    let sql = format!(
        "SELECT {COLUMNS}, m.value FROM memory m WHERE m.owner = $1 ORDER BY m.updated, m.key"
    );
    db.rows(&sql, &[&owner.as_bytes()])?.iter().map(whole).collect()
}

/// The number of keys, and the bytes of their values.
pub(crate) fn sums(db: &Connection) -> Result<(u64, u64), Error> {
    let row = db.row("SELECT keys, bytes FROM memory_sum", &[])?;
    Ok((row.number(0)?.unsigned_abs(), row.number(1)?.unsigned_abs()))
}

/// The time of the last change in milliseconds since 1970; 0 before the first.
pub(crate) fn last_update(db: &Connection) -> Result<i64, Error> {
    db.row("SELECT coalesce(max(updated), 0) FROM memory", &[])?.number(0)
}

/// Writes a row. Replaces the row with this key if there is one.
pub(crate) fn put(
    db: &Connection,
    index: &index::Indexer,
    owner: &str,
    memo: &Memo,
) -> Result<(), Error> {
    let value = memo.value.as_deref().unwrap_or("null");
    let json = serde_json::Value::from(memo.tags.clone()).to_string();
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let Memo { key, tags, created, updated, context, given, used, .. } = memo;
    db.rows(
        "SELECT keep_memo($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        &[
            &owner.as_bytes(),
            &key.as_bytes(),
            &json.as_bytes(),
            &bytes(tags),
            created,
            updated,
            &number(memo.size),
            &value.as_bytes(),
            &context.as_bytes(),
            given,
            &number(memo.successes),
            &number(memo.tries),
            used,
        ],
    )?;
    index.put(db, index::memory(owner), &memo.document())
}

/// Removes a row.
pub(crate) fn remove(db: &Connection, owner: &str, key: &str) -> Result<(), Error> {
    db.rows("SELECT forget_memo($1, $2)", &[&owner.as_bytes(), &key.as_bytes()])?;
    index::remove(db, index::memory(owner), key)
}

/// Removes all rows of an owner. Gives their number.
pub(crate) fn remove_all(db: &Connection, owner: &str) -> Result<u64, Error> {
    let rows = db.rows("SELECT key FROM memory WHERE owner = $1", &[&owner.as_bytes()])?;
    rows.iter().try_for_each(|row| remove(db, owner, &row.text(0)?))?;
    Ok(u64::try_from(rows.len()).unwrap_or(u64::MAX))
}

/// The entries of an owner with all of these tags, the latest first, and the number of all of them. Values are
/// read in order, those that fit in the remaining `room` of characters.
pub(crate) fn tagged(
    db: &Connection,
    owner: &str,
    tags: &[String],
    most: usize,
    room: usize,
) -> Result<(Vec<Memo>, u64), Error> {
    let room = limit(room);
    let sql = format!(
        "WITH found AS (
            SELECT m.id, count(*) OVER () AS total FROM memory m WHERE m.owner = $1 AND NOT EXISTS (
                SELECT 1 FROM unnest($2::bytea[]) wanted WHERE NOT EXISTS (
                    SELECT 1 FROM memory_tag t WHERE t.memory = m.id AND t.tag = wanted))
            ORDER BY m.updated DESC, m.id DESC LIMIT $3)
        SELECT {COLUMNS}, CASE WHEN m.size <= $4 THEN m.value END, f.total
            FROM found f JOIN memory m ON m.id = f.id ORDER BY m.updated DESC, m.id DESC"
    );
    let rows = db.rows(&sql, &[&owner.as_bytes(), &bytes(tags), &limit(most), &room])?;
    let mut left = room.unsigned_abs();
    let mut found = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut memo = whole(row)?;
        match left.checked_sub(memo.size) {
            Some(rest) => left = rest,
            None => memo.value = None,
        }
        found.push(memo);
    }
    let total = match rows.first() {
        Some(row) => row.number(11)?.unsigned_abs(),
        // Without rows nothing says how many there are.
        None if most == 0 => count_tagged(db, owner, tags)?,
        None => 0,
    };
    Ok((found, total))
}

fn count_tagged(db: &Connection, owner: &str, tags: &[String]) -> Result<u64, Error> {
    let row = db.row(
        "SELECT count(*) FROM memory m WHERE m.owner = $1 AND NOT EXISTS (
            SELECT 1 FROM unnest($2::bytea[]) wanted WHERE NOT EXISTS (
                SELECT 1 FROM memory_tag t WHERE t.memory = m.id AND t.tag = wanted))",
        &[&owner.as_bytes(), &bytes(tags)],
    )?;
    Ok(row.number(0)?.unsigned_abs())
}

/// Candidates for a misspelled key: all keys, or only those with the same first letter if there are too many.
pub(crate) fn near(db: &Connection, owner: &str, key: &str) -> Result<Vec<String>, Error> {
    let (keys, _) = sums(db)?;
    let first = match key.chars().next() {
        Some(first) if keys > limit(COMPARED).unsigned_abs() => first.to_string(),
        _ => String::new(),
    };
    let sql = "SELECT key FROM memory WHERE owner = $1 AND key >= $2 ORDER BY key LIMIT $3";
    let rows = db.rows(sql, &[&owner.as_bytes(), &first.as_bytes(), &limit(COMPARED)])?;
    let keys: Vec<String> = rows.iter().map(|row| row.text(0)).collect::<Result<_, _>>()?;
    Ok(keys.into_iter().take_while(|key| key.starts_with(&first)).collect())
}
