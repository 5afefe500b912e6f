//! The keys of a store: one that signs, those before it, and the statements by which each followed
//! the one before. They stand in one file, which nobody but its owner may read.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pif_domain::text::time;
use pif_system::{ForbiddenAccess, make_private_directory, read_owned};
use serde::{Deserialize, Serialize};

use crate::envelope::Envelope;
use crate::key::{KeyError, PrivateKey, PublicKey};
use crate::statement::Rotation;

/// The name of the file, in the directory of the store.
const NAME: &str = "keys.json";

/// Bytes that the file may have.
const MOST: u64 = 1 << 20;

/// Why keys cannot be read or made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("the keys in {path} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file cannot be written.
    #[error("the keys in {path} cannot be written: {source}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no place for keys.
    #[error("a store in memory has no keys: leave out --ephemeral")]
    NoStore,
    /// There is no key.
    #[error("there is no key in {path}: make one with `mcp-pif keys new`")]
    NoKey {
        /// The file that would hold it.
        path: PathBuf,
    },
    /// There is a key already.
    #[error("there is a key: replace it with `mcp-pif keys rotate`")]
    Present,
    /// A key cannot be made.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    /// From the first to the one that signs.
    keys: Vec<Item>,
    /// From the first to the last.
    rotations: Vec<Envelope>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    /// When it was made, as RFC 3339 has it.
    created: String,
    /// PKCS #8, in base64.
    private: String,
}

/// The keys of a store.
#[derive(Debug)]
pub struct Keyring {
    path: PathBuf,
    keys: Vec<(String, PrivateKey)>,
    rotations: Vec<Envelope>,
}

impl Keyring {
    /// Reads the keys in the directory of a store. There may be none.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(NAME);
        if !path.exists() {
            return Ok(Self { path, keys: Vec::new(), rotations: Vec::new() });
        }
        let unreadable = |reason: String| Error::Unreadable { path: path.clone(), reason };
        let text = read_owned(&path, MOST, ForbiddenAccess::Any).map_err(unreadable)?;
        let contents: KeyFile =
            serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        let mut keys = Vec::new();
        for item in contents.keys {
            let document = STANDARD.decode(item.private).map_err(|_| KeyError::Malformed);
            let key = document.and_then(|it| PrivateKey::from_pkcs8(&it));
            keys.push((item.created, key.map_err(|error| unreadable(error.to_string()))?));
        }
        Ok(Self { path, keys, rotations: contents.rotations })
    }

    /// The key that signs.
    pub fn current(&self) -> Result<&PrivateKey, Error> {
        self.keys.last().map(|(_, key)| key).ok_or_else(|| Error::NoKey { path: self.path.clone() })
    }

    /// All public keys with the time when each was made, the one that signs last.
    pub fn public(&self) -> impl Iterator<Item = (&str, PublicKey)> {
        self.keys.iter().map(|(created, key)| (created.as_str(), key.public()))
    }

    /// How each key followed the one before.
    #[must_use]
    pub fn rotations(&self) -> &[Envelope] {
        &self.rotations
    }

    /// Makes the first key.
    pub fn make(&mut self) -> Result<PublicKey, Error> {
        if !self.keys.is_empty() {
            return Err(Error::Present);
        }
        self.add(None)
    }

    /// Makes a key that follows the one that signs. Both sign that it does.
    pub fn rotate(&mut self) -> Result<PublicKey, Error> {
        self.current()?;
        self.add(Some(self.keys.len() - 1))
    }

    /// Adds a key, which follows the one at this place.
    fn add(&mut self, before: Option<usize>) -> Result<PublicKey, Error> {
        let next = PrivateKey::generate()?;
        let now = time::format(time::now());
        let before = before.and_then(|at| self.keys.get(at));
        self.rotations.extend(before.map(|(_, key)| Rotation::sign(key, &next, &now)));
        let public = next.public();
        self.keys.push((now, next));
        self.write()?;
        Ok(public)
    }

    /// Writes the file beside itself, then puts it in its place.
    fn write(&self) -> Result<(), Error> {
        let item = |(created, key): &(String, PrivateKey)| Item {
            created: created.clone(),
            private: STANDARD.encode(key.to_pkcs8()),
        };
        let keys = self.keys.iter().map(item).collect();
        let contents = KeyFile { keys, rotations: self.rotations.clone() };
        let written = serde_json::to_vec_pretty(&contents)
            .map_err(io::Error::from)
            .and_then(|bytes| write_private(&self.path, &bytes));
        written.map_err(|source| Error::Unwritable { path: self.path.clone(), source })
    }
}

/// Writes a file that only its owner may read, in a directory that is made if necessary. No reader sees a
/// part of it.
fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        make_private_directory(directory)?;
    }
    let part = path.with_extension("part");
    match fs::remove_file(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&part, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_last_and_only_their_owner_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let mut keys = Keyring::open(folder.path()).unwrap();
        assert!(matches!(keys.current(), Err(Error::NoKey { .. })));
        assert!(matches!(keys.rotate(), Err(Error::NoKey { .. })));
        let first = keys.make().unwrap();
        assert!(matches!(keys.make(), Err(Error::Present)));
        let second = keys.rotate().unwrap();
        let again = Keyring::open(folder.path()).unwrap();
        let found: Vec<PublicKey> = again.public().map(|it| it.1).collect();
        assert_eq!(found, [first, second]);
        assert_eq!(again.current().unwrap().public(), second);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let path = folder.path().join(NAME);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            assert!(matches!(Keyring::open(folder.path()), Err(Error::Unreadable { .. })));
        }
    }
}
