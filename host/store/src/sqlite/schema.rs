//! The schema of a store.

use rusqlite::Connection;

/// SQLite's application id of a store: the text `PIF1`.
pub(super) const APPLICATION: i32 = 0x5049_4631;

/// The migrations from an empty file to the current schema. A released migration never changes; a
/// new version appends one.
pub(super) const MIGRATIONS: [&str; 6] = [
    include_str!("1.sql"),
    include_str!("2.sql"),
    include_str!("3.sql"),
    include_str!("4.sql"),
    include_str!("5.sql"),
    include_str!("6.sql"),
];

/// Applies all migrations after the first `taken`.
pub(super) fn advance(connection: &Connection, taken: usize) -> rusqlite::Result<()> {
    for migration in MIGRATIONS.iter().skip(taken) {
        connection.execute_batch(migration)?;
    }
    let reached = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", reached)
}
