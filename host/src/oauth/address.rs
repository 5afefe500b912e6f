//! URLs of issuers and resources. They stand in headers and in JSON, so they consist of plain
//! characters.

use super::error::Error;
use crate::text;

/// The most bytes of a URL.
const LONGEST: usize = 2_048;

/// A URL in two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address<'a> {
    /// The scheme, the host and the port.
    pub(super) origin: &'a str,
    /// The path, empty or with a slash in front.
    pub(super) path: &'a str,
}

/// Reads the URL of an issuer: RFC 8414 wants `https`, without query and fragment.
pub(super) fn issuer(url: &str) -> Result<Address<'_>, Error> {
    read(url).filter(|it| it.origin.starts_with("https://")).ok_or_else(|| {
        let shown = text::line(url, text::MOST_NAME);
        Error(format!("`{shown}` is no issuer: write a URL as https://login.example.com"))
    })
}

/// Reads the URL of a resource. It may be `http` on this machine alone.
pub(super) fn resource(url: &str) -> Result<Address<'_>, Error> {
    let is_safe = |it: &Address<'_>| it.origin.starts_with("https://") || is_loopback(it.origin);
    read(url).filter(is_safe).ok_or_else(|| {
        let shown = text::line(url, text::MOST_NAME);
        Error(format!("`{shown}` is no public URL: write one as https://pif.example.com/mcp"))
    })
}

fn read(url: &str) -> Option<Address<'_>> {
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || b"-._~:/[]!$&'()*+,;=%".contains(&c);
    if url.len() > LONGEST || !url.bytes().all(is_plain) {
        return None;
    }
    let scheme = ["https://", "http://"].into_iter().find(|scheme| url.starts_with(scheme))?;
    let rest = url.get(scheme.len()..)?;
    let host = rest.find('/').unwrap_or(rest.len());
    let (origin, path) = url.split_at(scheme.len() + host);
    (host > 0 && !rest.starts_with(':')).then_some(Address { origin, path })
}

fn is_loopback(origin: &str) -> bool {
    let host = origin.strip_prefix("http://").unwrap_or_default();
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        host.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuers_are_reached_by_tls() {
        let read = issuer("https://login.example.com/realms/a").expect("an issuer");
        assert_eq!((read.origin, read.path), ("https://login.example.com", "/realms/a"));
        for url in [
            "",
            "login.example.com",
            "http://login.example.com",
            "http://localhost",
            "https://",
            "https:///a",
            "https://:80",
            "https://a@b",
            "https://a?b",
            "https://a#b",
            "https://a b",
            "https://a\"",
            "https://a\\",
            "https://é.example.com",
        ] {
            assert!(issuer(url).is_err(), "{url}");
        }
        assert!(issuer(&format!("https://{}", "a".repeat(LONGEST))).is_err());
    }

    #[test]
    fn only_this_machine_may_do_without_tls() {
        for url in ["https://a/mcp", "http://localhost:1/mcp", "http://127.0.0.1", "http://[::1]:2"]
        {
            assert!(resource(url).is_ok(), "{url}");
        }
        for url in ["http://a/mcp", "http://localhost.example.com", "http://127.0.0.11/"] {
            assert!(resource(url).is_err(), "{url}");
        }
    }
}
