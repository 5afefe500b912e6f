//! Copies of a store: one is made while others go on writing, or comes back in place of the store.
//! A copy is made beside its place under another name and takes it at once, whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::connections::Sqlite;
use super::error::told;
use super::open;
use super::presence::{INDEX, LOG, Presence};
use crate::state::error::Error;
use crate::state::place::{FILE, Place};
use crate::text::time::now;

/// What SQLite appends to the name of a file for that of what an unfinished change replaced.
const UNFINISHED: &str = "-journal";

/// How long a copy waits for who writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// A copy that does not have its place yet. It goes away with this, unless it takes it.
#[derive(Debug)]
pub struct Duplicate {
    path: PathBuf,
    place: PathBuf,
}

/// A store that had to make room, under its new name.
#[derive(Debug)]
pub struct Aside {
    /// Where it is now.
    pub path: PathBuf,
    /// Keeps others from opening it.
    _lock: Option<Connection>,
}

impl Sqlite {
    /// Copies all that is in the store now into a file that is to have this name.
    pub fn copy(&self, place: &Path) -> Result<Duplicate, Error> {
        let copy = Duplicate::beside(place)?;
        self.read(|db| copy.fill(db)).map_err(|error| told(place, error))?;
        Ok(copy)
    }
}

impl Duplicate {
    /// Copies a backup into the directory of a store, whose place it is to take.
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
        let source = source.map_err(|error| told(backup, error))?;
        if open::version(&source, backup).map_err(|error| told(backup, error))? == 0 {
            return Err(unusable(backup, "there is no store in it"));
        }
        open::make_directory(directory)?;
        let copy = Self::beside(&directory.join(FILE))?;
        copy.fill(&source).map_err(|error| told(backup, error))?;
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
        // All of it in one view: whoever writes meanwhile is neither seen nor kept waiting.
        loop {
            match Backup::new(source, &mut target)?.step(-1)? {
                StepResult::Done => break,
                _ if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
                _ => return Err(Error::Locked),
            }
        }
        // One file, without a log beside it.
        target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
        open::migrate(&mut target, &self.path)
    }

    /// Opens the copy, for whoever verifies it.
    pub fn open(&self) -> Result<Sqlite, Error> {
        let connection = Connection::open(&self.path)?;
        open::configure(&connection, PATIENCE)?;
        Ok(Sqlite::with(None, connection, Presence::default(), PATIENCE))
    }

    /// SQLite's closest look at the copy: also that indices and tables hold the same. `file` is what a
    /// message names.
    pub fn check(store: &Sqlite, file: &Path) -> Result<(), Error> {
        let found = store.read(|db| {
            let check = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
            Ok::<_, Error>(db.pragma_query_value(None, "integrity_check", check)?)
        })?;
        if found == "ok" {
            return Ok(());
        }
        Err(unusable(file, &format!("damaged: {found}")))
    }

    /// Gives the copy the name that it is to have. A file that has it already is kept, unless it may
    /// be replaced.
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

/// A second name for a file, which nothing may have yet.
fn name_again(path: &Path, name: &Path) -> std::io::Result<()> {
    match fs::hard_link(path, name) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !name.exists() => {
            // Some file systems give a file one name only.
            fs::copy(path, name).and_then(|_| File::open(name)?.sync_all())
        }
        linked => linked,
    }
}

/// A name is safe only if its directory is. Where directories cannot be synchronized there is
/// nothing to be done.
fn synchronize(path: &Path) {
    let directory = path.parent().filter(|parent| *parent != Path::new(""));
    let _ = File::open(directory.unwrap_or(Path::new("."))).and_then(|it| it.sync_all());
}

impl Aside {
    /// Gives the store at a place a second name, if there is one and nobody has it open. Until what
    /// this gives is dropped, nobody else opens it.
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
        // Only a store that is damaged still has these: they would be taken for those of the next.
        for suffix in [LOG, INDEX, UNFINISHED] {
            let (from, to) = (open::beside(&file, suffix), open::beside(&path, suffix));
            if from.exists() {
                fs::rename(from, to).map_err(failed)?;
            }
        }
        synchronize(&file);
        // Windows replaces no file that is open.
        Ok(Some(Self { path, _lock: lock.filter(|_| !cfg!(windows)) }))
    }
}

/// Whether there is a store at a place already, or a part of one.
#[must_use]
pub fn is_occupied(place: &Place) -> bool {
    place.file().is_some_and(|file| has_part(&file))
}

fn has_part(file: &Path) -> bool {
    ["", LOG, UNFINISHED].iter().any(|suffix| open::beside(file, suffix).exists())
}

/// Takes a store for this process alone, with all that is in its log; nothing where it is damaged.
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
