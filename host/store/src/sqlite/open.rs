//! Opens a store: creates the directory and the file if necessary, and migrates the file to the
//! current schema.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::filesystem;
use super::presence::{INDEX, LOG, Presence};
use super::schema::{self, APPLICATION, MIGRATIONS};
use crate::Error;
use crate::place::FILE;

/// The time to wait for a lock before checking whether the file system supports locks at all.
const GLANCE: Duration = Duration::from_secs(1);

pub(super) fn make_directory(directory: &Path) -> Result<(), Error> {
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
    // A new directory must be synchronized in its parent: SQLite synchronizes only the file. Some
    // systems cannot synchronize directories; the error is then ignored.
    for made in directory.ancestors().take(missing) {
        let parent = made.parent().filter(|parent| parent.as_os_str() != OsStr::new(""));
        let _ = File::open(parent.unwrap_or(Path::new("."))).and_then(|it| it.sync_all());
    }
    Ok(())
}

pub(super) fn open_memory(patience: Duration) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    let transaction = connection.transaction()?;
    schema::advance(&transaction, 0)?;
    transaction.commit()?;
    configure(&connection, patience)?;
    Ok(connection)
}

/// Opens the file. If a lock takes long, checks whether the file system has locks at all, and waits
/// on only if it has.
pub(super) fn open_file(path: &Path, patience: Duration) -> Result<(Connection, Presence), Error> {
    let glance = patience.min(GLANCE);
    match try_open(path, glance) {
        Err(Error::Locked) => {
            filesystem::ensure_locks(path)?;
            if glance == patience { Err(Error::Locked) } else { try_open(path, patience) }
        }
        Ok((connection, presence)) => {
            connection.busy_timeout(patience)?;
            Ok((connection, presence))
        }
        failed => failed,
    }
}

fn try_open(path: &Path, patience: Duration) -> Result<(Connection, Presence), Error> {
    ensure_whole(path)?;
    make_private(path);
    let mut connection = Connection::open(path)?;
    let mut presence = Presence::default();
    presence.note(path);
    configure(&connection, patience)?;
    // This comes before any write: a file of another application must stay unchanged.
    let version = version(&connection, path)?;
    enter_wal(&connection, patience)?;
    if (1..MIGRATIONS.len()).contains(&version) {
        check(&connection, path)?;
    }
    migrate(&mut connection, path)?;
    // A read-only store must fail now, not at the first change. SQLite silently opens such a file
    // for reading.
    if connection.is_readonly("main")? {
        return Err(Error::ReadOnly);
    }
    connection.transaction_with_behavior(TransactionBehavior::Immediate)?.rollback()?;
    presence.note(&beside(path, LOG));
    presence.note(&beside(path, INDEX));
    // Another process may have replaced the file in the meantime.
    presence.ensure()?;
    Ok((connection, presence))
}

/// The path of a file that SQLite keeps beside the one at `path`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates the file, if there is none, readable only by its owner: it holds arguments and values of
/// tools. SQLite gives the files beside it the permissions of this one, and reports why the file
/// cannot be created.
fn make_private(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// Refuses an empty file with a log that is not empty. SQLite would take it for a new store and
/// delete the log, but a store with a log is never empty: its content was lost, and the log may
/// still have data.
fn ensure_whole(path: &Path) -> Result<(), Error> {
    // The log is read first, because another process may be creating the store.
    let log = fs::metadata(beside(path, LOG)).map_or(0, |it| it.len());
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

pub(super) fn configure(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(patience)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Without this, SQLite plans each statement again for its bound values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // Queries sort in memory, so that SQLite writes no other files.
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// Switches to the write-ahead log. Two processes that do so at once conflict, and SQLite does not
/// retry by itself.
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

pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), Error> {
    let found: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if found == "ok" {
        return Ok(());
    }
    // The first line names the database. There is only one.
    let lines: Vec<&str> = found.lines().filter(|line| !line.starts_with("***")).collect();
    let table = lines.iter().find_map(|line| table(connection, line));
    let place = table.map(|table| format!(" (in the table `{table}`)")).unwrap_or_default();
    let reason = format!("damaged: {}{place}; restore the file from a copy", lines.join(", "));
    Err(Error::Damaged { path: path.to_owned(), reason })
}

/// The table that a line of the check refers to by its root page.
fn table(connection: &Connection, line: &str) -> Option<String> {
    let root: i64 = line.strip_prefix("Tree ")?.split(' ').next()?.parse().ok()?;
    let sql = "SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?1";
    connection.query_row(sql, [root], |row| row.get(0)).ok()
}

/// The schema version of a file; 0 for an empty one.
pub(super) fn version(connection: &Connection, path: &Path) -> Result<usize, Error> {
    // Both values are read in one transaction, because another process may be creating the store.
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

pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    if version(connection, path)? == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it in the meantime.
    let start = identify(&transaction, path)?;
    schema::advance(&transaction, start)?;
    transaction.commit()?;
    Ok(())
}

pub(super) fn reader(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection, patience)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}
