//! The files of a store as they were opened. Who deletes or replaces one of them under a server
//! leaves it a file without a name: what is written there is lost when the server ends.

use std::path::{Path, PathBuf};

use crate::state::Error;

/// What SQLite appends to the name of the file for that of its write-ahead log.
pub(super) const LOG: &str = "-wal";

/// The same for the index of that, which the processes share.
pub(super) const INDEX: &str = "-shm";

/// What tells a file from all others as long as somebody has it open; nothing where the system does
/// not say it.
#[cfg(unix)]
type Identity = (u64, u64);

/// Files and what they were.
#[derive(Debug, Default)]
pub(super) struct Presence {
    #[cfg(unix)]
    files: Vec<(PathBuf, Identity)>,
}

#[cfg(unix)]
impl Presence {
    /// Remembers what a path names now.
    pub(super) fn note(&mut self, path: &Path) {
        self.files.extend(identify(path).map(|identity| (path.to_owned(), identity)));
    }

    /// Refuses if a path names nothing any more, or something else.
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

/// Elsewhere a file that is open can be neither deleted nor replaced.
#[cfg(not(unix))]
impl Presence {
    pub(super) fn note(&mut self, _path: &Path) {}

    pub(super) fn ensure(&self) -> Result<(), Error> {
        Ok(())
    }
}
