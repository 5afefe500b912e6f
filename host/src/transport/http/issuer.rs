//! Tokens of an authorization server: the file of its keys, and what clients are told of it.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use crate::domain::{Principal, Scope};
use crate::oauth::{
    BearerError, Refusal, Verifier, challenge, metadata, metadata_path, metadata_url,
};

/// The most bytes of a file of keys, and one more.
const MOST_BYTES: u64 = (256 << 10) + 1;

/// An authorization server whose tokens are accepted.
#[derive(Debug)]
pub struct Issuer {
    /// The file of its keys.
    keys: PathBuf,
    verifier: RwLock<Verifier>,
    /// The metadata of this server, where they are, and the whole URL of that place.
    document: String,
    path: String,
    url: String,
}

impl Issuer {
    /// Reads the keys. `resource` is the URL of this server. An error says what to do.
    pub fn new(issuer: &str, resource: &str, keys: PathBuf) -> Result<Self, String> {
        let told = |error: crate::oauth::Error| error.to_string();
        let scopes = Scope::ALL.map(Scope::name);
        let document = metadata(resource, issuer, &scopes).map_err(told)?;
        let (path, url) =
            (metadata_path(resource).map_err(told)?, metadata_url(resource).map_err(told)?);
        let verifier = Verifier::new(issuer, resource, &read(&keys)?)
            .map_err(|error| format!("{}: {error}", keys.display()))?;
        warn(&verifier);
        Ok(Self { keys, verifier: RwLock::new(verifier), document, path, url })
    }

    /// Reads the keys anew. A file with a mistake changes nothing.
    pub(super) fn reload(&self) {
        let renewed = read(&self.keys).and_then(|keys| {
            let mut verifier = self.verifier.write().unwrap_or_else(PoisonError::into_inner);
            verifier.renew(&keys).map_err(|error| error.to_string())?;
            warn(&verifier);
            Ok(())
        });
        match renewed {
            Ok(()) => tracing::info!("the keys of the issuer were read anew"),
            Err(error) => tracing::error!(%error, "the keys of the issuer stay as they were"),
        }
    }

    /// The principal of a token; None if the token has no scope of this server.
    pub(super) fn principal(&self, token: &str) -> Result<Option<Principal>, Refusal> {
        // Before 1970 the clock is wrong, and every token has expired.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let verifier = self.verifier.read().unwrap_or_else(PoisonError::into_inner);
        verifier.verify(token, now.unwrap_or(Duration::MAX)).map(|verified| verified.principal())
    }

    /// The metadata, if they are at this path.
    pub(super) fn document(&self, path: &str) -> Option<&str> {
        (path == self.path).then_some(&self.document)
    }

    /// The value of `WWW-Authenticate`: where to get a token, and with which scope.
    pub(super) fn challenge(&self, scope: Scope, error: Option<BearerError>) -> String {
        challenge(Some(&self.url), &[scope.name()], error)
    }
}

fn warn(verifier: &Verifier) {
    verifier.notes().iter().for_each(|note| tracing::warn!("a key of the issuer: {note}"));
}

/// Reads a file that only its owner can write: who writes it decides whose tokens count.
fn read(path: &Path) -> Result<String, String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(told)?;
    ensure_owned(&file).map_err(|reason| format!("{}: {reason}", path.display()))?;
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(told)?;
    Ok(text)
}

#[cfg(unix)]
fn ensure_owned(file: &File) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    let mode = file.metadata().map_err(|error| error.to_string())?.mode();
    if mode & 0o022 != 0 {
        return Err(format!("others can write it (mode {:03o}): chmod 644 it", mode & 0o777));
    }
    Ok(())
}

#[cfg(not(unix))]
fn ensure_owned(_: &File) -> Result<(), String> {
    Ok(())
}
