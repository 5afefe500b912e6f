//! Names of hosts, as URLs and headers write them.

use std::net::{IpAddr, Ipv6Addr};

/// A host, then nothing or a port (RFC 3986, 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authority<'a> {
    /// A name or an address, without the brackets of an IPv6 address.
    pub host: &'a str,
    /// The port.
    pub port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Reads a text such as `localhost`, `127.0.0.1:80` or `[::1]:80`.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
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
    #[must_use]
    pub fn is_loopback(self) -> bool {
        let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
        self.host.eq_ignore_ascii_case("localhost") || self.host.parse().is_ok_and(is_loopback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        let is_loopback = |text| Authority::parse(text).is_some_and(Authority::is_loopback);
        for text in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1",
            "127.8.8.8:1",
            "[::1]:80",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_loopback(text), "{text}");
        }
        for text in [
            "",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "128.0.0.1",
            "0.0.0.0",
            "[::]",
            "localhost:",
            "localhost:x",
            "localhost:65536",
            "localhost:80@example.com",
            "localhost@example.com",
            "user@localhost",
            "[::1",
            "[::1]x",
            "[localhost]",
        ] {
            assert!(!is_loopback(text), "{text}");
        }
    }
}
