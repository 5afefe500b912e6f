//! The statements for the memory.

use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter, types};

use super::find as index;
use crate::memory::Memo;

/// The most keys that are compared with an unknown one.
const COMPARED: usize = 2_000;

const COLUMNS: &str =
    "m.id, m.key, m.tags, m.created, m.updated, m.size, m.context, m.given, m.successes,
    m.tries, m.used";

fn memo(row: &Row<'_>) -> rusqlite::Result<(i64, Memo)> {
    let tags: String = row.get(2)?;
    let size: i64 = row.get(5)?;
    let memo = Memo {
        key: row.get(1)?,
        tags: serde_json::from_str(&tags).unwrap_or_default(),
        created: row.get(3)?,
        updated: row.get(4)?,
        size: size.unsigned_abs(),
        value: None,
        context: row.get(6)?,
        given: row.get(7)?,
        successes: row.get::<_, i64>(8)?.unsigned_abs(),
        tries: row.get::<_, i64>(9)?.unsigned_abs(),
        used: row.get(10)?,
    };
    Ok((row.get(0)?, memo))
}

/// The entry of an owner's key, with its value.
pub(super) fn find(db: &Connection, owner: &str, key: &str) -> rusqlite::Result<Option<Memo>> {
    let sql = format!("SELECT {COLUMNS}, m.value FROM memory m WHERE m.owner = ?1 AND m.key = ?2");
    db.prepare_cached(&sql)?
        .query_row([owner, key], |row| Ok(Memo { value: row.get(11)?, ..memo(row)?.1 }))
        .optional()
}

/// The entry of an owner's key, without its value.
pub(super) fn find_without_value(
    db: &Connection,
    owner: &str,
    key: &str,
) -> rusqlite::Result<Option<Memo>> {
    let sql = format!("SELECT {COLUMNS} FROM memory m WHERE m.owner = ?1 AND m.key = ?2");
    db.prepare_cached(&sql)?.query_row([owner, key], |row| Ok(memo(row)?.1)).optional()
}

/// The first key of an owner with this context and this value.
pub(super) fn equal(
    db: &Connection,
    owner: &str,
    context: &str,
    value: &str,
) -> rusqlite::Result<Option<String>> {
    db.prepare_cached(
        "SELECT key FROM memory WHERE owner = ?1 AND context = ?2 AND context <> '' AND value = ?3
            ORDER BY key LIMIT 1",
    )?
    .query_row([owner, context, value], |row| row.get(0))
    .optional()
}

/// Notes that a key is used at a time.
pub(super) fn note_use(db: &Connection, owner: &str, key: &str, time: i64) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE memory SET used = max(used, ?3) WHERE owner = ?1 AND key = ?2")?
        .execute(params![owner, key, time])
        .map(drop)
}

/// The number of a key's row.
fn row_of(db: &Connection, owner: &str, key: &str) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM memory WHERE owner = ?1 AND key = ?2")?
        .query_row([owner, key], |row| row.get(0))
        .optional()
}

/// All entries of an owner with their values, in the order of their last change.
pub(super) fn all(db: &Connection, owner: &str) -> rusqlite::Result<Vec<Memo>> {
    let sql = format!(
        "SELECT {COLUMNS}, m.value FROM memory m WHERE m.owner = ?1 ORDER BY m.updated, m.key"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let rows =
        statement.query_map([owner], |row| Ok(Memo { value: row.get(11)?, ..memo(row)?.1 }))?;
    rows.collect()
}

/// The number of keys, and the bytes of their values.
pub(super) fn sums(db: &Connection) -> rusqlite::Result<(u64, u64)> {
    let read = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (keys, bytes) =
        db.prepare_cached("SELECT keys, bytes FROM memory_sum")?.query_row([], read)?;
    Ok((keys.unsigned_abs(), bytes.unsigned_abs()))
}

/// The time of the last change in milliseconds since 1970; 0 before the first.
pub(super) fn last_update(db: &Connection) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT coalesce(max(updated), 0) FROM memory")?
        .query_row([], |row| row.get(0))
}

