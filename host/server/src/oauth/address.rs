//! URLs of issuers and resources. They stand in headers and in JSON, so they consist of plain
//! characters.

use pif_domain::net::Authority;
use pif_domain::text;

use super::error::Error;

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

/// Whether two names mean the same resource. Of URLs the case of the host and a slash at the end do not
/// matter; other names are equal to the letter.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let is_url = |one: Address<'_>, other: Address<'_>| {
        one.origin.eq_ignore_ascii_case(other.origin)
            && one.path.strip_suffix('/').unwrap_or(one.path)
                == other.path.strip_suffix('/').unwrap_or(other.path)
    };
    one == other || read(one).zip(read(other)).is_some_and(|(one, other)| is_url(one, other))
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
    let authority = origin.strip_prefix("http://").and_then(Authority::parse);
    authority.is_some_and(Authority::is_loopback)
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
    fn a_resource_has_several_spellings() {
        let url = "https://pif.example.com/mcp";
        for same in [url, "https://PIF.example.com/mcp", "https://pif.example.com/mcp/"] {
            assert!(is_same(same, url) && is_same(url, same), "{same}");
        }
        for other in [
            "https://pif.example.com",
            "https://pif.example.com/MCP",
            "https://pif.example.com/mcp//",
            "http://pif.example.com/mcp",
            "https://pif.example.com:443/mcp",
            "https://pif.example.com/mcp?x",
        ] {
            assert!(!is_same(other, url) && !is_same(url, other), "{other}");
        }
        assert!(is_same("pif", "pif") && !is_same("pif", "PIF") && !is_same("pif/", "pif"));
    }

    #[test]
    fn only_this_machine_may_do_without_tls() {
        for url in ["https://a/mcp", "http://localhost:1/mcp", "http://127.0.0.2", "http://[::1]:2"]
        {
            assert!(resource(url).is_ok(), "{url}");
        }
        for url in ["http://a/mcp", "http://localhost.example.com", "http://128.0.0.1/"] {
            assert!(resource(url).is_err(), "{url}");
        }
    }
}
