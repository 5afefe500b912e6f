//! The claims of a token whose signature is right (RFC 7519, RFC 9068).

use std::time::Duration;

use pif_domain::json::Members;
use pif_domain::text;
use pif_domain::{Principal, Scope};

use super::address;
use super::member::{seconds, text, texts};
use super::refusal::Refusal;
use super::words::Words;

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
    /// The words of the claims that a scope is looked for in.
    pub words: Vec<String>,
    /// When the token ends to be accepted, since 1970.
    pub end: Duration,
}

impl Verified {
    /// The principal whose token it is, if the token has a scope. No name in a file of tokens has a
    /// colon, so nobody there has the same name.
    #[must_use]
    pub fn principal(&self) -> Option<Principal> {
        Some(Principal::new(&format!("{OWNER}{}", self.subject), self.scope?))
    }

    /// Whether the owner of something is a principal of an issuer.
    #[must_use]
    pub fn is_owner(owner: &str) -> bool {
        owner.starts_with(OWNER)
    }
}

/// The start of the names of principals of an issuer.
const OWNER: &str = "oauth:";

/// Checks the claims of a token: by whom it was issued, for whom, and for how long.
pub(super) fn check(
    claims: &Members<'_>,
    issuer: &str,
    audiences: &[String],
    now: Duration,
) -> Result<(), Refusal> {
    if claims.has("cnf") {
        return Err(wrong("cnf", "binds it to a key, so it is no bearer token"));
    }
    let stated = string(claims, "iss")?;
    if stated != issuer {
        return Err(Refusal::Issuer(text::line(&stated, text::MOST_NAME)));
    }
    let given = texts(claims, "aud").map_err(|()| wrong("aud", "is no list of strings"))?;
    let given = given.ok_or_else(|| missing("aud"))?;
    let is_ours = |given: &String| audiences.iter().any(|ours| address::is_same(given, ours));
    if !given.iter().any(is_ours) {
        let given: Vec<String> = given.iter().take(4).map(|it| shown(it)).collect();
        return Err(Refusal::Audience(given.join(", ")));
    }
    check_times(claims, now.as_secs_f64())
}

/// What a token says of its holder.
pub(super) fn verified(claims: &Members<'_>, words: &Words) -> Result<Verified, Refusal> {
    let subject = subject(claims)?;
    let scopes = list(claims, &["scope", "scp"])?;
    let roles = list(claims, &["roles", "permissions", "groups"])?;
    let of_scopes = scopes.iter().filter_map(|word| words.of_scope(word));
    let of_roles = roles.iter().filter_map(|word| words.of_role(word));
    let scope = of_scopes.chain(of_roles).max();
    let expiry = seconds(claims, "exp").ok().flatten().unwrap_or_default();
    let end = Duration::try_from_secs_f64(expiry + LEEWAY).unwrap_or(Duration::MAX);
    Ok(Verified { subject, scope, words: [scopes, roles].concat(), end })
}

fn shown(given: &str) -> String {
    format!("`{}`", text::line(given, text::MOST_NAME))
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

/// The words of some claims. Each is a list, or a text with spaces between the words.
fn list(claims: &Members<'_>, names: &[&'static str]) -> Result<Vec<String>, Refusal> {
    let mut found = Vec::new();
    for name in names {
        let words = texts(claims, name).map_err(|()| wrong(name, "is no list of strings"))?;
        for words in words.unwrap_or_default() {
            found.extend(words.split_ascii_whitespace().map(str::to_owned));
        }
    }
    Ok(found)
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
