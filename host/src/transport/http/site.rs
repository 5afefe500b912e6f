//! The hosts that the server answers for, and the sites whose pages may use it. A page of another
//! site must reach the server neither under a name that it controls (DNS rebinding) nor from a
//! browser that sends its requests.

use std::net::IpAddr;

use http::uri::Authority;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};

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
        let named = first.and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
        let Some(named) = uri.authority().cloned().or(named) else {
            return wrong("the header `Host` is missing or names no host");
        };
        if self.has_host(&named) {
            return Ok(());
        }
        let message = format!(
            "the server does not answer for the host `{named}`: start it with --allowed-host {}",
            named.host()
        );
        Err(Refusal::denied(StatusCode::FORBIDDEN, message))
    }

    fn has_host(&self, named: &Authority) -> bool {
        let host = bare(named.host());
        let is_it = |allowed: &String| {
            allowed.parse::<Authority>().is_ok_and(|allowed| {
                bare(allowed.host()).eq_ignore_ascii_case(host)
                    && allowed.port_u16().is_none_or(|port| named.port_u16() == Some(port))
            })
        };
        is_here(host)
            || self.bound.is_some_and(|bound| host.parse() == Ok(bound))
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
        let Ok(named) = rest.parse::<Authority>() else { return false };
        if rest != named.as_str() || rest.contains('@') {
            return false;
        }
        let is_web = scheme == "http" || scheme == "https";
        (is_web && is_here(bare(named.host())))
            || self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }
}

/// Whether a request names this machine as its host. One that a proxy hands on names the proxy, as a
/// rule.
pub(super) fn is_direct(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()?.parse().ok());
    host.is_some_and(|host: Authority| is_here(bare(host.host())))
}

/// Whether a host is this machine.
fn is_here(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A host without the brackets of an IPv6 address.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
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
        ] {
            assert!(!origin(&sites, unknown), "{unknown}");
        }
        assert!(sites.ensure_origin(&HeaderMap::new()).is_ok());
    }
}
