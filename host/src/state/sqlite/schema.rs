//! What a store is made of. The build reads this too: it makes the empty store that those in memory
//! begin as.

use rusqlite::Connection;

/// What says that a database is one of ours: `PIF1`.
pub(crate) const APPLICATION: i32 = 0x5049_4631;

/// The steps from an empty file to the present schema. A released step is never changed; a new
/// version appends one.
pub(crate) const MIGRATIONS: [&str; 2] = [include_str!("1.sql"), include_str!("2.sql")];

/// Takes the steps that are left after the first `taken`.
pub(crate) fn advance(connection: &Connection, taken: usize) -> rusqlite::Result<()> {
    for migration in MIGRATIONS.iter().skip(taken) {
        connection.execute_batch(migration)?;
    }
    let reached = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", reached)
}
