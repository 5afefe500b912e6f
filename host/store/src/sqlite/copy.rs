//! Copies of a store: backups made during writes, and restored stores. A copy is made under a
//! temporary name beside its place and is then renamed as a whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pif_domain::text::time::now;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::connections::Sqlite;
use super::error::with_path;
use super::open;
use super::presence::{INDEX, LOG, Presence};
use crate::error::Error;
use crate::place::{FILE, Place};

/// The suffix of SQLite's rollback journal, which holds the replaced pages of an unfinished change.
const UNFINISHED: &str = "-journal";

/// The most lines of what SQLite says is damaged.
const MOST_DAMAGES: usize = 3;

/// The time to wait for writers.
const PATIENCE: Duration = Duration::from_secs(10);

/// A copy under its temporary name. Dropping it deletes the file, unless it was published.
#[derive(Debug)]
pub struct Duplicate {
    path: PathBuf,
    place: PathBuf,
}

/// A store that was moved aside, under its new name.
#[derive(Debug)]
pub struct MovedStore {
    /// The new path.
    pub path: PathBuf,
    /// Prevents others from opening it.
    _lock: Option<Connection>,
}

impl Sqlite {
    /// Copies the current state of the store to a file that is to be published as `place`.
    pub fn copy(&self, place: &Path) -> Result<Duplicate, Error> {
        let copy = Duplicate::beside(place)?;
        self.read(|db| copy.fill(db)).map_err(|error| with_path(place, error))?;
        Ok(copy)
    }
}

impl Duplicate {
    /// Copies a backup into the directory of the store that it is to replace.
    pub fn of_backup(backup: &Path, place: &Place) -> Result<Self, Error> {
        let Place::Directory(directory) = place else {
            return Err(unusable(
                backup,
                "there is no directory to restore it to: leave out --ephemeral",
            ));
        };
        match fs::metadata(backup) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(unusable(backup, "not a file")),
            Err(error) => return Err(unusable(backup, &error.to_string())),
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let source = Connection::open_with_flags(backup, flags).map_err(Error::from);
        let source = source.map_err(|error| with_path(backup, error))?;
        if open::version(&source, backup).map_err(|error| with_path(backup, error))? == 0 {
            return Err(unusable(backup, "there is no store in it"));
        }
        open::make_directory(directory)?;
        let copy = Self::beside(&directory.join(FILE))?;
        copy.fill(&source).map_err(|error| with_path(backup, error))?;
        Ok(copy)
    }

    fn beside(place: &Path) -> Result<Self, Error> {
        let name = place.file_name().filter(|_| !place.is_dir());
        let name = name.ok_or_else(|| unusable(place, "name a file, not a directory"))?;
        let mut part = OsString::from(".");
        part.push(name);
        part.push(format!(".{}-{}", std::process::id(), now()));
        let path = place.with_file_name(part);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path).map_err(|error| unusable(place, &error.to_string()))?;
        Ok(Self { path, place: place.to_owned() })
    }

    fn fill(&self, source: &Connection) -> Result<(), Error> {
        let mut target = Connection::open(&self.path)?;
        let start = Instant::now();
        // One step copies one consistent state. It neither sees nor blocks concurrent writers.
        loop {
            match Backup::new(source, &mut target)?.step(-1)? {
                StepResult::Done => break,
                _ if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
                _ => return Err(Error::Locked),
            }
        }
        // This makes it a single file without a log.
        target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
        open::migrate(&mut target, &self.path)
    }

    /// An empty store under a temporary name.
    pub(super) fn fresh(place: &Path) -> Result<Self, Error> {
        let copy = Self::beside(place)?;
        open::migrate(&mut Connection::open(&copy.path)?, &copy.path)?;
        Ok(copy)
    }

    /// Opens the copy for verification.
    pub fn open(&self) -> Result<Sqlite, Error> {
        let connection = Connection::open(&self.path)?;
        open::configure(&connection, PATIENCE)?;
        Ok(Sqlite::with(None, connection, Presence::default(), PATIENCE))
    }

    /// Runs SQLite's most thorough check on the copy, including indices. `file` is the path for
    /// messages.
    pub fn check(store: &Sqlite, file: &Path) -> Result<(), Error> {
        let found = store.read(|db| {
            let check = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
            Ok::<_, Error>(db.pragma_query_value(None, "integrity_check", check)?)
        })?;
        if found == "ok" {
            return Ok(());
        }
        let first: Vec<&str> = found.lines().take(MOST_DAMAGES).collect();
        Err(unusable(file, &format!("damaged: {}", first.join(" "))))
    }

    /// Gives the copy its final name. An existing file is replaced only if `replace` is set.
    pub fn publish(self, replace: bool) -> Result<(), Error> {
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::AlreadyExists => {
                unusable(&self.place, "there is a file of this name already; --force replaces it")
            }
            _ => unusable(&self.place, &error.to_string()),
        };
        let written = OpenOptions::new().write(true).open(&self.path);
        written.and_then(|file| file.sync_all()).map_err(failed)?;
        if replace {
            fs::rename(&self.path, &self.place).map_err(failed)?;
        } else {
            name_again(&self.path, &self.place).map_err(failed)?;
        }
        synchronize(&self.place);
        Ok(())
    }
}

