//! The value of `WWW-Authenticate` (RFC 6750, RFC 9728): it says which token a request needs, and
//! where to get one.

/// The reason of a refused request, for its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BearerError {
    /// The request is malformed.
    InvalidRequest,
    /// The token is malformed, expired or revoked, or not meant for this server.
    InvalidToken,
    /// The token is valid but does not allow the request.
    InsufficientScope,
}

impl BearerError {
    /// The code in headers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidToken => "invalid_token",
            Self::InsufficientScope => "insufficient_scope",
        }
    }

    /// The HTTP status of the response.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::InvalidRequest => 400,
            Self::InvalidToken => 401,
            Self::InsufficientScope => 403,
        }
    }
}

/// Builds the value of the header. `metadata` is the URL of the metadata if there is an issuer. A
/// request without any token has no error.
#[must_use]
pub fn challenge(metadata: Option<&str>, scopes: &[&str], error: Option<BearerError>) -> String {
    let scopes = scopes.join(" ");
    let parameters = [
        // A challenge has at least one parameter.
        ("realm", Some("mcp-pif").filter(|_| metadata.is_none())),
        ("resource_metadata", metadata),
        ("scope", Some(scopes.as_str()).filter(|scopes| !scopes.is_empty())),
        ("error", error.map(BearerError::name)),
    ];
    let written = parameters.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let written: Vec<String> =
        written.map(|(name, value)| format!("{name}=\"{}\"", plain(value))).collect();
    format!("Bearer {}", written.join(", "))
}

/// A value without characters that would end it or the header.
fn plain(value: &str) -> String {
    value.chars().filter(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_needed() {
        let url = "https://a/.well-known/oauth-protected-resource/mcp";
        assert_eq!(
            challenge(Some(url), &["read", "run"], Some(BearerError::InsufficientScope)),
            format!(
                r#"Bearer resource_metadata="{url}", scope="read run", error="insufficient_scope""#
            )
        );
        assert_eq!(
            challenge(Some(url), &["read"], None),
            format!(r#"Bearer resource_metadata="{url}", scope="read""#)
        );
        assert_eq!(challenge(None, &[], None), r#"Bearer realm="mcp-pif""#);
        assert_eq!(
            challenge(None, &[], Some(BearerError::InvalidToken)),
            r#"Bearer realm="mcp-pif", error="invalid_token""#
        );
    }

    #[test]
    fn a_value_cannot_end_the_header() {
        let url = "https://a\"\\\r\nX-Header: 1\u{7f}é";
        assert_eq!(
            challenge(Some(url), &[], None),
            r#"Bearer resource_metadata="https://aX-Header: 1""#
        );
    }
}
