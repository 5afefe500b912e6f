//! The schema of a store.

use rusqlite::Connection;

use super::{find, memos, tools};

/// SQLite's application id of a store: the text `PIF1`.
pub(super) const APPLICATION: i32 = 0x5049_4631;

/// The migrations from an empty file to the current schema. A released migration never changes; a
/// new version appends one.
pub(super) const MIGRATIONS: [&str; 11] = [
    include_str!("1.sql"),
    include_str!("2.sql"),
    include_str!("3.sql"),
    include_str!("4.sql"),
    include_str!("5.sql"),
    include_str!("6.sql"),
    concat!(include_str!("7.sql"), include_str!("find.sql")),
    include_str!("8.sql"),
    include_str!("9.sql"),
    include_str!("10.sql"),
    include_str!("11.sql"),
];

/// The first schema with an index for searches.
const INDEXED: usize = 7;

/// Applies all migrations after the first `taken`.
pub(super) fn advance(connection: &Connection, taken: usize) -> rusqlite::Result<()> {
    for migration in MIGRATIONS.iter().skip(taken) {
        connection.execute_batch(migration)?;
    }
    if (1..INDEXED).contains(&taken) {
        index(connection)?;
    }
    let reached = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", reached)
}

/// Makes the index of all current tools and of all memories.
pub(super) fn index(connection: &Connection) -> rusqlite::Result<()> {
    for tool in tools::page(connection, "", usize::MAX)? {
        find::put(connection, find::TOOLS, &tool.document())?;
    }
    let mut owners = connection.prepare("SELECT DISTINCT owner FROM memory ORDER BY owner")?;
    let owners: Vec<String> = owners.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for owner in &owners {
        for memo in memos::all(connection, owner)? {
            find::put(connection, find::memory(owner), &memo.document())?;
        }
    }
    Ok(())
}
