//! An open store: its file, and the connections to it that it gives out.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rusqlite::Connection;

use super::error::told;
use super::presence::Presence;
use super::writer::{Durability, Transaction, Writer};
use super::{filesystem, open};
use crate::state::change::Wait;
use crate::state::error::Error;
use crate::state::place::{FILE, Place};

/// An open store.
#[derive(Debug)]
pub struct Sqlite {
    /// None for one in memory, which has a single connection.
    pub(super) path: Option<PathBuf>,
    patience: Duration,
    /// The files as they were opened.
    pub(super) presence: Presence,
    writer: Mutex<Writer>,
    /// Connections that nobody reads from at the moment.
    readers: Mutex<Vec<Connection>>,
}

impl Sqlite {
    /// Opens a store, made and migrated as need be. Other processes are waited for so long.
    pub fn open(place: &Place, patience: Duration) -> Result<Self, Error> {
        let (path, (writer, presence)) = match place {
            Place::Memory => (None, (open::open_memory(patience)?, Presence::default())),
            Place::Directory(directory) => {
                open::make_directory(directory)?;
                filesystem::warn_of_network(directory);
                let path = directory.join(FILE);
                let opened = open::open_file(&path, patience);
                let opened = opened.map_err(|error| told(&path, error))?;
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

    /// Reads. What it sees does not change while `query` runs only if that is a single statement.
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

    /// Another connection to read from. A file that is not there any more, or another one, is told as
    /// that.
    fn reader(&self, path: &Path) -> Result<Connection, Error> {
        let connection = open::reader(path, self.patience);
        self.presence.ensure()?;
        Ok(connection?)
    }

    /// The same where a read is short: by the connection that writes, if it is idle. It need not
    /// read again what it wrote itself.
    pub(super) fn glance<T, E: From<Error>>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        match self.writer.try_lock() {
            Ok(writer) => query(&writer.connection),
            Err(_) => self.read(query),
        }
    }

    /// Changes the store in one transaction: all of it or, after an error, nothing.
    pub(super) fn write<T, E: From<Error>>(
        &self,
        durability: Durability,
        wait: Wait,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
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

    pub(super) fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn readers(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Store;

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

    /// One in memory is a copy of what the build made.
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
