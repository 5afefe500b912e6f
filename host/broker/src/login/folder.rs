//! The directory of logins: one file for each server, which its owner alone can read. All processes of one
//! user share them: who renews a token holds the lock of its server meanwhile.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pif_system::{ForbiddenAccess, read_owned};
use serde::{Deserialize, Serialize};
use tokio::time::{sleep, timeout};

use super::client::Client;
use super::problem::Problem;
use super::token::Tokens;

/// The name of the folder, beside the configuration.
const NAME: &str = "logins";

/// Bytes of a login.
const MOST: u64 = 1 << 20;

/// The version of the form of a login.
const VERSION: u32 = 1;

/// How long another process may hold a lock: a renewal takes one request.
const PATIENCE: Duration = Duration::from_secs(20);

/// The time between two attempts to get a lock.
const AGAIN: Duration = Duration::from_millis(20);

/// A login at a server.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Login {
    version: u32,
    /// The address of the server, which alone gets the token.
    pub(super) server: String,
    /// The name of the server in tokens.
    pub(super) resource: String,
    /// Who grants tokens.
    pub(super) issuer: String,
    /// Where.
    pub(super) token: String,
    /// Where they are given back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) revocation: Option<String>,
    /// What the tokens allow, as far as that is known.
    #[serde(default)]
    pub(super) scopes: Vec<String>,
    pub(super) client: Client,
    /// None: they are worth nothing any more, and the operator has to log in again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<Tokens>,
}

/// A login that is to be kept.
pub(super) struct New {
    pub(super) server: String,
    pub(super) resource: String,
    pub(super) issuer: String,
    pub(super) token: String,
    pub(super) revocation: Option<String>,
    pub(super) scopes: Vec<String>,
    pub(super) client: Client,
    pub(super) tokens: Tokens,
}

impl From<New> for Login {
    fn from(new: New) -> Self {
        let New { server, resource, issuer, token, revocation, scopes, client, tokens } = new;
        let tokens = Some(tokens);
        let version = VERSION;
        Self { version, server, resource, issuer, token, revocation, scopes, client, tokens }
    }
}

impl Login {
    /// The login with other tokens.
    pub(super) fn with(self, tokens: Option<Tokens>) -> Self {
        Self { tokens, ..self }
    }
}

/// What tells two versions of a file apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(SystemTime, u64, u64);

/// Keeps other processes from a login.
pub(super) struct Lock(#[expect(dead_code, reason = "the lock ends with the file")] File);

/// The folder of all logins.
#[derive(Debug, Clone)]
pub(in super::super) struct Folder(PathBuf);

impl Folder {
    /// The folder of a configuration.
    pub(in super::super) fn beside(file: &Path) -> Self {
        Self(file.parent().unwrap_or(Path::new(".")).join(NAME))
    }

    fn file(&self, id: &str) -> PathBuf {
        self.0.join(format!("{id}.json"))
    }

    /// Which version of a login there is; None: there is none.
    pub(super) fn stamp(&self, id: &str) -> Option<Stamp> {
        let metadata = fs::metadata(self.file(id)).ok()?;
        Some(Stamp(metadata.modified().ok()?, metadata.ino(), metadata.len()))
    }

    /// Reads a login; None: there is none.
    pub(super) fn read(&self, id: &str) -> Result<Option<Login>, Problem> {
        let path = self.file(id);
        let wrong = |why: String| Problem::Kept(format!("{}: {why}", path.display()));
        if !path.exists() {
            return Ok(None);
        }
        let text = read_owned(&path, MOST, ForbiddenAccess::Any).map_err(wrong)?;
        // The error may quote what stands there.
        let login: Login = serde_json::from_str(&text)
            .map_err(|it| wrong(format!("line {} cannot be read", it.line())))?;
        if login.version != VERSION {
            return Err(wrong("another version has written it".to_owned()));
        }
        Ok(Some(login))
    }

    /// Waits until no other process changes a login, and keeps others from it.
    pub(super) async fn lock(&self, id: &str) -> Result<Lock, Problem> {
        let path = self.0.join(format!("{id}.lock"));
        let wrong = |error: io::Error| Problem::Kept(format!("{}: {error}", path.display()));
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0).map_err(wrong)?;
        let file = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let file = file.map_err(wrong)?;
        let locked = async {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(()),
                    Err(TryLockError::WouldBlock) => sleep(AGAIN).await,
                    Err(TryLockError::Error(error)) => return Err(wrong(error)),
                }
            }
        };
        let late = |_| wrong(io::Error::other("another process does not let go of it"));
        timeout(PATIENCE, locked).await.map_err(late)??;
        Ok(Lock(file))
    }

    /// Writes a login: all of it, or nothing.
    pub(super) fn write(&self, _: &Lock, id: &str, login: &Login) -> Result<(), Problem> {
        let path = self.file(id);
        let new = path.with_extension("new");
        let write = || {
            let text = serde_json::to_vec(login)?;
            // What a process left that was ended may have another mode.
            remove(&new)?;
            let mut file = File::options().create_new(true).write(true).mode(0o600).open(&new)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().map_err(|error| Problem::Kept(format!("{}: {error}", path.display())))
    }

    /// Forgets a login. Says whether there was one.
    pub(super) fn remove(&self, _: &Lock, id: &str) -> Result<bool, Problem> {
        let path = self.file(id);
        remove(&path).map_err(|error| Problem::Kept(format!("{}: {error}", path.display())))
    }
}

fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
