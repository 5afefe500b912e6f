//! Files that the broker keeps in the data directory, shared by all processes of one user.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The contents of a file, as this process has read them last.
#[derive(Debug, Default)]
pub(super) struct CachedFile<T> {
    /// None: everything stays in memory.
    place: Option<(PathBuf, &'static str)>,
    pub(super) contents: T,
    read: Option<SystemTime>,
}

/// What is kept in a file, with the version of its form.
pub(super) trait FileFormat: Clone + Default + Serialize + DeserializeOwned {
    /// The version of this program.
    const VERSION: u32;

    /// The version in the file.
    fn version(&mut self) -> &mut u32;

    /// Computes what is not in the file.
    fn derive(&mut self) {}
}

impl<T: FileFormat> CachedFile<T> {
    /// Opens a file in a directory, or keeps everything in memory.
    pub(super) fn open(directory: Option<PathBuf>, name: &'static str) -> io::Result<Self> {
        if let Some(directory) = &directory {
            fs::create_dir_all(directory)?;
        }
        let place = directory.map(|directory| (directory, name));
        let mut kept = Self { place, contents: T::default(), read: None };
        kept.refresh()?;
        Ok(kept)
    }

    /// Reads the file if another process has written it. Says whether it has.
    pub(super) fn refresh(&mut self) -> io::Result<bool> {
        let Some((directory, name)) = &self.place else { return Ok(false) };
        let path = directory.join(name);
        let written = match fs::metadata(&path) {
            Ok(metadata) => metadata.modified()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        if self.read == Some(written) {
            return Ok(false);
        }
        let mut contents: T = serde_json::from_slice(&fs::read(&path)?)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        if *contents.version() != T::VERSION {
            let told = format!("{}: another version has written it", path.display());
            return Err(io::Error::other(told));
        }
        contents.derive();
        (self.contents, self.read) = (contents, Some(written));
        Ok(true)
    }

    /// Changes the contents, in memory and in the file, while no other process does.
    pub(super) fn change<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> io::Result<R> {
        let Some((directory, name)) = self.place.clone() else {
            let changed = change(&mut self.contents);
            self.contents.derive();
            return Ok(changed);
        };
        let lock = directory.join("capabilities.lock");
        let lock = File::options().create(true).truncate(false).write(true).open(lock)?;
        lock.lock()?;
        self.refresh()?;
        let mut contents = self.contents.clone();
        *contents.version() = T::VERSION;
        let changed = change(&mut contents);
        let text = serde_json::to_vec(&contents)?;
        let path = directory.join(name);
        let new = path.with_extension("new");
        write_own(&new, &text)?;
        fs::rename(&new, &path)?;
        self.read = Some(fs::metadata(&path)?.modified()?);
        contents.derive();
        self.contents = contents;
        Ok(changed)
    }
}

#[cfg(unix)]
fn write_own(path: &Path, text: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut file =
        File::options().create(true).write(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

#[cfg(not(unix))]
fn write_own(path: &Path, text: &[u8]) -> io::Result<()> {
    fs::write(path, text)
}
