//! Challenges of a server that refuses (`WWW-Authenticate`): where its metadata is, and which scopes a
//! token needs.

use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};

/// What is said of bearer tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    /// The address of the metadata.
    pub(super) metadata: Option<String>,
    /// What a token needs.
    pub(super) scopes: Option<Vec<String>>,
}

impl Challenge {
    /// Reads the values of the header.
    pub(super) fn read(values: &[String]) -> Self {
        let mut read = Self::default();
        for (name, value) in values.iter().flat_map(|it| parameters(it)) {
            match name.to_ascii_lowercase().as_str() {
                "resource_metadata" => read.metadata = read.metadata.or(Some(value)),
                "scope" => read.scopes = read.scopes.or(Some(words(&value))),
                _ => {}
            }
        }
        read
    }
}

/// Whether a refusal asks for a token.
pub(in super::super) fn asks_for_token(headers: &HeaderMap) -> bool {
    let values = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|it| it.to_str().ok());
    let mut schemes = values.flat_map(parts).filter_map(|part| part.split_whitespace().next());
    schemes.any(|scheme| scheme.eq_ignore_ascii_case("bearer"))
}

/// The scopes that a refusal asks for.
pub(in super::super) fn wanted(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(WWW_AUTHENTICATE).iter();
    let values: Vec<String> = values.filter_map(|it| Some(it.to_str().ok()?.to_owned())).collect();
    Challenge::read(&values).scopes.unwrap_or_default()
}

/// Scopes that stand in one text.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The parameters of the scheme `Bearer`.
fn parameters(value: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut is_bearer = false;
    for part in parts(value) {
        let Some((left, right)) = part.split_once('=') else {
            is_bearer = part.eq_ignore_ascii_case("bearer");
            continue;
        };
        // A scheme stands before its first parameter.
        let mut words = left.split_whitespace();
        let (Some(first), second) = (words.next(), words.next()) else { continue };
        if second.is_some() {
            is_bearer = first.eq_ignore_ascii_case("bearer");
        }
        if is_bearer {
            found.push((second.unwrap_or(first).to_owned(), unquoted(right.trim())));
        }
    }
    found
}

/// The parts between the commas that stand outside of quotes.
fn parts(value: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let parts = value.split(|c| {
        let is_end = c == ',' && !is_quoted;
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        is_end
    });
    parts.map(str::trim).collect()
}

fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"') else { return text.to_owned() };
    let mut read = String::new();
    let mut letters = inner.chars();
    while let Some(c) = letters.next() {
        match c {
            '"' => break,
            '\\' => read.extend(letters.next()),
            c => read.push(c),
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Challenge {
        Challenge::read(&values.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_challenge_is_read_however_it_is_written() {
        let expected = Challenge {
            metadata: Some("https://a/b, c".to_owned()),
            scopes: Some(vec!["x".to_owned(), "y".to_owned()]),
        };
        for told in [
            r#"Bearer resource_metadata="https://a/b, c", scope="x y""#,
            r#"bearer error="invalid_token",error_description="a, \"b\"",scope="x  y",Resource_Metadata="https://a/b, c""#,
            r#"Basic realm="z", Bearer scope="x y", resource_metadata="https://a/b, c""#,
            r#"Bearer  scope = "x y" , resource_metadata = "https://a/b, c", Digest scope="q""#,
        ] {
            assert_eq!(read(&[told]), expected, "{told}");
        }
        assert_eq!(read(&["Basic", r"Bearer scope=x"]).scopes, Some(vec!["x".to_owned()]));
        for told in ["", "Bearer", "=", ",,", "Bearer =\"", "Digest scope=\"x\"", "Bearer \"\\"] {
            assert_eq!(read(&[told]), Challenge::default(), "{told}");
        }
    }
}
