//! Who may use the server: everybody who reaches it, or the holders of tokens. The operator gives out
//! tokens, or an issuer does.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use http::{HeaderMap, StatusCode, header};

use super::reply::Refusal;
use super::strikes::Strikes;
use super::tokens::{Error, Tokens};
use crate::config::{Forbidden, read_owned};
use crate::domain::{Principal, Scope};
use crate::oauth::{BearerError, Verifier, challenge, metadata, metadata_path, metadata_url};

/// The most bytes of a file of keys.
const MOST_KEYS: u64 = 256 << 10;

/// The scope that a client asks for first. It asks for more when a call needs more.
const FIRST: Option<Scope> = Some(Scope::Run);

/// The access to a server. Without tokens and an issuer, whoever reaches the server is the user of
/// this machine.
#[derive(Debug)]
pub struct Access {
    tokens: Option<Reread<Tokens>>,
    issuer: Option<Issuer>,
    strikes: Strikes,
}

/// A file that is read again while the server runs.
#[derive(Debug)]
struct Reread<T> {
    file: PathBuf,
    read: RwLock<Arc<T>>,
}

impl<T> Reread<T> {
    fn new(file: PathBuf, read: T) -> Self {
        Self { file, read: RwLock::new(Arc::new(read)) }
    }

    fn get(&self) -> Arc<T> {
        Arc::clone(&self.read.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the file again. A file with a mistake changes nothing.
    fn renew<E: std::fmt::Display>(&self, read: impl FnOnce(&Path) -> Result<T, E>) {
        let file = self.file.display();
        match read(&self.file) {
            Ok(read) => {
                *self.read.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(read);
                tracing::info!("{file} was read again");
            }
            Err(error) => tracing::error!(%error, "{file}: its former contents stay in force"),
        }
    }
}

/// An authorization server whose tokens are accepted.
#[derive(Debug)]
struct Issuer {
    url: String,
    resource: String,
    keys: Reread<Verifier>,
    /// The document for clients, its path, and its URL.
    document: String,
    path: String,
    link: String,
}

/// The settings of an issuer.
#[derive(Debug)]
pub struct IssuerSettings {
    /// Its URL.
    pub url: String,
    /// The URL of this server, which tokens have as their audience.
    pub resource: String,
    /// The file of its keys, a JWK Set.
    pub keys: PathBuf,
}

impl Access {
    /// Reads the file of tokens and the keys of the issuer. An address may send so many wrong tokens
    /// in a span of time.
    pub fn new(
        file: Option<PathBuf>,
        issuer: Option<IssuerSettings>,
        wrong: usize,
        span: Duration,
    ) -> Result<Self, Error> {
        let read = |file: PathBuf| Tokens::read(&file).map(|tokens| Reread::new(file, tokens));
        let tokens = file.map(read).transpose()?;
        let issuer = issuer.map(Issuer::new).transpose()?;
        Ok(Self { tokens, issuer, strikes: Strikes::new(wrong, span) })
    }

    /// Reads the files again.
    pub(super) fn reload(&self) {
        if let Some(tokens) = &self.tokens {
            tokens.renew(Tokens::read);
        }
        if let Some(issuer) = &self.issuer {
            issuer.keys.renew(|file| verifier(&issuer.url, &issuer.resource, file));
        }
    }

    /// The document of a path that leads clients to the issuer.
    pub(super) fn document(&self, path: &str) -> Option<&str> {
        let issuer = self.issuer.as_ref()?;
        let is_root = path == "/.well-known/oauth-protected-resource";
        (is_root || path == issuer.path).then_some(issuer.document.as_str())
    }

    /// The header that tells a client which token it needs.
    pub(super) fn challenge(&self, needed: Option<Scope>, error: Option<BearerError>) -> String {
        let scopes: Vec<&str> = needed.into_iter().map(Scope::name).collect();
        challenge(self.issuer.as_ref().map(|issuer| issuer.link.as_str()), &scopes, error)
    }

    /// The principal of a request.
    pub(super) fn principal(
        &self,
        headers: &HeaderMap,
        address: Option<IpAddr>,
    ) -> Result<Principal, Refusal> {
        if self.tokens.is_none() && self.issuer.is_none() {
            return Ok(Principal::local());
        }
        let Some(token) = bearer(headers)? else {
            let message = "the request has no token: send the header `Authorization: Bearer TOKEN`";
            return Err(Refusal::denied(StatusCode::UNAUTHORIZED, message)
                .challenge(&self.challenge(FIRST, None)));
        };
        let known = self.tokens.as_ref().and_then(|tokens| tokens.get().find(token).cloned());
        match known {
            Some(principal) => Ok(principal),
            None => self.issued(token, address),
        }
    }

    /// The principal of a token that is none of the operator's.
    fn issued(&self, token: &str, address: Option<IpAddr>) -> Result<Principal, Refusal> {
        let Some(issuer) = self.issuer.as_ref().filter(|_| token.contains('.')) else {
            if self.tokens.as_ref().is_some_and(|tokens| tokens.get().has_plain(token)) {
                tracing::warn!("the file of tokens has a token itself: write its sha256 there");
            }
            return Err(self.wrong(address));
        };
        // Before 1970 the clock is wrong, and every token has expired.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        match issuer.keys.get().verify(token, now.unwrap_or(Duration::MAX)) {
            Ok(verified) => verified.principal().ok_or_else(|| {
                let message = "the token has no scope of this server: read, run, evolve or admin";
                let error = Some(BearerError::InsufficientScope);
                Refusal::denied(StatusCode::FORBIDDEN, message)
                    .challenge(&self.challenge(FIRST, error))
            }),
            Err(why) => {
                // Tokens expire every day and nobody guesses a signature: such are not counted.
                tracing::info!(address = address.map(tracing::field::display), %why, "a token is refused");
                Err(self.invalid())
            }
        }
    }

    /// Counts a wrong token.
    fn wrong(&self, address: Option<IpAddr>) -> Refusal {
        let address = address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        if let Some(time) = self.strikes.count(address, Instant::now()) {
            tracing::warn!(%address, "wrong tokens keep coming");
            let message = "too many wrong tokens came from this address";
            return Refusal::denied(StatusCode::TOO_MANY_REQUESTS, message)
                .retry(time.as_secs().max(1));
        }
        tracing::info!(%address, "a wrong token");
        self.invalid()
    }

    fn invalid(&self) -> Refusal {
        let message = "the token is not accepted: ask for a new one";
        Refusal::denied(StatusCode::UNAUTHORIZED, message)
            .challenge(&self.challenge(FIRST, Some(BearerError::InvalidToken)))
    }
}

impl Issuer {
    fn new(settings: IssuerSettings) -> Result<Self, Error> {
        let IssuerSettings { url, resource, keys } = settings;
        let verifier = verifier(&url, &resource, &keys)?;
        let wrong = |error: crate::oauth::Error| unusable(&keys, error.to_string());
        let scopes = Scope::ALL.map(Scope::name);
        let document = metadata(&resource, &url, &scopes).map_err(wrong)?;
        let path = metadata_path(&resource).map_err(wrong)?;
        let link = metadata_url(&resource).map_err(wrong)?;
        Ok(Self { url, resource, keys: Reread::new(keys, verifier), document, path, link })
    }
}

fn unusable(file: &Path, reason: String) -> Error {
    Error::Unreadable { path: file.to_owned(), reason }
}

/// What checks the tokens of an issuer, with the keys of a file.
fn verifier(url: &str, resource: &str, file: &Path) -> Result<Verifier, Error> {
    let keys = read_owned(file, MOST_KEYS, Forbidden::Write);
    let keys = keys.map_err(|reason| unusable(file, reason))?;
    let verifier = Verifier::new(url, resource, &keys);
    let verifier = verifier.map_err(|error| unusable(file, error.to_string()))?;
    verifier.notes().iter().for_each(|note| tracing::warn!("{}: {note}", file.display()));
    Ok(verifier)
}

/// The token of a request.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let Some(first) = given.next() else { return Ok(None) };
    if given.next().is_some() {
        let message = "there are two headers `Authorization`";
        return Err(Refusal::invalid(StatusCode::BAD_REQUEST, message));
    }
    let text = first.to_str().unwrap_or_default();
    let Some((scheme, token)) = text.split_once(' ') else { return Ok(None) };
    Ok(scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()))
}
