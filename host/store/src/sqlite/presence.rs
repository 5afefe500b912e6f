//! Detects deleted or replaced files of an open store. A server would go on writing to the file
//! without a name, and the data would be lost when it ends.

use std::path::{Path, PathBuf};

use crate::Error;

/// The suffix of the write-ahead log's name.
pub(super) const LOG: &str = "-wal";

/// The suffix of the shared index of the write-ahead log.
pub(super) const INDEX: &str = "-shm";

/// The device and the inode of a file. They identify it while it is open.
#[cfg(unix)]
type Identity = (u64, u64);

/// The identities of files at opening. Empty on systems other than Unix.
#[derive(Debug, Default)]
pub(super) struct Presence {
    #[cfg(unix)]
    files: Vec<(PathBuf, Identity)>,
}

#[cfg(unix)]
impl Presence {
    /// Records the identity of the file at a path.
    pub(super) fn note(&mut self, path: &Path) {
        self.files.extend(identify(path).map(|identity| (path.to_owned(), identity)));
    }

    /// Fails if a path was deleted, or if another file is there.
    pub(super) fn ensure(&self) -> Result<(), Error> {
        self.files.iter().try_for_each(|(path, identity)| match identify(path) {
            Some(found) if found == *identity => Ok(()),
            found => Err(gone(path, found.is_some())),
        })
    }
}

#[cfg(unix)]
fn identify(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

#[cfg(unix)]
fn gone(path: &Path, is_there: bool) -> Error {
    let directory = path.parent().filter(|parent| !is_there && !parent.exists());
    let reason = match directory {
        Some(_) => "the directory of the store was deleted or moved while it was in use",
        None if is_there => "another file took the place of the store while it was in use",
        None => "the store was deleted or moved while it was in use",
    };
    Error::Gone { path: directory.unwrap_or(path).to_owned(), reason }
}

/// On other systems an open file can be neither deleted nor replaced.
#[cfg(not(unix))]
impl Presence {
    pub(super) fn note(&mut self, _path: &Path) {}

    pub(super) fn ensure(&self) -> Result<(), Error> {
        Ok(())
    }
}
