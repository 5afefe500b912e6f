//! The file that lasts: SQLite, shared by all processes that serve the same data directory. This
//! module opens it, brings it to the present schema and gives out transactions; what is in it is
//! the business of the registry, the journal and the memory.

mod schema;
mod writer;

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

pub use self::writer::Transaction;

use self::schema::{APPLICATION, MIGRATIONS};
use self::writer::Writer;

/// The name of the file in the data directory.
const FILE: &str = "mcp-pif.db";

/// What SQLite appends to the name of the file for that of its write-ahead log.
const LOG: &str = "-wal";

/// How long a process waits for another one that is writing, unless it is told otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store with nothing in it, as the build has made it: to make one takes longer than to copy it.
const EMPTY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/empty.db"));

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
    #[error("another process keeps the store locked: nothing was changed")]
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
    /// It cannot be written any more.
    #[error("the store has become read-only: nothing was changed")]
    ReadOnly,
    /// A statement failed for another reason.
    #[error("the store failed: {0}{code}", code = code(.0))]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            _ => Self::Sqlite(error),
        }
    }
}

/// The number under which SQLite documents an error: its text does not tell a failing read from a
/// failing write.
fn code(error: &rusqlite::Error) -> String {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code.map(|code| format!(" (SQLite's code {code})")).unwrap_or_default()
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    /// None for one in memory, which has a single connection.
    path: Option<PathBuf>,
    patience: Duration,
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
        let (path, writer) = match place {
            Place::Memory => (None, open_memory(patience)?),
            Place::Directory(directory) => {
                make_directory(directory)?;
                let path = directory.join(FILE);
                let connection = open_file(&path, patience).map_err(|error| told(&path, error))?;
                (Some(path), connection)
            }
        };
        let writer = Mutex::new(Writer { connection: writer, durability: None });
        Ok(Self { path, patience, writer, readers: Mutex::default() })
    }

    /// SQLite's own look at the file: pages, trees, rows. It reads all of it.
    pub fn check(&self) -> Result<(), Error> {
        let Some(path) = &self.path else { return Ok(()) };
        self.read(|db| check(db, path)).map_err(|error| told(path, error))
    }

    /// Whether there is a store already.
    #[must_use]
    pub fn exists(place: &Place) -> bool {
        place.file().is_some_and(|file| file.exists())
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
        let connection = match idle {
            Some(connection) => connection,
            None => reader(path, self.patience).map_err(Error::from)?,
        };
        let result = query(&connection);
        self.readers().push(connection);
        result
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
        self.writer().write(durability, change)
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
        let result = writer.write(durability, change);
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

fn make_directory(directory: &Path) -> Result<(), Error> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let unusable = |reason: String| Error::Unusable { path: directory.to_owned(), reason };
    let missing = directory.ancestors().take_while(|it| !it.exists()).count();
    builder.create(directory).map_err(|error| {
        unusable(format!("the data directory cannot be made: {error}; name another by --data DIR, or keep nothing by --ephemeral"))
    })?;
    match fs::metadata(directory) {
        Ok(it) if it.is_dir() => {}
        Ok(_) => return Err(unusable("not a directory".to_owned())),
        Err(error) => return Err(unusable(error.to_string())),
    }
    // What is in a directory is safe only if the directory is: SQLite sees to the file, not to
    // what it stands in. Where directories cannot be synchronized there is nothing to be done.
    for made in directory.ancestors().take(missing) {
        let parent = made.parent().filter(|parent| parent.as_os_str() != OsStr::new(""));
        let _ = File::open(parent.unwrap_or(Path::new("."))).and_then(|it| it.sync_all());
    }
    Ok(())
}

fn open_memory(patience: Duration) -> rusqlite::Result<Connection> {
    let mut empty = Connection::open_in_memory()?;
    empty.deserialize_bytes("main", EMPTY)?;
    let mut connection = Connection::open_in_memory()?;
    Backup::new(&empty, &mut connection)?.step(-1)?;
    configure(&connection, patience)?;
    Ok(connection)
}

fn open_file(path: &Path, patience: Duration) -> Result<Connection, Error> {
    ensure_whole(path)?;
    make_private(path);
    let mut connection = Connection::open(path)?;
    configure(&connection, patience)?;
    // Before anything is written: the file of another application stays as it is.
    let version = version(&connection, path)?;
    enter_wal(&connection, patience)?;
    if (1..MIGRATIONS.len()).contains(&version) {
        check(&connection, path)?;
    }
    migrate(&mut connection, path)?;
    // Whoever cannot write is to hear of it now and not at the first change. SQLite opens what it
    // cannot write for reading, and says nothing.
    if connection.is_readonly("main")? {
        return Err(Error::ReadOnly);
    }
    connection.transaction_with_behavior(TransactionBehavior::Immediate)?.rollback()?;
    Ok(connection)
}

