//! Answers that are no results: what happened, and what to do.

use anyhow::{Error, anyhow};
use pif_domain::text;
use reqwest::StatusCode;
use reqwest::header::{LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};

use super::reply::Reply;
use super::target::Target;
use super::wire::{Answer, Wire};

/// The most characters of a text of the server.
const MOST: usize = 300;

/// Why there is no result in an answer.
pub(super) fn unanswered(wire: &Wire, answer: &Answer) -> Error {
    let target = &wire.target;
    let header = |name| answer.headers.get(name).and_then(|value| value.to_str().ok());
    let challenge = header(WWW_AUTHENTICATE).unwrap_or_default();
    let told = match &answer.reply {
        Reply::Refused { message, .. } => format!(": {}", text::line(message, MOST)),
        _ => String::new(),
    };
    let status = answer.status;
    match status {
        StatusCode::UNAUTHORIZED => unauthorized(target, wire.has_token(), challenge),
        StatusCode::FORBIDDEN if challenge.contains("insufficient_scope") => {
            let scope = parameter(challenge, "scope").unwrap_or("more");
            anyhow!("{target}: the token does not allow this: it needs the scope `{scope}`{told}")
        }
        StatusCode::FORBIDDEN => anyhow!(
            "{target} refuses the request{told}: if the server does not know this host, start it with \
             --allowed-host"
        ),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            let later = header(RETRY_AFTER).map(|it| format!(" in {it} seconds"));
            anyhow!("{target} is busy{told}: try again{}", later.unwrap_or_else(|| " later".into()))
        }
        StatusCode::PAYLOAD_TOO_LARGE => {
            anyhow!("{target}: the arguments are too large for the server{told}")
        }
        _ if status.is_redirection() => {
            let place = text::line(header(LOCATION).unwrap_or("another place"), MOST);
            anyhow!("{target} is not there any more: call {place}")
        }
        _ => match &answer.reply {
            Reply::Refused { code, message } => {
                anyhow!("{target} refuses the call: {} ({code})", text::line(message, MOST))
            }
            Reply::Strange(body) => strange(target, status, body),
            Reply::Result(_) => anyhow!("{target} answers with a result and the status {status}"),
        },
    }
}

fn unauthorized(target: &Target, has_token: bool, challenge: &str) -> Error {
    let place = parameter(challenge, "resource_metadata");
    let place = place.map(|url| format!("; {} says who issues tokens", text::line(url, MOST)));
    let place = place.unwrap_or_default();
    if has_token {
        anyhow!("{target} does not accept the token: it is wrong or has expired{place}")
    } else {
        anyhow!("{target} wants a token: use --token-file FILE, or set MCP_PIF_TOKEN{place}")
    }
}

/// A body that is no answer.
fn strange(target: &Target, status: StatusCode, body: &str) -> Error {
    let body = text::line(body.trim(), MOST);
    let told = if body.is_empty() { String::new() } else { format!(": {body}") };
    anyhow!(
        "{target} is no MCP server: it answers with the status {status}{told}\n  \
         look at the path: `mcp-pif serve --http` serves /mcp"
    )
}

/// The value of a parameter of `WWW-Authenticate`.
fn parameter<'a>(challenge: &'a str, name: &str) -> Option<&'a str> {
    let start = format!("{name}=\"");
    let is_start = |(index, _): &(usize, &str)| {
        let before = challenge.get(..*index).unwrap_or_default();
        before.ends_with([' ', ',']) || before.is_empty()
    };
    let (index, found) = challenge.match_indices(&start).find(is_start)?;
    challenge.get(index + found.len()..)?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_by_their_whole_names() {
        let challenge = r#"Bearer my_scope="a", resource_metadata="https://b", scope="read run""#;
        assert_eq!(parameter(challenge, "scope"), Some("read run"));
        assert_eq!(parameter(challenge, "resource_metadata"), Some("https://b"));
        assert_eq!(parameter(challenge, "error"), None);
        assert_eq!(parameter("", "scope"), None);
    }
}
