//! The snapshots of the servers of a store, in files of its directory. A server holds a lock beside its
//! file while it lives, so that what a killed one has left counts for nothing.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::private::own;
use super::snapshot::Snapshot;

/// The folder in the data directory.
const FOLDER: &str = "servers";

/// The endings of the files' names.
const SNAPSHOT: &str = "json";
const LOCK: &str = "lock";
const NEW: &str = "new";

/// How often the folder is tried to be opened.
const ATTEMPTS: u32 = 5;

/// Publishes the snapshots of this process until it is closed.
#[derive(Debug)]
pub struct Publisher {
    path: PathBuf,
    /// None once it is closed.
    lock: Mutex<Option<File>>,
}

impl Publisher {
    /// Opens the folder in a data directory. Removes what servers have left that were killed.
    pub fn open(data: &Path) -> io::Result<Self> {
        let folder = data.join(FOLDER);
        let path = folder.join(format!("{}.{SNAPSHOT}", std::process::id()));
        let mut tried = 0;
        // Another server may sweep up, or end, at this moment.
        let lock = loop {
            tried += 1;
            match Self::hold(&folder, &path) {
                Err(_) if tried < ATTEMPTS => {}
                held => break held?,
            }
        };
        Ok(Self { path, lock: Mutex::new(Some(lock)) })
    }

    fn hold(folder: &Path, path: &Path) -> io::Result<File> {
        make(folder)?;
        for path in ends(folder, LOCK)? {
            if !is_held(&path) {
                remove(&path);
            }
        }
        let path = path.with_extension(LOCK);
        let lock = own(OpenOptions::new().create(true).truncate(false).write(true)).open(&path)?;
        lock.try_lock().map_err(io::Error::from)?;
        // What was swept up meanwhile nobody finds.
        if is_held(&path) { Ok(lock) } else { Err(io::Error::other("the lock was removed")) }
    }

    /// Writes a snapshot in place of the last one.
    pub fn publish(&self, snapshot: &Snapshot) -> io::Result<()> {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if lock.is_none() {
            return Ok(());
        }
        let new = self.path.with_extension(NEW);
        let file = own(OpenOptions::new().create(true).truncate(true).write(true)).open(&new)?;
        serde_json::to_writer(io::BufWriter::new(file), snapshot)?;
        fs::rename(&new, &self.path)
    }

    /// Removes the snapshot, and writes no more.
    pub fn close(&self) {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
        if lock.is_some() {
            remove(&self.path);
            // Those of other servers may still be there.
            let _ = self.path.parent().map(fs::remove_dir);
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.close();
    }
}

/// The snapshots of all servers of a data directory that live, in the order of their processes.
#[must_use]
pub fn published(data: &Path) -> Vec<Snapshot> {
    let locks = ends(&data.join(FOLDER), LOCK).unwrap_or_default();
    let alive = locks.into_iter().filter(|path| is_held(path));
    // A server that has just started has none yet.
    let read = |path: PathBuf| {
        let text = fs::read(path.with_extension(SNAPSHOT)).ok()?;
        serde_json::from_slice::<Snapshot>(&text).ok()
    };
    let mut found: Vec<Snapshot> = alive.filter_map(read).collect();
    found.sort_by_key(|it| it.process);
    found
}

/// The files of a folder whose names end so.
fn ends(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    Ok(paths.into_iter().filter(|path| path.extension().is_some_and(|it| it == ending)).collect())
}

/// Whether a process holds a lock.
fn is_held(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
}

/// Removes the files of a server. Others may do so, too.
fn remove(path: &Path) {
    for ending in [SNAPSHOT, NEW, LOCK] {
        match fs::remove_file(path.with_extension(ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(%error, "a snapshot was not removed");
            }
            _ => {}
        }
    }
}

/// Makes the folder, unless it is there.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_that_live_are_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let dead = folder.path().join(FOLDER).join("1.json");
        fs::create_dir_all(dead.parent().expect("a folder")).expect("a folder");
        let snapshot = Snapshot { process: 7, calls: 3, ..Snapshot::default() };
        for path in [&dead, &dead.with_extension(LOCK)] {
            fs::write(path, serde_json::to_vec(&snapshot).expect("JSON")).expect("a file");
        }
        assert_eq!(published(folder.path()), []);
        let publisher = Publisher::open(folder.path()).expect("a publisher");
        assert!(!dead.exists() && !dead.with_extension(LOCK).exists());
        assert_eq!(published(folder.path()), []);
        publisher.publish(&snapshot).expect("it is written");
        assert_eq!(published(folder.path()), [snapshot.clone()]);
        publisher.close();
        publisher.publish(&snapshot).expect("nothing is written");
        assert!(!folder.path().join(FOLDER).exists());
    }
}
