//! An open store: its file, one connection for writes with its transactions, and connections for
//! reads.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rusqlite::Connection;

use super::error::with_path;
use super::presence::Presence;
use super::{areas, entries, filesystem, leases, memos, open, sessions, tools};
use crate::change::Wait;
use crate::error::Error;
use crate::journal::{Entry, Link, Pending};
use crate::lease::ProcessLease;
use crate::memory::Memo;
use crate::place::{FILE, Place};
use crate::registry::{Definition, Evolution, Fact};
use crate::session::{self, Binding, Session, SessionKind, Turn};
use crate::staging::{self, Area};
use crate::transaction::{ToolChange, Transaction as Rows};

/// An open store.
#[derive(Debug)]
pub struct Sqlite {
    /// The path of the file. None in memory: reads then use the connection for writes.
    pub(super) path: Option<PathBuf>,
    patience: Duration,
    /// The identities of the files at opening.
    pub(super) presence: Presence,
    writer: Mutex<Writer>,
    /// Idle connections for reads.
    readers: Mutex<Vec<Connection>>,
}

impl Sqlite {
    /// Opens a store. Creates and migrates it if necessary. Waits up to `patience` for other
    /// processes' locks.
    pub fn open(place: &Place, patience: Duration) -> Result<Self, Error> {
        let (path, (writer, presence)) = match place {
            Place::Memory => (None, (open::open_memory(patience)?, Presence::default())),
            Place::Directory(directory) => {
                open::make_directory(directory)?;
                filesystem::warn_of_network(directory);
                let path = directory.join(FILE);
                let opened = open::open_file(&path, patience);
                let opened = opened.map_err(|error| with_path(&path, error))?;
                (Some(path), opened)
            }
        };
        Ok(Self::with(path, writer, presence, patience))
    }

    pub(super) fn with(
        path: Option<PathBuf>,
        connection: Connection,
        presence: Presence,
        patience: Duration,
    ) -> Self {
        let writer = Mutex::new(Writer { connection, durability: None });
        Self { path, patience, presence, writer, readers: Mutex::default() }
    }

    /// Runs a query. If it has several statements, they may see different states of the store.
    pub(super) fn read<T, E: From<Error>>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(path) = &self.path else { return query(&self.writer().connection) };
        let idle = self.readers().pop();
        let connection = idle.map_or_else(|| self.reader(path), Ok)?;
        let result = query(&connection);
        self.readers().push(connection);
        result
    }

    /// Opens another connection for reads. Fails with `Gone` if the file was deleted or replaced.
    pub(super) fn reader(&self, path: &Path) -> Result<Connection, Error> {
        let connection = open::reader(path, self.patience);
        self.presence.ensure()?;
        Ok(connection?)
    }

    /// Like [`Self::read`], for short queries. Uses the connection for writes if it is idle,
    /// because its cache holds its own writes.
    pub(super) fn glance<T, E: From<Error>>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        match self.writer.try_lock() {
            Ok(writer) => query(&writer.connection),
            Err(_) => self.read(query),
        }
    }

    /// Changes the store in one transaction. An error undoes all changes.
    pub(super) fn write<T, E: From<Error>>(
        &self,
        durability: Durability,
        wait: Wait,
        change: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if wait == Wait::Patiently {
            return self.writer().write(durability, &self.presence, change);
        }
        let mut writer = match self.writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(Error::Locked.into()),
        };
        let patience = |writer: &Writer, time| writer.connection.busy_timeout(time);
        patience(&writer, Duration::ZERO).map_err(Error::from)?;
        let result = writer.write(durability, &self.presence, change);
        patience(&writer, self.patience).map_err(Error::from)?;
        result
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn readers(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The failures that a committed change withstands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// The end of this process, also by a crash.
    Process,
    /// A power failure: the file is synchronized before the commit returns.
    Power,
}

/// The connection for writes, with the durability of its commits.
#[derive(Debug)]
struct Writer {
    connection: Connection,
    durability: Option<Durability>,
}

impl Writer {
    fn write<T, E: From<Error>>(
        &mut self,
        durability: Durability,
        presence: &Presence,
        change: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.durability != Some(durability) {
            // In WAL mode the level FULL synchronizes each commit; NORMAL only writes it.
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

/// A transaction for writes. Dropping it undoes it unless it is committed. The transactions of
/// rusqlite parse their statements each time, which takes a third of the time to write a journal
/// entry.
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
        // Some errors end a transaction automatically.
        if !self.0.is_autocommit()
            && let Err(error) = execute(self.0, "ROLLBACK")
        {
            tracing::error!(%error, "a transaction cannot be undone");
        }
    }
}

impl Rows for Transaction<'_> {
    fn has_lease(&self, name: &str) -> Result<bool, Error> {
        Ok(leases::find(self, name)?.is_some())
    }

    fn lasting_lease(&mut self, name: &str) -> Result<Option<ProcessLease>, Error> {
        Ok(leases::lasting(self, name)?)
    }

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

    fn put_fact(&mut self, kind: Fact, of: &str, told: &str) -> Result<(), Error> {
        Ok(tools::put_fact(self, kind, of, told)?)
    }

