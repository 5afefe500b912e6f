//! The file that lasts: SQLite, shared by all processes that serve the same data directory. This
//! module opens it, brings it to the present schema and gives out transactions; what is in it is
//! the business of the registry, the journal and the memory.

use std::fs::{self, DirBuilder};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

pub use rusqlite::Transaction;

/// The name of the file in the data directory.
const FILE: &str = "mcp-pif.db";

/// How long a process waits for another one that is writing.
const PATIENCE: Duration = Duration::from_secs(10);

/// What says that a database is one of ours: `PIF1`.
const APPLICATION: i32 = 0x5049_4631;

/// The steps from an empty file to the present schema. A released step is never changed; a new
/// version appends one.
const MIGRATIONS: [&str; 1] = [include_str!("1.sql")];

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

/// How a file is looked at before it is used.
type Check = fn(&Connection, &Path) -> Result<(), Error>;

/// When a change is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Once this process is gone, however it went.
    Process,
    /// Once the power is gone too: the file is synchronized before the change is acknowledged.
    Power,
}

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be opened, made or written as the file system has it.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file, or its directory.
        path: PathBuf,
        /// What the system said, and what to do.
        reason: String,
    },
    /// It is no store of ours, or holds what no store of ours would.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// It was written by a later version.
    #[error("{}: written by a later version of mcp-pif (schema {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: usize,
        /// Ours.
        known: usize,
    },
    /// Another process kept it locked.
    #[error("another process kept the store locked for {PATIENCE:?}: try again")]
    Locked,
    /// There is no room left.
    #[error("the disk is full: nothing was changed")]
    Full,
    /// A term is not the one that was kept.
    #[error(
        "the term of {tool} is not the one that its hash {hash} names: restore the store from a copy"
    )]
    Altered {
        /// The tool in backticks, or what else there is to say of it.
        tool: String,
        /// sha256 of the term that was kept.
        hash: String,
    },
    /// A statement failed for another reason.
    #[error("the store failed: {0}")]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DiskFull) => Self::Full,
            _ => Self::Sqlite(error),
        }
    }
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    /// None for one in memory, which has a single connection.
    path: Option<PathBuf>,
    writer: Mutex<Connection>,
    /// Connections that nobody reads from at the moment.
    readers: Mutex<Vec<Connection>>,
}

impl Store {
    /// Opens a store, made and migrated as need be. A file that SQLite finds damaged is refused.
    pub fn open(place: &Place) -> Result<Self, Error> {
        Self::open_with(place, check)
    }

    /// Opens a store that [`Store::open`] refuses, for whoever wants to see how damaged it is.
    pub fn open_unchecked(place: &Place) -> Result<Self, Error> {
        Self::open_with(place, |_, _| Ok(()))
    }

    fn open_with(place: &Place, check: Check) -> Result<Self, Error> {
        match place {
            Place::Memory => {
                let mut connection = Connection::open_in_memory()?;
                configure(&connection)?;
                migrate(&mut connection, Path::new(":memory:"))?;
                Ok(Self::new(None, connection))
            }
            Place::Directory(directory) => {
                make_directory(directory)?;
                let path = directory.join(FILE);
                let connection = open_file(&path, check).map_err(|error| told(&path, error))?;
                Ok(Self::new(Some(path), connection))
            }
        }
    }

    /// Whether there is a store already.
    #[must_use]
    pub fn exists(place: &Place) -> bool {
        place.file().is_some_and(|file| file.exists())
    }

    fn new(path: Option<PathBuf>, writer: Connection) -> Self {
        Self { path, writer: Mutex::new(writer), readers: Mutex::default() }
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
        let Some(path) = &self.path else { return query(&self.writer()) };
        let idle = self.readers().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => reader(path).map_err(Error::from)?,
        };
        let result = query(&connection);
        self.readers().push(connection);
        result
    }

    /// Changes the store in one transaction: all of it or, after an error, nothing.
    pub fn write<T, E: From<Error>>(
        &self,
        durability: Durability,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.writer();
        // In WAL mode a commit is synchronized at the level FULL and only written at NORMAL.
        let level = if durability == Durability::Power { "FULL" } else { "NORMAL" };
        connection.pragma_update(None, "synchronous", level).map_err(Error::from)?;
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Error::from)?;
        let result = change(&transaction)?;
        transaction.commit().map_err(Error::from)?;
        Ok(result)
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
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

fn make_directory(directory: &Path) -> Result<(), Error> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let unusable = |reason: String| Error::Unusable { path: directory.to_owned(), reason };
    builder.create(directory).map_err(|error| {
        unusable(format!("the data directory cannot be made: {error}; name another by --data DIR, or keep nothing by --ephemeral"))
    })?;
    match fs::metadata(directory) {
        Ok(it) if it.is_dir() => Ok(()),
        Ok(_) => Err(unusable("not a directory".to_owned())),
        Err(error) => Err(unusable(error.to_string())),
    }
}

fn open_file(path: &Path, check: Check) -> Result<Connection, Error> {
    let mut connection = Connection::open(path)?;
    configure(&connection)?;
    enter_wal(&connection)?;
    check(&connection, path)?;
    migrate(&mut connection, path)?;
    // Whoever cannot write is to hear of it now and not at the first change.
    connection.transaction_with_behavior(TransactionBehavior::Immediate)?.rollback()?;
    Ok(connection)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // Where a query needs room to sort, that is in memory: no other files are ever written.
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// Switches to the write-ahead log. Two processes that do so at once get in each other's way, and
/// SQLite does not wait here of itself.
fn enter_wal(connection: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        let entered = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match entered {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < PATIENCE =>
            {
                thread::sleep(Duration::from_millis(2));
            }
            entered => return entered,
        }
    }
}

/// SQLite's own look at the file: pages, trees, rows.
fn check(connection: &Connection, path: &Path) -> Result<(), Error> {
    let found: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if found == "ok" {
        return Ok(());
    }
    let reason = format!("damaged: {found}; restore the file from a copy");
    Err(Error::Damaged { path: path.to_owned(), reason })
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    let version = |connection: &Connection| -> Result<usize, Error> {
        let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let (application, version) = (number("application_id")?, number("user_version")?);
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if application != APPLICATION && (application != 0 || version != 0 || tables != 0) {
            let reason = "a database, but not one of mcp-pif".to_owned();
            return Err(Error::Damaged { path: path.to_owned(), reason });
        }
        Ok(usize::try_from(version).unwrap_or(usize::MAX))
    };
    let newer = |found| Error::Newer { path: path.to_owned(), found, known: MIGRATIONS.len() };
    match version(connection)? {
        found if found > MIGRATIONS.len() => return Err(newer(found)),
        found if found == MIGRATIONS.len() => return Ok(()),
        _ => {}
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    let start = version(&transaction)?;
    for migration in MIGRATIONS.iter().skip(start) {
        transaction.execute_batch(migration)?;
    }
    let reached = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", reached)?;
    transaction.commit()?;
    Ok(())
}

fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// The error of a file that could not be opened, with its path.
fn told(path: &Path, error: Error) -> Error {
    let Error::Sqlite(error) = error else { return error };
    let path = path.to_owned();
    let reason = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            let reason = format!("damaged: {reason}; restore the file from a copy");
            Error::Damaged { path, reason }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            let reason = format!(
                "cannot be written: {reason}; name another directory by --data DIR, or keep nothing by --ephemeral"
            );
            Error::Unusable { path, reason }
        }
        _ => Error::Unusable { path, reason },
    }
}
