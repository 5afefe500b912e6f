//! Addresses of servers, and the headers of requests to them.

use std::collections::BTreeMap;

use pif_domain::net::Authority;

use super::error::Error;
use super::reader::Place;
use super::secret::{Template, templates};

/// Reads an address.
pub(super) fn address(text: &str, place: &Place<'_>) -> Result<Template, Error> {
    let address = Template::read(text, place)?;
    let written = address.written();
    let rest = written.strip_prefix("https://").or_else(|| written.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if host.is_empty() || host.contains("${") {
        let message = "write an address that begins with `https://` or `http://` and a host";
        return Err(place.wrong(message));
    }
    if host.contains('@') {
        return Err(place.wrong("an address has no user in it; put the token into `headers`"));
    }
    let is_local = Authority::parse(host).is_some_and(Authority::is_loopback);
    if written.starts_with("http://") && !is_local {
        return Err(place.wrong("without `https` only servers on this machine can be called"));
    }
    Ok(address)
}

/// Reads the headers of requests.
pub(super) fn headers(
    named: &BTreeMap<String, String>,
    place: &Place<'_>,
) -> Result<Vec<(String, Template)>, Error> {
    let reserved = |name: &&String| RESERVED.contains(&name.to_ascii_lowercase().as_str());
    if let Some(name) = named.keys().find(reserved) {
        return Err(place.wrong(format!("the protocol sets the header `{name}` itself")));
    }
    templates(named.iter(), place, is_header)
}

fn is_header(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&b))
}

/// Headers that the protocol sets itself.
const RESERVED: [&str; 8] = [
    "accept",
    "content-type",
    "content-length",
    "host",
    "mcp-session-id",
    "mcp-protocol-version",
    "transfer-encoding",
    "connection",
];
