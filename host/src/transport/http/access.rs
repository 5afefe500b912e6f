//! Who may use the server: everybody who reaches it, or the holders of tokens.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use http::{HeaderMap, StatusCode, header};

use super::reply::Refusal;
use super::strikes::Strikes;
use super::tokens::{Error, Tokens};
use crate::domain::Principal;

/// The access to a server.
#[derive(Debug)]
pub struct Access {
    /// The tokens of a file; None: whoever reaches the server is the user of this machine.
    tokens: Option<(PathBuf, RwLock<Arc<Tokens>>)>,
    strikes: Strikes,
}

impl Access {
    /// The access with the tokens of a file, or that of the user of this machine. An address may send
    /// so many wrong tokens in a span of time.
    pub fn new(file: Option<PathBuf>, wrong: usize, span: Duration) -> Result<Self, Error> {
        let tokens = match file {
            Some(file) => {
                let tokens = Tokens::read(&file)?;
                Some((file, RwLock::new(Arc::new(tokens))))
            }
            None => None,
        };
        Ok(Self { tokens, strikes: Strikes::new(wrong, span) })
    }

    /// Reads the file anew. A file with a mistake changes nothing.
    pub(super) fn reload(&self) {
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
        let Some((_, tokens)) = &self.tokens else { return Ok(Principal::local()) };
        let Some(token) = bearer(headers)? else {
            let message = "the request has no token: send the header `Authorization: Bearer TOKEN`";
            return Err(Refusal::denied(StatusCode::UNAUTHORIZED, message).challenge("Bearer"));
        };
        let tokens = Arc::clone(&tokens.read().unwrap_or_else(PoisonError::into_inner));
        if let Some(principal) = tokens.find(token) {
            return Ok(principal.clone());
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
        Err(Refusal::denied(StatusCode::UNAUTHORIZED, message)
            .challenge("Bearer error=\"invalid_token\""))
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
