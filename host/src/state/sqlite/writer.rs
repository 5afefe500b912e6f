//! The one connection that writes, and its transactions.

use std::ops::Deref;

use rusqlite::Connection;

use super::presence::Presence;
use super::{entries, memos, tools};
use crate::state::error::Error;
use crate::state::journal::{Entry, Link};
use crate::state::memory::Memo;
use crate::state::registry::Definition;
use crate::state::transaction::{Defined, Transaction as Rows};

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
        change: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.durability != Some(durability) {
            // In WAL mode a commit is synchronized at the level FULL and only written at NORMAL.
            let level = if durability == Durability::Power { "FULL" } else { "NORMAL" };
            let set = self.connection.pragma_update(None, "synchronous", level);
            set.map_err(Error::from)?;
            self.durability = Some(durability);
        }
        let mut transaction = Transaction::begin(&self.connection).map_err(Error::from)?;
        let result = change(&mut transaction)?;
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

impl Rows for Transaction<'_> {
    fn last_change(&self) -> Result<i64, Error> {
        Ok(tools::last_change(self)?)
    }

    fn find(&self, name: &str, as_of: i64) -> Result<Option<Definition>, Error> {
        Ok(tools::find(self, name, as_of)?)
    }

    fn find_pinned(&self, name: &str, prefix: &str) -> Result<Option<(Definition, bool)>, Error> {
        Ok(tools::find_pinned(self, name, prefix, i64::MAX)?)
    }

    fn twin(&self, name: &str) -> Result<Option<String>, Error> {
        Ok(tools::twin(self, name)?)
    }

    fn has_history(&self, name: &str) -> Result<bool, Error> {
        Ok(!tools::history(self, name, 1)?.is_empty())
    }

    fn define(&mut self, defined: &Defined<'_>) -> Result<(), Error> {
        Ok(tools::define(self, defined)?)
    }

    fn head(&self) -> Result<Link, Error> {
        Ok(entries::head(self)?)
    }

    fn anchor(&self) -> Result<Link, Error> {
        Ok(entries::anchor(self)?)
    }

    fn append(&mut self, entry: &Entry) -> Result<(), Error> {
        Ok(entries::append(self, entry)?)
    }

    fn settle(&mut self, run: i64) -> Result<bool, Error> {
        Ok(entries::settle(self, run)?)
    }

    fn keep_text(&mut self, sha256: &str, text: &str, entry: i64) -> Result<(), Error> {
        Ok(entries::keep_text(self, sha256, text, entry)?)
    }

    fn trim(&mut self, ends: i64) -> Result<(), Error> {
        Ok(entries::trim(self, ends)?)
    }

    fn memo(&self, key: &str) -> Result<Option<Memo>, Error> {
        Ok(memos::find(self, key)?)
    }

    fn sums(&self) -> Result<(u64, u64), Error> {
        Ok(memos::sums(self)?)
    }

    fn last_update(&self) -> Result<i64, Error> {
        Ok(memos::last_update(self)?)
    }

    fn keep(&mut self, memo: &Memo) -> Result<(), Error> {
        Ok(memos::put(self, memo)?)
    }

    fn forget(&mut self, key: &str) -> Result<(), Error> {
        Ok(memos::remove(self, key)?)
    }
}

fn execute(connection: &Connection, statement: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute([]).map(drop)
}
