//! Access to the server: for everybody who reaches it, or for the holders of tokens. The operator gives out
//! tokens, or an issuer does.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use http::{HeaderMap, StatusCode, header};
use pif_domain::text;
use pif_domain::{Principal, Scope};
use tokio::sync::watch;
use tokio::time::sleep;

use super::issuer::{Issuer, IssuerSettings};
use super::rate_limiter::RateLimiter;
use super::reply::Refusal;
use super::reread::Reread;
use super::tokens::{Error, SHORTEST, Tokens};
use crate::oauth::{self, BearerError, VerifiedToken, challenge};

/// The scope that a client asks for first. It asks for more when a call needs more.
const FIRST: Scope = Scope::Run;

/// The most characters of a list of words in the log.
const MOST_WORDS: usize = 200;

/// The access to a server. Without tokens and an issuer, whoever reaches the server is the user of
/// this machine.
#[derive(Debug)]
pub struct Access {
    tokens: Option<(PathBuf, Reread<Tokens>)>,
    issuer: Option<Issuer>,
    limiter: RateLimiter,
    /// Tells that the files were read again.
    reloads: watch::Sender<()>,
}

/// The right by which a request is served.
#[derive(Debug, Clone)]
pub(super) struct Pass {
    pub(super) principal: Principal,
    /// Its token; the user of this machine needs none.
    token: Option<Arc<str>>,
    /// When the token ends.
    end: Option<SystemTime>,
    reloads: watch::Receiver<()>,
}

impl Pass {
    /// Whether the right is that of a token. Another one does not end.
    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }
}

