//! The hosts that the server answers for, and the sites whose pages may use it. A page of another
//! site must reach the server neither under a name that it controls (DNS rebinding) nor from a
//! browser that sends its requests.

use std::net::IpAddr;

use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use pif_domain::net::Authority;
use pif_domain::text;

use super::reply::Refusal;

/// The hosts, and the origins of pages.
#[derive(Debug, Clone, Default)]
pub struct AllowedHosts {
    /// Names of hosts, besides those of this machine, each with or without a port.
    pub hosts: Vec<String>,
    /// Origins, besides those of this machine: `https://example.org`, with a port if it has one.
    pub origins: Vec<String>,
    /// The address that the server listens at, if that names one host.
    pub bound: Option<IpAddr>,
}

impl AllowedHosts {
    /// Refuses a request for another host.
    pub(super) fn ensure_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut given = headers.get_all(header::HOST).iter();
        let first = given.next();
        let second = given.next();
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
        let Some(named) = Authority::parse(text) else {
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

    fn has_host(&self, named: Authority<'_>) -> bool {
        let is_it = |allowed: &String| {
            Authority::parse(allowed).is_some_and(|allowed| {
                allowed.host.eq_ignore_ascii_case(named.host)
                    && allowed.port.is_none_or(|port| named.port == Some(port))
            })
        };
        named.is_loopback()
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
        (is_web && Authority::parse(rest).is_some_and(Authority::is_loopback))
            || self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(allowed: &AllowedHosts, host: &'static str) -> bool {
        let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static(host))]);
        allowed.ensure_host(&Uri::from_static("/mcp"), &headers).is_ok()
    }

    fn origin(allowed: &AllowedHosts, origin: &'static str) -> bool {
        let headers = HeaderMap::from_iter([(header::ORIGIN, HeaderValue::from_static(origin))]);
        allowed.ensure_origin(&headers).is_ok()
    }

    #[test]
    fn only_known_hosts_are_answered() {
        let allowed = AllowedHosts {
            hosts: vec!["pif.example.org".to_owned(), "other.example.org:8443".to_owned()],
            bound: "192.0.2.7".parse().ok(),
            ..AllowedHosts::default()
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
            assert!(host(&allowed, known), "{known}");
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
            assert!(!host(&allowed, unknown), "{unknown}");
        }
    }

    #[test]
    fn only_pages_of_known_sites_may_use_it() {
        let origins = vec!["https://app.example.org".to_owned()];
        let allowed = AllowedHosts { origins, ..AllowedHosts::default() };
        for known in [
            "http://localhost:5173",
            "https://127.0.0.1",
            "http://[::1]:1",
            "https://app.example.org",
        ] {
            assert!(origin(&allowed, known), "{known}");
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
            assert!(!origin(&allowed, unknown), "{unknown}");
        }
        assert!(allowed.ensure_origin(&HeaderMap::new()).is_ok());
    }
}