/// Writes a row. Replaces the row with this key if there is one.
pub(super) fn put(db: &Connection, owner: &str, memo: &Memo) -> rusqlite::Result<()> {
    let value = memo.value.as_deref().unwrap_or("null");
    let json = serde_json::Value::from(memo.tags.clone()).to_string();
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let (size, successes, tries) = (number(memo.size), number(memo.successes), number(memo.tries));
    let Memo { key, tags, created, updated, context, given, used, .. } = memo;
    let id = if let Some(id) = row_of(db, owner, key)? {
        db.prepare_cached(
            "UPDATE memory SET tags = ?2, updated = ?3, size = ?4, value = ?5, context = ?6,
                given = ?7, successes = ?8, tries = ?9, used = ?10 WHERE id = ?1",
        )?
        .execute(params![id, json, updated, size, value, context, given, successes, tries, used])?;
        id
    } else {
        db.prepare_cached(
            "INSERT INTO memory
                (key, tags, created, updated, size, value, context, given, successes, tries, used, owner)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            key, json, created, updated, size, value, context, given, successes, tries, used, owner
        ])?;
        db.last_insert_rowid()
    };
    db.prepare_cached("DELETE FROM memory_tag WHERE memory = ?1")?.execute([id])?;
    let mut insert = db.prepare_cached("INSERT INTO memory_tag VALUES (?1, ?2)")?;
    for tag in tags {
        insert.execute(params![tag, id])?;
    }
    index::put(db, index::memory(owner), &memo.document())
}

/// Removes a row.
pub(super) fn remove(db: &Connection, owner: &str, key: &str) -> rusqlite::Result<()> {
    let Some(id) = row_of(db, owner, key)? else { return Ok(()) };
    db.prepare_cached("DELETE FROM memory_tag WHERE memory = ?1")?.execute([id])?;
    db.prepare_cached("DELETE FROM memory WHERE id = ?1")?.execute([id])?;
    index::remove(db, index::memory(owner), key)
}

/// Removes all rows of an owner. Gives their number.
pub(super) fn remove_all(db: &Connection, owner: &str) -> rusqlite::Result<u64> {
    let mut statement = db.prepare_cached("SELECT key FROM memory WHERE owner = ?1")?;
    let keys: Vec<String> =
        statement.query_map([owner], |row| row.get(0))?.collect::<Result<_, _>>()?;
    keys.iter().try_for_each(|key| remove(db, owner, key))?;
    Ok(u64::try_from(keys.len()).unwrap_or(u64::MAX))
}

/// The entries of an owner with all of these tags, the latest first, and the number of all of them.
pub(super) fn tagged(
    db: &Connection,
    owner: &str,
    tags: &[String],
    most: usize,
    room: usize,
) -> rusqlite::Result<(Vec<Memo>, u64)> {
    let mut values: Vec<types::Value> = vec![owner.to_owned().into()];
    let mut clauses = vec!["m.owner = ?1".to_owned()];
    for tag in tags {
        values.push(tag.clone().into());
        let number = values.len();
        clauses.push(format!("m.id IN (SELECT memory FROM memory_tag WHERE tag = ?{number})"));
    }
    let clauses = clauses.join(" AND ");
    // One transaction: concurrent writes must not mix two states.
    let transaction = db.unchecked_transaction()?;
    let sql = format!("SELECT count(*) FROM memory m WHERE {clauses}");
    let total: i64 = transaction
        .prepare_cached(&sql)?
        .query_row(params_from_iter(values.iter()), |row| row.get(0))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM memory m WHERE {clauses} ORDER BY m.updated DESC, m.id DESC LIMIT {most}"
    );
    let rows: Vec<(i64, Memo)> = transaction
        .prepare_cached(&sql)?
        .query_map(params_from_iter(values.iter()), memo)?
        .collect::<Result<_, _>>()?;
    Ok((fill(&transaction, rows, room)?, total.unsigned_abs()))
}

/// Reads values in order, those that fit in the remaining `room` of characters.
fn fill(db: &Connection, rows: Vec<(i64, Memo)>, mut room: usize) -> rusqlite::Result<Vec<Memo>> {
    let mut statement = db.prepare_cached("SELECT value FROM memory WHERE id = ?1")?;
    let mut found = Vec::with_capacity(rows.len());
    for (id, mut memo) in rows {
        let size = usize::try_from(memo.size).unwrap_or(usize::MAX);
        if let Some(left) = room.checked_sub(size) {
            room = left;
            memo.value = Some(statement.query_row([id], |row| row.get(0))?);
        }
        found.push(memo);
    }
    Ok(found)
}

/// Candidates for a misspelled key: all keys, or only those with the same first letter if there are
/// too many.
pub(super) fn near(db: &Connection, owner: &str, key: &str) -> rusqlite::Result<Vec<String>> {
    let most = i64::try_from(COMPARED).unwrap_or(i64::MAX);
    let (keys, _) = sums(db)?;
    let first = match key.chars().next() {
        Some(first) if keys > most.unsigned_abs() => first.to_string(),
        _ => String::new(),
    };
    db.prepare_cached(
        "SELECT key FROM memory WHERE owner = ?1 AND key >= ?2 ORDER BY key LIMIT ?3",
    )?
    .query_map(params![owner, first, most], |row| row.get(0))?
    .take_while(|key: &rusqlite::Result<String>| {
        key.as_ref().map_or(true, |key| key.starts_with(&first))
    })
    .collect()
}
