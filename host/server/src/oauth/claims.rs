//! The claims of a token whose signature is right (RFC 7519, RFC 9068).

use std::time::Duration;

use pif_domain::text;
use pif_domain::{Principal, Scope};
use serde::Deserialize;

use super::address;
use super::member::{Strings, is_present};
use super::refusal::Refusal;
use super::words::ScopeWords;

/// How far the clocks of issuer and server may differ.
const LEEWAY: f64 = 60.0;
/// The most bytes of a subject.
const LONGEST_SUBJECT: usize = 255;

/// A token that passed all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedToken {
    /// The name by which the issuer knows the user or the client.
    pub subject: String,
    /// The greatest scope of the token. Scopes of other servers do not count.
    pub scope: Option<Scope>,
    /// The words of the claims that a scope is looked for in.
    pub words: Vec<String>,
    /// When the token ends to be accepted, since 1970.
    pub end: Duration,
}

impl VerifiedToken {
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

/// The claims that are read. A claim that occurs twice is an error.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    iss: String,
    aud: Strings,
    sub: String,
    exp: f64,
    nbf: Option<f64>,
    #[serde(rename = "iat")]
    _iat: Option<f64>,
    /// Whether the token is bound to a key of its holder.
    #[serde(default, deserialize_with = "is_present")]
    cnf: bool,
    scope: Option<Strings>,
    scp: Option<Strings>,
    roles: Option<Strings>,
    permissions: Option<Strings>,
    groups: Option<Strings>,
}

impl Claims {
    /// Checks by whom the token was issued, for whom, and for how long.
    pub(super) fn check(
        &self,
        issuer: &str,
        audiences: &[String],
        now: Duration,
    ) -> Result<(), Refusal> {
        if self.cnf {
            return Err(Refusal::Bound);
        }
        if self.iss != issuer {
            return Err(Refusal::Issuer(text::line(&self.iss, text::MOST_NAME)));
        }
        let given = self.aud.as_slice();
        let is_ours = |given: &String| audiences.iter().any(|ours| address::is_same(given, ours));
        if !given.iter().any(is_ours) {
            let shown = |given: &String| format!("`{}`", text::line(given, text::MOST_NAME));
            let given: Vec<String> = given.iter().take(4).map(shown).collect();
            return Err(Refusal::Audience(given.join(", ")));
        }
        if now.as_secs_f64() >= self.exp + LEEWAY {
            return Err(Refusal::Expired);
        }
        match self.nbf {
            Some(start) if now.as_secs_f64() + LEEWAY < start => Err(Refusal::Early),
            _ => Ok(()),
        }
    }

    /// What the token says of its holder.
    pub(super) fn verified(self, words: &ScopeWords) -> Result<VerifiedToken, Refusal> {
        // The subject stands in logs and in the journal.
        let is_plain = !self.sub.chars().any(text::is_hidden);
        if !is_plain || !(1..=LONGEST_SUBJECT).contains(&self.sub.len()) {
            return Err(Refusal::Subject);
        }
        let scopes = split([&self.scope, &self.scp]);
        let roles = split([&self.roles, &self.permissions, &self.groups]);
        let of_scopes = scopes.iter().filter_map(|word| words.of_scope(word));
        let of_roles = roles.iter().filter_map(|word| words.of_role(word));
        let scope = of_scopes.chain(of_roles).max();
        // A time beyond the clock never comes.
        let end = Duration::try_from_secs_f64(self.exp + LEEWAY).unwrap_or(Duration::MAX);
        Ok(VerifiedToken { subject: self.sub, scope, words: [scopes, roles].concat(), end })
    }
}

/// The words of some claims. Each is a list, or a text with spaces between the words.
fn split<const N: usize>(claims: [&Option<Strings>; N]) -> Vec<String> {
    let texts = claims.into_iter().flatten().flat_map(Strings::as_slice);
    texts.flat_map(|text| text.split_ascii_whitespace()).map(str::to_owned).collect()
}
