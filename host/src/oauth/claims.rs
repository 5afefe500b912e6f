//! The claims of a token whose signature is right (RFC 7519, RFC 9068).

use std::time::Duration;

use super::member::{seconds, text, texts};
use super::refusal::Refusal;
use crate::domain::{Principal, Scope};
use crate::json::Members;
use crate::text;

/// How far the clocks of issuer and server may differ.
const LEEWAY: f64 = 60.0;
/// The most bytes of a subject.
const LONGEST_SUBJECT: usize = 255;

/// A token that passed all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The name by which the issuer knows the user or the client.
    pub subject: String,
    /// The greatest scope of the token. Scopes of other servers do not count.
    pub scope: Option<Scope>,
}

impl Verified {
    /// The principal whose token it is, if the token has a scope. No name in a file of tokens has a
    /// colon, so nobody there has the same name.
    #[must_use]
    pub fn principal(&self) -> Option<Principal> {
        Some(Principal::new(&format!("oauth:{}", self.subject), self.scope?))
    }
}

/// Checks the claims of a token.
pub(super) fn check(
    claims: &Members<'_>,
    issuer: &str,
    audience: &str,
    now: Duration,
) -> Result<Verified, Refusal> {
    if claims.has("cnf") {
        return Err(wrong("cnf", "binds it to a key, so it is no bearer token"));
    }
    let stated = string(claims, "iss")?;
    if stated != issuer {
        return Err(Refusal::Issuer(text::line(&stated, text::MOST_NAME)));
    }
    let audiences = texts(claims, "aud").map_err(|()| wrong("aud", "is no list of strings"))?;
    if !audiences.ok_or_else(|| missing("aud"))?.iter().any(|it| it == audience) {
        return Err(Refusal::Audience);
    }
    check_times(claims, now.as_secs_f64())?;
    Ok(Verified { subject: subject(claims)?, scope: scope(claims)? })
}

fn check_times(claims: &Members<'_>, now: f64) -> Result<(), Refusal> {
    let time = |name| seconds(claims, name).map_err(|()| wrong(name, "is not a number"));
    let (expiry, start, _issued) = (time("exp")?, time("nbf")?, time("iat")?);
    if now >= expiry.ok_or_else(|| missing("exp"))? + LEEWAY {
        return Err(Refusal::Expired);
    }
    match start {
        Some(start) if now + LEEWAY < start => Err(Refusal::Early),
        _ => Ok(()),
    }
}

/// The subject stands in logs and in the journal.
fn subject(claims: &Members<'_>) -> Result<String, Refusal> {
    let subject = string(claims, "sub")?;
    let is_plain = !subject.chars().any(text::is_hidden);
    let is_name = is_plain && (1..=LONGEST_SUBJECT).contains(&subject.len());
    is_name.then_some(subject).ok_or_else(|| wrong("sub", "is not a name of 1 to 255 bytes"))
}

/// The greatest scope: they are in `scope`, as RFC 9068 wants, or in `scp`, as some issuers write.
fn scope(claims: &Members<'_>) -> Result<Option<Scope>, Refusal> {
    let scope = text(claims, "scope").map_err(|()| wrong("scope", "is not a string"))?;
    let list = match scope {
        Some(scope) => Some(vec![scope]),
        None => texts(claims, "scp").map_err(|()| wrong("scp", "is no list of strings"))?,
    };
    let list = list.unwrap_or_default();
    Ok(list.iter().flat_map(|words| words.split(' ')).filter_map(Scope::find).max())
}

/// A string that must be there.
fn string(claims: &Members<'_>, name: &'static str) -> Result<String, Refusal> {
    let text = text(claims, name).map_err(|()| wrong(name, "is not a string"))?;
    text.ok_or_else(|| missing(name))
}

fn wrong(name: &'static str, reason: &'static str) -> Refusal {
    Refusal::Member { name, reason }
}

fn missing(name: &'static str) -> Refusal {
    wrong(name, "is missing")
}
