//! The rows of staging areas, each operation with its statement.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::registry::Evolution;
use crate::staging::{Area, Operation, Verification};

use super::tools;
use crate::Term;

const COLUMNS: &str = "id, owner, base, created, changed, version, verified, passed, record";

fn read(row: &Row<'_>) -> rusqlite::Result<Area> {
    let (version, passed): (Option<i64>, Option<bool>) = (row.get(6)?, row.get(7)?);
    let record: Option<String> = row.get(8)?;
    let verification = version
        .zip(passed)
        .zip(record)
        .map(|((version, passed), record)| Verification { version, passed, record });
    Ok(Area {
        id: row.get(0)?,
        owner: row.get(1)?,
        base: row.get(2)?,
        created: row.get(3)?,
        changed: row.get(4)?,
        version: row.get(5)?,
        verification,
        operations: Vec::new(),
    })
}

fn operations(db: &Connection, area: i64) -> rusqlite::Result<Vec<Operation>> {
    let operation = |row: &Row<'_>| {
        let told: String = row.get(0)?;
        serde_json::from_str(&told)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error.into()))
    };
    db.prepare_cached("SELECT told FROM operation WHERE area = ?1 ORDER BY number")?
        .query_map([area], operation)?
        .collect()
}

/// An area by its number.
pub(super) fn find(db: &Connection, id: i64) -> rusqlite::Result<Option<Area>> {
    let sql = format!("SELECT {COLUMNS} FROM area WHERE id = ?1");
    let found = db.prepare_cached(&sql)?.query_row([id], read).optional()?;
    found.map(|area| Ok(Area { operations: operations(db, id)?, ..area })).transpose()
}

/// The areas of an owner.
pub(super) fn all(db: &Connection, owner: &str) -> rusqlite::Result<Vec<Area>> {
    let sql = format!("SELECT {COLUMNS} FROM area WHERE owner = ?1 ORDER BY id");
    let found: rusqlite::Result<Vec<Area>> =
        db.prepare_cached(&sql)?.query_map([owner], read)?.collect();
    found?
        .into_iter()
        .map(|area| Ok(Area { operations: operations(db, area.id)?, ..area }))
        .collect()
}

/// Writes an area. Returns its number, which is made if it is 0.
pub(super) fn put(db: &Connection, area: &Area) -> rusqlite::Result<i64> {
    let Area { owner, base, created, changed, version, verification, .. } = area;
    let id = (area.id != 0).then_some(area.id);
    let verified = verification.as_ref().map(|it| it.version);
    let passed = verification.as_ref().map(|it| it.passed);
    let record = verification.as_ref().map(|it| &it.record);
    db.prepare_cached(
        "INSERT INTO area (id, owner, base, created, changed, version, verified, passed, record)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (id) DO UPDATE SET base = ?3, changed = ?5, version = ?6,
                verified = ?7, passed = ?8, record = ?9",
    )?
    .execute(params![id, owner, base, created, changed, version, verified, passed, record])?;
    let id = id.unwrap_or_else(|| db.last_insert_rowid());
    let known: usize = db
        .prepare_cached("SELECT count(*) FROM operation WHERE area = ?1")?
        .query_row([id], |row| row.get::<_, i64>(0))?
        .try_into()
        .unwrap_or(usize::MAX);
    let is_longer = known <= area.operations.len();
    // Operations are only added, but for a new base.
    if !is_longer || operations(db, id)?.iter().zip(&area.operations).any(|(a, b)| a != b) {
        db.prepare_cached("DELETE FROM operation WHERE area = ?1")?.execute([id])?;
    }
    let mut insert = db.prepare_cached("INSERT OR IGNORE INTO operation VALUES (?1, ?2, ?3)")?;
    for (number, operation) in (0_i64..).zip(&area.operations) {
        let told = serde_json::to_string(operation)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        insert.execute(params![id, number, told])?;
    }
    Ok(id)
}

/// Who works on an area.
pub(super) fn holder(db: &Connection, id: i64) -> rusqlite::Result<Option<String>> {
    let found = db
        .prepare_cached("SELECT holder FROM area WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    Ok(found.flatten())
}

/// Notes who works on an area.
pub(super) fn hold(db: &Connection, id: i64, holder: Option<&str>) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE area SET holder = ?2 WHERE id = ?1")?.execute(params![id, holder])?;
    Ok(())
}

/// Removes an area.
pub(super) fn remove(db: &Connection, id: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM operation WHERE area = ?1")?.execute([id])?;
    db.prepare_cached("DELETE FROM area WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// The names that have changed after a change of the registry.
pub(super) fn changed_since(db: &Connection, change: i64) -> rusqlite::Result<Vec<String>> {
    db.prepare_cached("SELECT DISTINCT name FROM change WHERE id > ?1 ORDER BY name")?
        .query_map([change], |row| row.get(0))?
        .collect()
}

/// Keeps a term that no tool has yet.
pub(super) fn keep_source(db: &Connection, evolution: &Evolution) -> rusqlite::Result<()> {
    let Evolution { hash, source, tools, .. } = evolution;
    tools::keep(db, Term { hash, source, tools }).map(drop)
}
