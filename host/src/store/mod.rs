//! The file that lasts: SQLite, shared by all processes that serve the same data directory. This
//! module opens it, brings it to the present schema and gives out transactions; what is in it is
//! the business of the registry, the journal and the memory.

mod copy;
mod error;
mod filesystem;
mod open;
mod presence;
mod schema;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::Connection;

pub use self::copy::{Aside, Duplicate};
pub use self::error::Error;
pub use self::writer::Transaction;

use self::error::told;
use self::presence::Presence;
use self::writer::Writer;

/// The name of the file in the data directory.
const FILE: &str = "mcp-pif.db";

/// What SQLite appends to the name of the file for that of its write-ahead log.
const LOG: &str = "-wal";

/// The same for the index of that, which the processes share.
const INDEX: &str = "-shm";

/// How long a process waits for another one that is writing, unless it is told otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where state is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In this process, for as long as it lives.
    Memory,
    /// In a directory, which is made if need be.
    Directory(PathBuf),
}

impl Place {
    /// The file, which need not exist.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Memory => None,
            Self::Directory(directory) => Some(directory.join(FILE)),
        }
    }
}

/// When a change is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Once this process is gone, however it went.
    Process,
    /// Once the power is gone too: the file is synchronized before the change is acknowledged.
    Power,
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    /// None for one in memory, which has a single connection.
    path: Option<PathBuf>,
    patience: Duration,
    /// The files as they were opened.
    presence: Presence,
    writer: Mutex<Writer>,
    /// Connections that nobody reads from at the moment.
    readers: Mutex<Vec<Connection>>,
}

impl Store {
    /// Opens a store, made and migrated as need be. A file that SQLite finds damaged is refused.
    pub fn open(place: &Place) -> Result<Self, Error> {
        let store = Self::open_unchecked(place)?;
        store.check()?;
        Ok(store)
    }

    /// Opens a store that [`Store::open`] may refuse, for whoever can tell better how damaged it
    /// is.
    pub fn open_unchecked(place: &Place) -> Result<Self, Error> {
        Self::open_within(place, PATIENCE)
    }

    /// The same with the time that other processes are waited for.
    pub fn open_within(place: &Place, patience: Duration) -> Result<Self, Error> {
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

    fn with(
        path: Option<PathBuf>,
        connection: Connection,
        presence: Presence,
        patience: Duration,
    ) -> Self {
        let writer = Mutex::new(Writer { connection, durability: None });
        Self { path, patience, presence, writer, readers: Mutex::default() }
    }

    /// SQLite's own look at the file: pages, trees, rows. It reads all of it.
    pub fn check(&self) -> Result<(), Error> {
        let Some(path) = &self.path else { return Ok(()) };
        self.read(|db| open::check(db, path)).map_err(|error| told(path, error))
    }

    /// Whether there is a store already.
    #[must_use]
    pub fn exists(place: &Place) -> bool {
        place.file().is_some_and(|file| file.exists())
    }

    /// Whether there is a store already, or a part of one.
    #[must_use]
    pub fn is_occupied(place: &Place) -> bool {
        place.file().is_some_and(|file| copy::is_occupied(&file))
    }

    /// The file, unless the store is in memory.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Reads. What it sees does not change while `query` runs only if that is a single statement.
    pub fn read<T, E: From<Error>>(
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
    pub fn glance<T, E: From<Error>>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        match self.writer.try_lock() {
            Ok(writer) => query(&writer.connection),
            Err(_) => self.read(query),
        }
    }

    /// Changes the store in one transaction: all of it or, after an error, nothing.
    pub fn write<T, E: From<Error>>(
        &self,
        durability: Durability,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.writer().write(durability, &self.presence, change)
    }

    /// The same, unless somebody else is writing: that is [`Error::Locked`], without waiting.
    pub fn write_at_once<T, E: From<Error>>(
        &self,
        durability: Durability,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
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

/// The time, in milliseconds since 1970, as the store keeps it.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
