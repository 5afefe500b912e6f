//! Who may use the server: everybody who reaches it, or the holders of tokens.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use http::{HeaderMap, StatusCode, header};

use super::issuer::Issuer;
use super::reply::Refusal;
use super::strikes::Strikes;
use super::tokens::{Error, Tokens};
use crate::domain::{Principal, Scope};
use crate::oauth::{BearerError, challenge};

/// The access to a server.
#[derive(Debug)]
pub struct Access {
    /// The tokens of a file. Without them and an issuer, whoever reaches the server is the user of
    /// this machine.
    tokens: Option<(PathBuf, RwLock<Arc<Tokens>>)>,
    issuer: Option<Issuer>,
    strikes: Strikes,
}

impl Access {
    /// The access with the tokens of a file and those of an issuer, or that of the user of this
    /// machine. An address may send so many wrong tokens in a span of time.
    pub fn new(
        file: Option<PathBuf>,
        issuer: Option<Issuer>,
        wrong: usize,
        span: Duration,
    ) -> Result<Self, Error> {
        let tokens = match file {
            Some(file) => {
                let tokens = Tokens::read(&file)?;
                Some((file, RwLock::new(Arc::new(tokens))))
            }
            None => None,
        };
        Ok(Self { tokens, issuer, strikes: Strikes::new(wrong, span) })
    }

    /// Reads the files anew. A file with a mistake changes nothing.
    pub(super) fn reload(&self) {
        if let Some(issuer) = &self.issuer {
            issuer.reload();
        }
        let Some((file, tokens)) = &self.tokens else { return };
        match Tokens::read(file) {
            Ok(read) => {
                *tokens.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(read);
                tracing::info!("the tokens were read anew");
            }
            Err(error) => tracing::error!(%error, "the tokens stay as they were"),
        }
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
                .challenge(&self.challenge(Scope::Run, None)));
        };
        if let Some(principal) = self.known(token) {
            return Ok(principal);
        }
        if let Some(issuer) = self.issuer.as_ref().filter(|_| token.contains('.')) {
            return self.issued(issuer, token);
        }
        let address = address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        if let Some(time) = self.strikes.count(address, Instant::now()) {
            tracing::warn!(%address, "wrong tokens keep coming");
            let message = "too many wrong tokens came from this address";
            return Err(Refusal::denied(StatusCode::TOO_MANY_REQUESTS, message)
                .retry(time.as_secs().max(1)));
        }
        tracing::info!(%address, "a wrong token");
        let message = "the token is not known: the operator of the server gives out tokens";
        Err(self.invalid(message))
    }

    /// The principal of a token in the file.
    fn known(&self, token: &str) -> Option<Principal> {
        let (_, tokens) = self.tokens.as_ref()?;
        let tokens = Arc::clone(&tokens.read().unwrap_or_else(PoisonError::into_inner));
        tokens.find(token).cloned()
    }

    /// The principal of a token that the issuer may have signed. Nobody guesses a signature, and
    /// tokens expire every day, so wrong ones are not counted.
    fn issued(&self, issuer: &Issuer, token: &str) -> Result<Principal, Refusal> {
        match issuer.principal(token) {
            Ok(Some(principal)) => Ok(principal),
            Ok(None) => {
                let message = "the token has no scope of this server";
                let challenge = self.challenge(Scope::Run, Some(BearerError::InsufficientScope));
                Err(Refusal::denied(StatusCode::FORBIDDEN, message).challenge(&challenge))
            }
            Err(reason) => {
                tracing::info!(%reason, "a token is refused");
                Err(self.invalid("the token is not valid: get another one from the issuer"))
            }
        }
    }

    fn invalid(&self, message: &str) -> Refusal {
        let challenge = self.challenge(Scope::Run, Some(BearerError::InvalidToken));
        Refusal::denied(StatusCode::UNAUTHORIZED, message).challenge(&challenge)
    }

    /// The value of `WWW-Authenticate` for a request that needs a scope.
    pub(super) fn challenge(&self, scope: Scope, error: Option<BearerError>) -> String {
        match &self.issuer {
            Some(issuer) => issuer.challenge(scope, error),
            None => challenge(None, &[scope.name()], error),
        }
    }

    /// The metadata of the server, if they are at this path.
    pub(super) fn document(&self, path: &str) -> Option<&str> {
        self.issuer.as_ref()?.document(path)
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
