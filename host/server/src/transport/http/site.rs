//! The hosts that the server answers for, and the sites whose pages may use it. A page of another
//! site must reach the server neither under a name that it controls (DNS rebinding) nor from a
//! browser that sends its requests.

use std::net::{IpAddr, Ipv6Addr};

use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use pif_domain::text;

use super::reply::Refusal;

/// The hosts and the sites.
#[derive(Debug, Clone, Default)]
pub struct Sites {
    /// Names of hosts, besides those of this machine, each with or without a port.
    pub hosts: Vec<String>,
    /// Origins, besides those of this machine: `https://example.org`, with a port if it has one.
    pub origins: Vec<String>,
    /// The address that the server listens at, if that names one host.
    pub bound: Option<IpAddr>,
}

impl Sites {
    /// Refuses a request for another host.
    pub(super) fn ensure_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut given = headers.get_all(header::HOST).iter();
        let (first, second) = (given.next(), given.next());
        let wrong = |message: &str| Err(Refusal::invalid(StatusCode::BAD_REQUEST, message));
        if second.is_some() {
            return wrong("there are two headers `Host`");
        }
        let text = match uri.authority() {
            Some(authority) => Some(authority.as_str()),
            None => first.and_then(|host| host.to_str().ok()),
        };
        let Some(text) = text else {
            return wrong("the header `Host` is missing or names no host");
        };
        let Some(named) = Named::read(text) else {
            let shown = text::line(text, text::MOST_NAME);
            let message = format!("`{shown}` is no host: write a name, and a port if there is one");
            return Err(Refusal::denied(StatusCode::FORBIDDEN, message));
        };
        if self.has_host(named) {
            return Ok(());
        }
        let message = format!(
            "the server does not answer for the host `{text}`: start it with --allowed-host {}",
            named.host
        );
        Err(Refusal::denied(StatusCode::FORBIDDEN, message))
    }

    fn has_host(&self, named: Named<'_>) -> bool {
        let is_it = |allowed: &String| {
            Named::read(allowed).is_some_and(|allowed| {
                allowed.host.eq_ignore_ascii_case(named.host)
                    && allowed.port.is_none_or(|port| named.port == Some(port))
            })
        };
        named.is_here()
            || self.bound.is_some_and(|bound| named.host.parse() == Ok(bound))
            || self.hosts.iter().any(is_it)
    }

    /// Refuses a request that a page of another site makes. Returns the origin of an allowed page.
    pub(super) fn ensure_origin(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<HeaderValue>, Refusal> {
        let mut given = headers.get_all(header::ORIGIN).iter();
        let (Some(origin), second) = (given.next(), given.next()) else { return Ok(None) };
        let text = origin.to_str().unwrap_or_default();
        if second.is_none() && self.has_origin(text) {
            return Ok(Some(origin.clone()));
        }
        let shown: String = text.chars().take(200).collect();
        let message = format!(
            "pages of `{shown}` may not use the server: start it with --allowed-origin {shown}"
        );
        Err(Refusal::denied(StatusCode::FORBIDDEN, message))
    }

    fn has_origin(&self, origin: &str) -> bool {
        let Some((scheme, rest)) = origin.split_once("://") else { return false };
        let is_web = scheme == "http" || scheme == "https";
        (is_web && Named::read(rest).is_some_and(Named::is_here))
            || self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }
}

/// A host as headers and settings name it: a name or an address, then nothing or a port.
#[derive(Debug, Clone, Copy)]
struct Named<'a> {
    /// Without the brackets of an IPv6 address.
    host: &'a str,
    port: Option<u16>,
}

impl<'a> Named<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (host, rest) = match text.strip_prefix('[') {
            Some(inner) => {
                let (host, rest) = inner.split_once(']')?;
                host.parse::<Ipv6Addr>().ok()?;
                (host, rest)
            }
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let is_plain = |c: u8| c.is_ascii_alphanumeric() || b"-._~%:".contains(&c);
        if host.is_empty() || !host.bytes().all(is_plain) {
            return None;
        }
        let port = match rest.strip_prefix(':') {
            Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                Some(digits.parse().ok()?)
            }
            None if rest.is_empty() => None,
            _ => return None,
        };
        Some(Self { host, port })
    }

    /// Whether it is this machine.
    fn is_here(self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(sites: &Sites, host: &'static str) -> bool {
        let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]);
        sites.ensure_host(&Uri::from_static("/mcp"), &headers).is_ok()
    }

    fn origin(sites: &Sites, origin: &'static str) -> bool {
        let headers = HeaderMap::from_iter([(header::ORIGIN, HeaderValue::from_static(origin))]);
        sites.ensure_origin(&headers).is_ok()
    }

    #[test]
    fn only_known_hosts_are_answered() {
        let sites = Sites {
            hosts: vec!["pif.example.org".to_owned(), "other.example.org:8443".to_owned()],
            bound: "192.0.2.7".parse().ok(),
            ..Sites::default()
        };
        for known in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:7332",
            "[::1]:7332",
            "127.8.8.8",
            "192.0.2.7:7332",
            "PIF.example.org",
            "pif.example.org:1",
            "other.example.org:8443",
        ] {
            assert!(host(&sites, known), "{known}");
        }
        for unknown in [
            "evil.example",
            "localhost.evil.example",
            "evil.example:7332",
            "127.0.0.1.evil.example",
            "192.0.2.8",
            "other.example.org",
            "other.example.org:80",
            "a b",
            "",
            "127.0.0.1:x",
            "127.0.0.1:65536",
            "127.0.0.1:",
            "127.0.0.1:-1",
            "localhost:7332:1",
            "user@localhost",
            "localhost@evil.example",
            "[::1]x",
            "[::1",
            "[::1]:x",
            "[localhost]",
            "xpif.example.org",
        ] {
            assert!(!host(&sites, unknown), "{unknown}");
        }
    }

    #[test]
    fn only_pages_of_known_sites_may_use_it() {
        let origins = vec!["https://app.example.org".to_owned()];
        let sites = Sites { origins, ..Sites::default() };
        for known in [
            "http://localhost:5173",
            "https://127.0.0.1",
            "http://[::1]:1",
            "https://app.example.org",
        ] {
            assert!(origin(&sites, known), "{known}");
        }
        for unknown in [
            "null",
            "http://evil.example",
            "http://localhost.evil.example",
            "http://localhost@evil.example",
            "https://app.example.org.evil.example",
            "http://app.example.org",
            "file://localhost",
            "https://app.example.org:8443",
            "http://localhost/path",
            "",
            "http://127.0.0.1:7332.evil.example",
            "http://127.0.0.1:x",
            "http://127.0.0.1:65536",
            "http://127.0.0.1:",
            "http://[::1]x",
            "http://[::1]:1.evil.example",
            "http://localhost?x",
            "http://localhost#x",
        ] {
            assert!(!origin(&sites, unknown), "{unknown}");
        }
        assert!(sites.ensure_origin(&HeaderMap::new()).is_ok());
    }
}
