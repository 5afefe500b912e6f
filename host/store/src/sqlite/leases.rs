//! The rows of leases, each operation with its statement. The clock is that of the process.

use std::time::Duration;

use pif_domain::text::time::now;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::lease::{ProcessLease, milliseconds};

fn read(row: &Row<'_>) -> rusqlite::Result<ProcessLease> {
    Ok(ProcessLease { name: row.get(0)?, place: row.get(1)?, until: row.get(2)? })
}

/// Takes a lease.
pub(super) fn take(
    db: &Connection,
    name: &str,
    place: &str,
    life: Duration,
) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT INTO lease VALUES (?1, ?2, ?3)")?.execute(params![
        name,
        place,
        now().saturating_add(milliseconds(life))
    ])?;
    Ok(())
}

/// Renews a lease that is there, and ends others that are over.
pub(super) fn renew(db: &Connection, name: &str, life: Duration) -> rusqlite::Result<bool> {
    let now = now();
    let renewed = db
        .prepare_cached("UPDATE lease SET until = ?2 WHERE name = ?1")?
        .execute(params![name, now.saturating_add(milliseconds(life))])?;
    db.prepare_cached("DELETE FROM lease WHERE until < ?1")?.execute([now])?;
    Ok(renewed > 0)
}

/// Ends a lease.
pub(super) fn end(db: &Connection, name: &str) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM lease WHERE name = ?1")?.execute([name])?;
    Ok(())
}

/// All leases.
pub(super) fn all(db: &Connection) -> rusqlite::Result<Vec<ProcessLease>> {
    db.prepare_cached("SELECT name, place, until FROM lease ORDER BY name")?
        .query_map([], read)?
        .collect()
}

/// A lease, whether it is over or not.
pub(super) fn find(db: &Connection, name: &str) -> rusqlite::Result<Option<ProcessLease>> {
    db.prepare_cached("SELECT name, place, until FROM lease WHERE name = ?1")?
        .query_row([name], read)
        .optional()
}

/// A lease that lasts. Ends one that is over.
pub(super) fn lasting(db: &Connection, name: &str) -> rusqlite::Result<Option<ProcessLease>> {
    let found = find(db, name)?;
    if found.as_ref().is_some_and(|lease| lease.until < now()) {
        end(db, name)?;
        return Ok(None);
    }
    Ok(found)
}
