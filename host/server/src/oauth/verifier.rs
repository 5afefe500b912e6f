//! Checks a bearer token from its length to its claims. The claims are read only once the signature
//! is right.

use std::time::Duration;

use pif_domain::text;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::address;
use super::algorithm::Algorithm;
use super::claims::{Claims, VerifiedToken};
use super::error::Error;
use super::keys::Keys;
use super::member::{decode, is_present};
use super::refusal::Refusal;
use super::words::ScopeWords;

/// The most bytes of a token.
const LONGEST: usize = 16 << 10;
/// The most characters of what is wrong with a part.
const LONGEST_REASON: usize = 200;
/// Types of access tokens. Many issuers write the second.
const TYPES: [&str; 3] = ["at+jwt", "jwt", "application/at+jwt"];

/// Checks tokens of one issuer for one resource.
#[derive(Debug, Clone)]
pub struct Verifier {
    issuer: String,
    /// The names of the resource in tokens.
    audiences: Vec<String>,
    words: ScopeWords,
    keys: Keys,
}

impl Verifier {
    /// Takes the URL of the issuer, the URL of the resource, and the issuer's keys, a JWK Set.
    pub fn new(issuer: &str, audience: &str, keys: &str) -> Result<Self, Error> {
        address::issuer(issuer)?;
        address::resource(audience)?;
        let keys = Keys::read(keys)?;
        let audiences = vec![audience.to_owned()];
        Ok(Self { issuer: issuer.to_owned(), audiences, words: ScopeWords::default(), keys })
    }

    /// Accepts tokens for other names of the resource too, and what an issuer calls the scopes.
    #[must_use]
    pub fn accepting(mut self, audiences: &[String], words: &ScopeWords) -> Self {
        self.audiences.extend_from_slice(audiences);
        self.words = words.clone();
        self
    }

    /// Takes other keys of the issuer. If they are unusable, the former ones stay.
    pub fn renew(&mut self, keys: &str) -> Result<(), Error> {
        self.keys = Keys::read(keys)?;
        Ok(())
    }

    /// Says which keys of the issuer are not used, and why.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.keys.notes
    }

    /// Checks a token. `now` is the time since 1970.
    pub fn verify(&self, token: &str, now: Duration) -> Result<VerifiedToken, Refusal> {
        if token.len() > LONGEST {
            return Err(Refusal::TooLong(token.len()));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(NOT_THREE)?;
        let (header, claims) = signed.split_once('.').ok_or(NOT_THREE)?;
        if claims.contains('.') {
            return Err(NOT_THREE);
        }
        let header: Header = read("header", header)?;
        let algorithm = header.algorithm()?;
        let key = self.keys.pick(header.kid.as_deref(), algorithm)?;
        let signature = decode(signature).ok_or(NO_BASE64)?;
        if !key.verify(algorithm, signed.as_bytes(), &signature) {
            return Err(Refusal::Signature);
        }
        let claims: Claims = read("payload", claims)?;
        claims.check(&self.issuer, &self.audiences, now)?;
        claims.verified(&self.words)
    }
}

const NOT_THREE: Refusal = Refusal::Malformed("it does not consist of three parts");
const NO_BASE64: Refusal = Refusal::Malformed("a part is not base64");

/// Reads a part of a token.
fn read<T: DeserializeOwned>(part: &'static str, encoded: &str) -> Result<T, Refusal> {
    let json = decode(encoded).ok_or(NO_BASE64)?;
    let unreadable =
        |reason: &str| Refusal::Unreadable { part, reason: text::line(reason, LONGEST_REASON) };
    // A list would be read as the members in their order.
    if !json.trim_ascii_start().starts_with(b"{") {
        return Err(unreadable("it is not a JSON object"));
    }
    serde_json::from_slice(&json).map_err(|error| unreadable(&error.to_string()))
}

/// The members of a header that are read: keys and addresses of keys in it are not used. A member
/// that occurs twice is an error.
#[derive(Debug, Deserialize)]
struct Header {
    alg: String,
    typ: Option<String>,
    kid: Option<String>,
    #[serde(default, deserialize_with = "is_present")]
    crit: bool,
}

impl Header {
    /// The algorithm of the signature, if the header is of an access token.
    fn algorithm(&self) -> Result<Algorithm, Refusal> {
        if self.crit {
            return Err(Refusal::Extended);
        }
        match &self.typ {
            Some(kind) if !TYPES.contains(&kind.to_ascii_lowercase().as_str()) => {
                return Err(Refusal::Type(text::line(kind, text::MOST_NAME)));
            }
            _ => {}
        }
        Algorithm::find(&self.alg)
            .ok_or_else(|| Refusal::Algorithm(text::line(&self.alg, text::MOST_NAME)))
    }
}