/// Why a token is not accepted.
enum Fault {
    /// The file has it, and it is too short.
    Short(Arc<str>),
    /// The file has it, and its time is over.
    Ended(Arc<str>),
    /// Neither the file nor an issuer knows it.
    Unknown,
    /// The issuer's token is wrong.
    Refused(oauth::Refusal),
    /// The issuer's token has no scope of this server.
    Without(VerifiedToken),
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
        let read = |file: PathBuf| {
            let tokens = Reread::new(file.display().to_string(), Tokens::read(&file)?);
            Ok((file, tokens))
        };
        let tokens = file.map(read).transpose()?;
        let issuer = issuer.map(Issuer::new).transpose()?;
        let limiter = RateLimiter::new(wrong, span);
        Ok(Self { tokens, issuer, limiter, reloads: watch::Sender::new(()) })
    }

    /// Reads the files again. Rights that they no longer give end.
    pub(super) fn reload(&self) {
        if let Some((file, tokens)) = &self.tokens {
            tokens.renew(|| Tokens::read(file));
        }
        if let Some(issuer) = &self.issuer {
            issuer.reload();
        }
        self.reloads.send_replace(());
    }

    /// Whether everybody who reaches the server may use it.
    pub(super) fn is_open(&self) -> bool {
        self.tokens.is_none() && self.issuer.is_none()
    }

    /// Whether nobody can be this owner any more. Who comes from an issuer can come again.
    pub(super) fn is_gone(&self, owner: &str) -> bool {
        let is_issued = self.issuer.is_some() && VerifiedToken::is_owner(owner);
        let is_known = self.tokens.as_ref().is_some_and(|(_, tokens)| tokens.get().has(owner));
        !self.is_open() && !is_issued && !is_known
    }

    /// The document of a path that leads clients to the issuer.
    pub(super) fn document(&self, path: &str) -> Option<&str> {
        self.issuer.as_ref()?.document(path)
    }

    /// The header that tells a client which token it needs.
    pub(super) fn challenge(&self, needed: Scope, error: Option<BearerError>) -> String {
        match &self.issuer {
            Some(issuer) => issuer.challenge(needed, error),
            None => challenge(None, &[needed.name()], error),
        }
    }

    /// The right of a request.
    pub(super) fn pass(
        &self,
        headers: &HeaderMap,
        address: Option<IpAddr>,
    ) -> Result<Pass, Refusal> {
        let reloads = self.reloads.subscribe();
        if self.is_open() {
            return Ok(Pass { principal: Principal::local(), token: None, end: None, reloads });
        }
        let Some(token) = bearer(headers)? else {
            let message = "the request has no token: send the header `Authorization: Bearer TOKEN`";
            return Err(Refusal::denied(StatusCode::UNAUTHORIZED, message)
                .challenge(&self.challenge(FIRST, None)));
        };
        match self.find(token) {
            Ok((principal, end)) => Ok(Pass { principal, token: Some(token.into()), end, reloads }),
            Err(fault) => Err(self.refuse(fault, token, address)),
        }
    }

    /// Returns when a right ends: when a file that is read again no longer gives it, and when its
    /// token ends if `expires`. A file may move that moment.
    pub(super) async fn lapse(self: Arc<Self>, pass: Pass, expires: bool) {
        let Pass { principal, token: Some(token), mut end, mut reloads } = pass else {
            return std::future::pending().await;
        };
        loop {
            let left = end.filter(|_| expires).map(|end| end.duration_since(SystemTime::now()));
            let expired = async {
                match left {
                    Some(left) => sleep(left.unwrap_or_default()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = expired => return,
                // The sender is a part of `self`.
                _ = reloads.changed() => match self.find(&token) {
                    Ok((found, later)) if found.owner() == principal.owner() => end = later,
                    _ => return,
                },
            }
        }
    }

    /// The principal of a token, and when the token ends.
    fn find(&self, token: &str) -> Result<(Principal, Option<SystemTime>), Fault> {
        let tokens = self.tokens.as_ref().map(|(_, tokens)| tokens.get());
        if let Some(known) = tokens.as_ref().and_then(|tokens| tokens.find(token)) {
            let name = Arc::clone(known.principal.owner());
            if token.len() < SHORTEST {
                return Err(Fault::Short(name));
            }
            if known.end.is_some_and(|end| end <= text::time::now()) {
                return Err(Fault::Ended(name));
            }
            let since = known.end.and_then(|end| u64::try_from(end).ok());
            let end = since.map(|end| SystemTime::UNIX_EPOCH + Duration::from_millis(end));
            return Ok((known.principal.clone(), end));
        }
        let issuer = self.issuer.as_ref().filter(|_| token.contains('.')).ok_or(Fault::Unknown)?;
        let verified = issuer.verify(token).map_err(Fault::Refused)?;
        let end = SystemTime::UNIX_EPOCH.checked_add(verified.end);
        match verified.principal() {
            Some(principal) => Ok((principal, end)),
            None => Err(Fault::Without(verified)),
        }
    }

    /// Tells the operator why a token is not accepted, and the client what it may know.
    fn refuse(&self, fault: Fault, token: &str, address: Option<IpAddr>) -> Refusal {
        let from = address.map(tracing::field::display);
        match fault {
            Fault::Short(name) => tracing::warn!(
                "the token of `{name}` has fewer than {SHORTEST} characters: make another one by \
                 `openssl rand -hex 32`"
            ),
            Fault::Ended(name) => tracing::info!(from, "the token of `{name}` has ended"),
            Fault::Unknown => self.doubt(token, address),
            // Tokens expire every day and nobody guesses a signature: such are not counted.
            Fault::Refused(why) => {
                tracing::info!(from, %why, "a token is refused");
                return self.invalid();
            }
            Fault::Without(verified) => {
                let words = text::line(&verified.words.join(" "), MOST_WORDS);
                let subject = verified.subject;
                tracing::info!(
                    from,
                    "the token of `{subject}` has no scope of this server but `{words}`: \
                     --scope-map and --role-map say what such words mean"
                );
                return self.without();
            }
        }
        self.wrong(token, address)
    }

    /// Tells the operator what could be the matter with a token that nobody knows.
    fn doubt(&self, token: &str, address: Option<IpAddr>) {
        let from = address.map(tracing::field::display);
        if self.tokens.as_ref().is_some_and(|(_, tokens)| tokens.get().has_plain(token)) {
            tracing::warn!("the file of tokens has a token itself: write its sha256 there");
        } else if self.issuer.is_some() {
            tracing::info!(from, "a token is none of the file's, and no JWT of the issuer");
        } else {
            tracing::info!(from, "a token is none of the file's");
        }
    }

    /// Counts a wrong token.
    fn wrong(&self, token: &str, address: Option<IpAddr>) -> Refusal {
        let address = address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        if let Some(time) = self.limiter.count(address, Instant::now()) {
            tracing::warn!(%address, "wrong tokens keep coming");
            let message = "too many wrong tokens came from this address";
            return Refusal::denied(StatusCode::TOO_MANY_REQUESTS, message)
                .retry(time.as_secs().max(1));
        }
        if token.len() < SHORTEST {
            let message = format!(
                "the token has fewer than {SHORTEST} characters, so it is not accepted: ask for one \
                 that `openssl rand -hex 32` makes"
            );
            return self.unauthorized(message);
        }
        self.invalid()
    }

    /// The answer to a token that the server does not accept.
    pub(super) fn invalid(&self) -> Refusal {
        self.unauthorized("the token is not accepted: ask for a new one".to_owned())
    }

    fn unauthorized(&self, message: String) -> Refusal {
        Refusal::denied(StatusCode::UNAUTHORIZED, message)
            .challenge(&self.challenge(FIRST, Some(BearerError::InvalidToken)))
    }

    fn without(&self) -> Refusal {
        let message = "the token has no scope of this server: read, run, evolve or admin";
        Refusal::denied(StatusCode::FORBIDDEN, message)
            .challenge(&self.challenge(FIRST, Some(BearerError::InsufficientScope)))
    }
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
