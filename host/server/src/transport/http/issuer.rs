//! An authorization server whose tokens are accepted, and the document that leads clients to it.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pif_domain::Scope;
use pif_system::{ForbiddenAccess, read_owned};

use super::reread::Reread;
use super::tokens::Error;
use crate::oauth::{
    Refusal, ScopeWords, VerifiedToken, Verifier, challenge, metadata, metadata_path, metadata_url,
};

/// The most bytes of a file of keys.
const MOST_KEYS: u64 = 256 << 10;

/// The settings of an issuer.
#[derive(Debug)]
pub struct IssuerSettings {
    /// Its URL.
    pub url: String,
    /// The URL of this server, which tokens have as their audience.
    pub resource: String,
    /// Other names that tokens have as their audience.
    pub audiences: Vec<String>,
    /// What its words mean: settings such as `api://pif/run=run`.
    pub scopes: Vec<String>,
    /// What its roles mean.
    pub roles: Vec<String>,
    /// The file of its keys, a JWK Set.
    pub keys: PathBuf,
}

/// An authorization server.
#[derive(Debug)]
pub(super) struct Issuer {
    settings: IssuerSettings,
    words: ScopeWords,
    keys: Reread<Verifier>,
    /// The document for clients, its path, and its URL.
    document: String,
    path: String,
    link: String,
}

impl Issuer {
    pub(super) fn new(settings: IssuerSettings) -> Result<Self, Error> {
        let IssuerSettings { url, resource, keys, .. } = &settings;
        let wrong = |error: crate::oauth::Error| unusable(keys, error.to_string());
        let words = ScopeWords::read(&settings.scopes, &settings.roles).map_err(wrong)?;
        let verifier = verifier(&settings, &words)?;
        let document = metadata(resource, url, &words.offered()).map_err(wrong)?;
        let path = metadata_path(resource).map_err(wrong)?;
        let link = metadata_url(resource).map_err(wrong)?;
        let keys = Reread::new(keys.display().to_string(), verifier);
        Ok(Self { settings, words, keys, document, path, link })
    }

    /// Reads the keys again.
    pub(super) fn reload(&self) {
        self.keys.renew(|| verifier(&self.settings, &self.words));
    }

    /// The document at a path.
    pub(super) fn document(&self, path: &str) -> Option<&str> {
        let bare = |path: &str| path.strip_suffix('/').unwrap_or(path).to_owned();
        let is_root = path == "/.well-known/oauth-protected-resource";
        (is_root || bare(path) == bare(&self.path)).then_some(self.document.as_str())
    }

    /// The header that tells a client which token it needs.
    pub(super) fn challenge(
        &self,
        needed: Scope,
        error: Option<crate::oauth::BearerError>,
    ) -> String {
        challenge(Some(&self.link), &[self.words.asked(needed)], error)
    }

    /// Checks a token.
    pub(super) fn verify(&self, token: &str) -> Result<VerifiedToken, Refusal> {
        // Before 1970 the clock is wrong, and every token has expired.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        self.keys.get().verify(token, now.unwrap_or(Duration::MAX))
    }
}

fn unusable(file: &Path, reason: String) -> Error {
    Error::Unreadable { path: file.to_owned(), reason }
}

/// What checks the tokens of an issuer, with the keys of its file.
fn verifier(settings: &IssuerSettings, words: &ScopeWords) -> Result<Verifier, Error> {
    let IssuerSettings { url, resource, keys: file, .. } = settings;
    let keys = read_owned(file, MOST_KEYS, ForbiddenAccess::Write);
    let keys = keys.map_err(|reason| unusable(file, reason))?;
    let verifier = Verifier::new(url, resource, &keys);
    let verifier = verifier.map_err(|error| unusable(file, error.to_string()))?;
    verifier.notes().iter().for_each(|note| tracing::warn!("{}: {note}", file.display()));
    Ok(verifier.accepting(&settings.audiences, words))
}