/// Makes the file, if there is none, so that nobody else can read what tools are given and what they
/// give; SQLite makes the files beside it alike. Why it cannot be made is told by SQLite.
fn make_private(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// An empty file is a new store, and SQLite throws away the log beside it. Ours is never empty
/// once it has a log, so what was in it is lost; what is in the log need not be.
fn ensure_whole(path: &Path) -> Result<(), Error> {
    let mut log = path.as_os_str().to_owned();
    log.push(LOG);
    // In this order: another process may be making the store.
    let log = fs::metadata(log).map_or(0, |it| it.len());
    match fs::metadata(path) {
        Ok(it) if it.len() == 0 && log > 0 => {
            let reason = format!(
                "damaged: it is empty, and the log beside it ({FILE}{LOG}) is not; restore both from a copy"
            );
            Err(Error::Damaged { path: path.to_owned(), reason })
        }
        _ => Ok(()),
    }
}

fn configure(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Otherwise every statement is planned anew for the values that are bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // Where a query needs room to sort, that is in memory: no other files are ever written.
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// Switches to the write-ahead log. Two processes that do so at once get in each other's way, and
/// SQLite does not wait here of itself.
fn enter_wal(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        let entered = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match entered {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && start.elapsed() < patience =>
            {
                thread::sleep(Duration::from_millis(2));
            }
            entered => return entered,
        }
    }
}

fn check(connection: &Connection, path: &Path) -> Result<(), Error> {
    let found: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if found == "ok" {
        return Ok(());
    }
    // It begins with a line that says which database: there is one.
    let lines: Vec<&str> = found.lines().filter(|line| !line.starts_with("***")).collect();
    let table = lines.iter().find_map(|line| table(connection, line));
    let place = table.map(|table| format!(" (in the table `{table}`)")).unwrap_or_default();
    let reason = format!("damaged: {}{place}; restore the file from a copy", lines.join(", "));
    Err(Error::Damaged { path: path.to_owned(), reason })
}

/// The table of which a line of the check tells: it knows the page where its tree starts.
fn table(connection: &Connection, line: &str) -> Option<String> {
    let root: i64 = line.strip_prefix("Tree ")?.split(' ').next()?.parse().ok()?;
    let sql = "SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?1";
    connection.query_row(sql, [root], |row| row.get(0)).ok()
}

/// The number of the schema that a file has; 0 for an empty one.
fn version(connection: &Connection, path: &Path) -> Result<usize, Error> {
    // In one view: another process may be making the store.
    let view = connection.unchecked_transaction()?;
    identify(&view, path)
}

fn identify(view: &Connection, path: &Path) -> Result<usize, Error> {
    let number = |name| view.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = view.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION && (application != 0 || version != 0 || tables != 0) {
        let reason = "a database, but not one of mcp-pif".to_owned();
        return Err(Error::Damaged { path: path.to_owned(), reason });
    }
    let found = usize::try_from(version).unwrap_or(usize::MAX);
    if found > MIGRATIONS.len() {
        return Err(Error::Newer { path: path.to_owned(), found, known: MIGRATIONS.len() });
    }
    Ok(found)
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    if version(connection, path)? == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    let start = identify(&transaction, path)?;
    schema::advance(&transaction, start)?;
    transaction.commit()?;
    Ok(())
}

fn reader(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection, patience)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// The error of a file that could not be opened, with its path and what to do.
fn told(path: &Path, error: Error) -> Error {
    const ELSEWHERE: &str = "name another directory by --data DIR, or keep nothing by --ephemeral";
    let reason = match &error {
        Error::Unusable { .. }
        | Error::Damaged { .. }
        | Error::Newer { .. }
        | Error::Altered { .. } => {
            return error;
        }
        Error::Locked => "another process keeps it locked; try again, or end that one".to_owned(),
        Error::Full => format!("the disk is full; make room, or {ELSEWHERE}"),
        Error::ReadOnly => format!("it cannot be written; {ELSEWHERE}"),
        Error::Sqlite(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                let reason = format!("damaged: {error}; restore the file from a copy");
                return Error::Damaged { path: path.to_owned(), reason };
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                format!("it cannot be opened or written: {error}; {ELSEWHERE}")
            }
            _ => error.to_string(),
        },
    };
    Error::Unusable { path: path.to_owned(), reason }
}
