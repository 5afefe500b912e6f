//! Tokens: got for a code, renewed by another token, given back.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::Url;
use reqwest::header::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::client::{Client, form};
use super::problem::{Party, Problem};
use super::wire::{Answer, Wire};

/// How long before its end a token is renewed.
const MARGIN: u64 = 30;

const FORM: &str = "application/x-www-form-urlencoded";

/// What an authorization server has granted. It has no `Debug`: it shows nowhere.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// Goes with requests to the server.
    pub(super) access: String,
    /// Gets the next tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<String>,
    /// When the access ends, in seconds since 1970. None: nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ends: Option<u64>,
    /// For how many seconds it was granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lasts: Option<u64>,
}

impl Tokens {
    /// Whether the access does not end soon.
    pub(super) fn is_fresh(&self) -> bool {
        let margin = self.lasts.map_or(MARGIN, |lasts| MARGIN.min(lasts / 2));
        self.ends.is_none_or(|ends| now() + margin < ends)
    }

    /// Whether the access is over.
    pub(super) fn has_ended(&self) -> bool {
        self.ends.is_some_and(|ends| ends <= now())
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs())
}

/// Whom we ask for tokens, as whom, and for which server.
pub(super) struct Counter<'a> {
    pub(super) wire: &'a Wire,
    pub(super) endpoint: &'a Url,
    pub(super) client: &'a Client,
    pub(super) resource: &'a str,
}

impl Counter<'_> {
    /// Gets tokens for a code; gives what they allow as well, if that is told.
    pub(super) async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        redirect: &str,
    ) -> Result<(Tokens, Option<String>), Problem> {
        let asked = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.to_owned()),
            ("redirect_uri", redirect.to_owned()),
            ("code_verifier", verifier.to_owned()),
        ];
        self.ask(asked).await
    }

    /// Gets the next tokens. The one that renews stays if there is no other.
    pub(super) async fn renew(&self, refresh: &str) -> Result<Tokens, Problem> {
        let asked =
            vec![("grant_type", "refresh_token".to_owned()), ("refresh_token", refresh.to_owned())];
        let (tokens, _) = self.ask(asked).await?;
        let refresh = tokens.refresh.or_else(|| Some(refresh.to_owned()));
        Ok(Tokens { refresh, ..tokens })
    }

    async fn ask(
        &self,
        mut asked: Vec<(&'static str, String)>,
    ) -> Result<(Tokens, Option<String>), Problem> {
        asked.push(("resource", self.resource.to_owned()));
        let headers = self.client.sign(&mut asked);
        let body = (FORM, form(&asked));
        let answer = self.wire.post(Party::Token, self.endpoint, headers, body).await?;
        if !answer.is_success() {
            return Err(answer.refusal());
        }
        read(&answer)
    }

    /// Gives a token back. Whoever takes none back, or does not know it, leaves it to its end.
    pub(super) async fn give_back(&self, token: &str) -> Result<(), Problem> {
        let mut asked = vec![("token", token.to_owned())];
        let headers = self.client.sign(&mut asked);
        let body = (FORM, form(&asked));
        let answer = self.wire.post(Party::Revocation, self.endpoint, headers, body).await?;
        if answer.is_success() { Ok(()) } else { Err(answer.refusal()) }
    }
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: Option<String>,
    token_type: Option<String>,
    refresh_token: Option<String>,
    expires_in: Option<Value>,
    scope: Option<String>,
}

fn read(answer: &Answer) -> Result<(Tokens, Option<String>), Problem> {
    let wrong = |why: &str| Problem::document(Party::Token, why);
    let told: TokenResponse = answer.read()?;
    let Some(access) = told.access_token.filter(|it| !it.is_empty()) else {
        // Some say with the status of success that they refuse.
        return Err(match answer.refusal() {
            Problem::Status { .. } => wrong("there is no `access_token`"),
            refused => refused,
        });
    };
    if told.token_type.is_some_and(|it| !it.eq_ignore_ascii_case("bearer")) {
        return Err(wrong("`token_type` is not `Bearer`"));
    }
    if access.bytes().any(|byte| !byte.is_ascii_graphic())
        || HeaderValue::from_str(&access).is_err()
    {
        return Err(wrong("`access_token` is none that a header can hold"));
    }
    let lasts = told.expires_in.and_then(|it| match it {
        Value::Number(number) => number.as_f64().filter(|it| *it >= 0.0),
        Value::String(text) => text.parse().ok().filter(|it: &f64| *it >= 0.0),
        _ => None,
    });
    let lasts = lasts.and_then(|it| Duration::try_from_secs_f64(it).ok()).map(|it| it.as_secs());
    let ends = lasts.map(|lasts| now().saturating_add(lasts));
    let refresh = told.refresh_token.filter(|it| !it.is_empty());
    Ok((Tokens { access, refresh, ends, lasts }, told.scope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_renewed_before_it_ends() {
        let lasting = |lasts, left| {
            let ends = Some(now() + left);
            Tokens { access: "a".into(), refresh: None, ends, lasts }.is_fresh()
        };
        assert!(lasting(Some(3600), 3600) && lasting(Some(3600), 40) && !lasting(Some(3600), 20));
        // A short one is not renewed with each request.
        assert!(lasting(Some(10), 9) && !lasting(Some(10), 4) && !lasting(Some(0), 0));
        assert!(Tokens { access: "a".into(), refresh: None, ends: None, lasts: None }.is_fresh());
    }
}