impl Drop for Duplicate {
    fn drop(&mut self) {
        for suffix in ["", LOG, INDEX, UNFINISHED] {
            let _ = fs::remove_file(open::beside(&self.path, suffix));
        }
    }
}

/// Gives a file a second name. Fails if a file of that name exists.
fn name_again(path: &Path, name: &Path) -> std::io::Result<()> {
    match fs::hard_link(path, name) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !name.exists() => {
            // Some file systems do not support a second name.
            fs::copy(path, name).and_then(|_| File::open(name)?.sync_all())
        }
        linked => linked,
    }
}

/// Synchronizes the directory of a new name, so that the name survives a power failure. Some
/// systems cannot synchronize directories; the error is then ignored.
fn synchronize(path: &Path) {
    let directory = path.parent().filter(|parent| *parent != Path::new(""));
    let _ = File::open(directory.unwrap_or(Path::new("."))).and_then(|it| it.sync_all());
}

impl MovedStore {
    /// Gives the store at a place a second name; None if there is no store. Fails if another
    /// process has it open. Others cannot open it until the returned value is dropped.
    pub fn put(place: &Place) -> Result<Option<Self>, Error> {
        let Some(file) = place.file().filter(|_| is_occupied(place)) else { return Ok(None) };
        let lock = lock(&file)?;
        let name = |n: u32| open::beside(&file, &format!(".old-{n}"));
        let path = (1..u32::MAX).map(name).find(|path| !has_part(path));
        let path = path.ok_or_else(|| unusable(&file, "there are too many old stores"))?;
        let failed = |error: std::io::Error| unusable(&path, &error.to_string());
        if file.exists() {
            name_again(&file, &path).map_err(failed)?;
        }
        // Only a damaged store still has these files. SQLite would take them for files of the new
        // store.
        for suffix in [LOG, INDEX, UNFINISHED] {
            let (from, to) = (open::beside(&file, suffix), open::beside(&path, suffix));
            if from.exists() {
                fs::rename(from, to).map_err(failed)?;
            }
        }
        synchronize(&file);
        // Windows cannot replace an open file, so the lock is released there.
        Ok(Some(Self { path, _lock: lock.filter(|_| !cfg!(windows)) }))
    }
}

/// Whether a place has a store, or one of its files.
#[must_use]
pub fn is_occupied(place: &Place) -> bool {
    place.file().is_some_and(|file| has_part(&file))
}

fn has_part(file: &Path) -> bool {
    ["", LOG, UNFINISHED].iter().any(|suffix| open::beside(file, suffix).exists())
}

/// Locks a store for this process and merges its log into the file. None if the store is damaged.
fn lock(file: &Path) -> Result<Option<Connection>, Error> {
    let lock = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags)?;
        connection.busy_timeout(Duration::from_millis(200))?;
        connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
        connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
        connection.execute_batch("BEGIN EXCLUSIVE")?;
        Ok::<_, rusqlite::Error>(connection)
    };
    match lock() {
        Ok(connection) => Ok(Some(connection)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
            Err(unusable(file, "a server has the store open: end it first"))
        }
        Err(_) => Ok(None),
    }
}

pub(super) fn unusable(path: &Path, reason: &str) -> Error {
    Error::Unusable { path: path.to_owned(), reason: reason.to_owned() }
}
