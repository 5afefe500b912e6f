//! The one connection that writes.

use std::ops::Deref;

use rusqlite::Connection;

use super::presence::Presence;
use crate::state::Error;

/// When a change is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// Once this process is gone, however it went.
    Process,
    /// Once the power is gone too: the file is synchronized before the change is acknowledged.
    Power,
}

/// The connection that writes, and what its commits withstand now.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) durability: Option<Durability>,
}

impl Writer {
    pub(super) fn write<T, E: From<Error>>(
        &mut self,
        durability: Durability,
        presence: &Presence,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.durability != Some(durability) {
            // In WAL mode a commit is synchronized at the level FULL and only written at NORMAL.
            let level = if durability == Durability::Power { "FULL" } else { "NORMAL" };
            let set = self.connection.pragma_update(None, "synchronous", level);
            set.map_err(Error::from)?;
            self.durability = Some(durability);
        }
        let transaction = Transaction::begin(&self.connection).map_err(Error::from)?;
        let result = change(&transaction)?;
        presence.ensure()?;
        transaction.commit().map_err(Error::from)?;
        Ok(result)
    }
}

/// A transaction that writes, undone unless it is committed. That of rusqlite has its statements
/// parsed anew each time, which takes a third as long as writing an entry of the journal.
#[derive(Debug)]
pub(super) struct Transaction<'a>(&'a Connection);

impl<'a> Transaction<'a> {
    fn begin(connection: &'a Connection) -> rusqlite::Result<Self> {
        execute(connection, "BEGIN IMMEDIATE")?;
        Ok(Self(connection))
    }

    fn commit(self) -> rusqlite::Result<()> {
        execute(self.0, "COMMIT")
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.0
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // Some errors end a transaction by themselves.
        if !self.0.is_autocommit()
            && let Err(error) = execute(self.0, "ROLLBACK")
        {
            tracing::error!(%error, "a transaction cannot be undone");
        }
    }
}

fn execute(connection: &Connection, statement: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute([]).map(drop)
}
