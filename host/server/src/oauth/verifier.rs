//! Checks a bearer token from its length to its claims. The claims are read only once the signature
//! is right.

use std::time::Duration;

use pif_domain::json::Members;
use pif_domain::text;

use super::address;
use super::algorithm::Algorithm;
use super::claims::{self, Verified};
use super::error::Error;
use super::keys::Keys;
use super::member::{decode, text};
use super::refusal::Refusal;
use super::words::Words;

/// The most bytes of a token.
const LONGEST: usize = 16 << 10;
/// Types of access tokens. Many issuers write the second.
const TYPES: [&str; 3] = ["at+jwt", "jwt", "application/at+jwt"];

/// Checks tokens of one issuer for one resource.
#[derive(Debug, Clone)]
pub struct Verifier {
    issuer: String,
    /// The names of the resource in tokens.
    audiences: Vec<String>,
    words: Words,
    keys: Keys,
}

impl Verifier {
    /// Takes the URL of the issuer, the URL of the resource, and the issuer's keys, a JWK Set.
    pub fn new(issuer: &str, audience: &str, keys: &str) -> Result<Self, Error> {
        address::issuer(issuer)?;
        address::resource(audience)?;
        let keys = Keys::read(keys)?;
        let audiences = vec![audience.to_owned()];
        Ok(Self { issuer: issuer.to_owned(), audiences, words: Words::default(), keys })
    }

    /// Accepts tokens for other names of the resource too, and what an issuer calls the scopes.
    #[must_use]
    pub fn accepting(mut self, audiences: &[String], words: &Words) -> Self {
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
    pub fn verify(&self, token: &str, now: Duration) -> Result<Verified, Refusal> {
        if token.len() > LONGEST {
            return Err(Refusal::TooLong(token.len()));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(NOT_THREE)?;
        let (header, claims) = signed.split_once('.').ok_or(NOT_THREE)?;
        if claims.contains('.') {
            return Err(NOT_THREE);
        }
        let header = json("header", header)?;
        let (algorithm, id) = read_header(&object("header", &header)?)?;
        let key = self.keys.pick(id.as_deref(), algorithm)?;
        let signature = decode(signature).ok_or(NO_BASE64)?;
        if !key.verify(algorithm, signed.as_bytes(), &signature) {
            return Err(Refusal::Signature);
        }
        let claims = json("payload", claims)?;
        let claims = object("payload", &claims)?;
        claims::check(&claims, &self.issuer, &self.audiences, now)?;
        claims::verified(&claims, &self.words)
    }
}

const NOT_THREE: Refusal = Refusal::Malformed("it does not consist of three parts");
const NO_BASE64: Refusal = Refusal::Malformed("a part is not base64");

/// The text of a part of a token.
fn json(part: &'static str, encoded: &str) -> Result<String, Refusal> {
    String::from_utf8(decode(encoded).ok_or(NO_BASE64)?).map_err(|_| Refusal::NoObject(part))
}

/// An object whose members occur once.
fn object<'a>(part: &'static str, json: &'a str) -> Result<Members<'a>, Refusal> {
    let members = Members::parse(json).map_err(|_| Refusal::NoObject(part))?;
    match members.duplicate() {
        Some(name) => Err(Refusal::Twice(text::line(name, text::MOST_NAME))),
        None => Ok(members),
    }
}

/// The algorithm and the name of the key. Keys and addresses of keys in the header are not used.
fn read_header(header: &Members<'_>) -> Result<(Algorithm, Option<String>), Refusal> {
    let read =
        |name| text(header, name).map_err(|()| Refusal::Member { name, reason: "is not a string" });
    if header.has("crit") {
        return Err(Refusal::Member { name: "crit", reason: "names extensions" });
    }
    match read("typ")? {
        Some(kind) if !TYPES.contains(&kind.to_ascii_lowercase().as_str()) => {
            return Err(Refusal::Type(text::line(&kind, text::MOST_NAME)));
        }
        _ => {}
    }
    let name = read("alg")?.ok_or(Refusal::Member { name: "alg", reason: "is missing" })?;
    let algorithm = Algorithm::find(&name)
        .ok_or_else(|| Refusal::Algorithm(text::line(&name, text::MOST_NAME)))?;
    Ok((algorithm, read("kid")?))
}