    fn define(&mut self, defined: &ToolChange<'_>) -> Result<(), Error> {
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

    fn end(&mut self, owner: &str, run: &Pending) -> Result<bool, Error> {
        Ok(entries::end(self, owner, run)?)
    }

    fn keep_text(&mut self, sha256: &str, text: &str, entry: i64) -> Result<(), Error> {
        Ok(entries::keep_text(self, sha256, text, entry)?)
    }

    fn trim(&mut self, ends: i64) -> Result<(), Error> {
        Ok(entries::trim(self, ends)?)
    }

    fn put_session(&mut self, session: &Session) -> Result<i64, Error> {
        Ok(sessions::put(self, session)?)
    }

    fn remove_session(&mut self, session: i64) -> Result<(), Error> {
        Ok(sessions::remove(self, session)?)
    }

    fn bind(&mut self, session: i64, binding: &Binding) -> Result<(), Error> {
        Ok(sessions::bind(self, session, binding)?)
    }

    fn unbind(&mut self, session: i64, name: &str) -> Result<(), Error> {
        Ok(sessions::unbind(self, session, name)?)
    }

    fn note(&mut self, session: i64, turn: &Turn) -> Result<(), Error> {
        Ok(sessions::note(self, session, turn)?)
    }

    fn unnote(&mut self, session: i64, last: i64) -> Result<(), Error> {
        Ok(sessions::unnote(self, session, last)?)
    }

    fn keep_term(&mut self, sha256: &str, term: &str) -> Result<(), Error> {
        Ok(sessions::keep(self, sha256, term)?)
    }

    fn pin(&mut self, sha256: &str, entry: i64) -> Result<(), Error> {
        Ok(sessions::pin(self, sha256, entry)?)
    }

    fn sweep(&mut self, sha256: &str) -> Result<(), Error> {
        Ok(sessions::sweep(self, sha256)?)
    }

    fn put_area(&mut self, area: &Area) -> Result<i64, Error> {
        Ok(areas::put(self, area)?)
    }

    fn area_holder(&self, id: i64) -> Result<Option<String>, Error> {
        Ok(areas::holder(self, id)?)
    }

    fn hold_area(&mut self, id: i64, holder: Option<&str>) -> Result<(), Error> {
        Ok(areas::hold(self, id, holder)?)
    }

    fn remove_area(&mut self, id: i64) -> Result<(), Error> {
        Ok(areas::remove(self, id)?)
    }

    fn keep_source(&mut self, term: &Evolution) -> Result<(), Error> {
        Ok(areas::keep_source(self, term)?)
    }

    fn memo(&self, owner: &str, key: &str) -> Result<Option<Memo>, Error> {
        Ok(memos::find(self, owner, key)?)
    }

    fn sums(&self) -> Result<(u64, u64), Error> {
        Ok(memos::sums(self)?)
    }

    fn last_update(&self) -> Result<i64, Error> {
        Ok(memos::last_update(self)?)
    }

    fn keep(&mut self, owner: &str, memo: &Memo) -> Result<(), Error> {
        Ok(memos::put(self, owner, memo)?)
    }

    fn note_use(&mut self, owner: &str, key: &str, time: i64) -> Result<(), Error> {
        Ok(memos::note_use(self, owner, key, time)?)
    }

    fn equal_memo(&self, owner: &str, context: &str, value: &str) -> Result<Option<String>, Error> {
        Ok(memos::equal(self, owner, context, value)?)
    }

    fn forget(&mut self, owner: &str, key: &str) -> Result<(), Error> {
        Ok(memos::remove(self, owner, key)?)
    }

    fn forget_all(&mut self, owner: &str) -> Result<u64, Error> {
        Ok(memos::remove_all(self, owner)?)
    }
}

impl session::Rows for Transaction<'_> {
    fn session(&self, id: i64) -> Result<Option<Session>, Error> {
        Ok(sessions::find(self, id)?)
    }

    fn sessions(&self, owner: &str) -> Result<Vec<Session>, Error> {
        Ok(sessions::all(self, owner)?)
    }

    fn bindings(&self, session: i64) -> Result<Vec<Binding>, Error> {
        Ok(sessions::bindings(self, session)?)
    }

    fn turns(&self, session: i64) -> Result<Vec<Turn>, Error> {
        Ok(sessions::turns(self, session)?)
    }

    fn labelled(
        &self,
        owner: &str,
        label: &str,
        standing: SessionKind,
    ) -> Result<Option<Session>, Error> {
        Ok(sessions::labelled(self, owner, label, standing)?)
    }
}

impl staging::Rows for Transaction<'_> {
    fn area(&self, id: i64) -> Result<Option<Area>, Error> {
        Ok(areas::find(self, id)?)
    }

    fn areas(&self, owner: &str) -> Result<Vec<Area>, Error> {
        Ok(areas::all(self, owner)?)
    }

    fn changed_since(&self, change: i64) -> Result<Vec<String>, Error> {
        Ok(areas::changed_since(self, change)?)
    }

    fn uses(&self, hash: &str) -> Result<Vec<String>, Error> {
        Ok(tools::uses(self, hash)?)
    }

    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        Ok(tools::source(self, hash)?)
    }
}

fn execute(connection: &Connection, statement: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute([]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    fn tables(db: &Connection) -> Result<Vec<(String, String)>, Error> {
        let mut statement =
            db.prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn marks(db: &Connection) -> Result<[i64; 4], Error> {
        let mark = |name| db.pragma_query_value(None, name, |row| row.get(0));
        let marks = ["application_id", "user_version", "foreign_keys", "trusted_schema"];
        Ok([mark(marks[0])?, mark(marks[1])?, mark(marks[2])?, mark(marks[3])?])
    }

    /// A store in memory is a copy of the build's empty store.
    #[test]
    fn stores_in_memory_are_like_those_in_a_file() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a directory");
        let open = |place: &Place| Sqlite::open(place, Duration::from_secs(1));
        let (memory, file) =
            (open(&Place::Memory)?, open(&Place::Directory(folder.path().to_owned()))?);
        file.check()?;
        assert_eq!(memory.read(tables)?, file.read(tables)?);
        assert_eq!(memory.read(marks)?, file.read(marks)?);
        Ok(())
    }
}
