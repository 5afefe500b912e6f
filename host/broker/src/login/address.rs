//! Addresses that others name. We go to them with codes and tokens, so they are `https`; only a server
//! on this machine may name one without it, on this machine. Nobody may send us to an address of a
//! private network that is not its own.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use pif_domain::text;
use reqwest::Url;

use super::problem::{Party, Problem};

/// Bytes of an address.
const LONGEST: usize = 2_048;

/// Where a server may send us.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    /// The host of the server.
    host: String,
    /// Whether the server is on this machine.
    is_local: bool,
}

impl Reach {
    pub(super) fn of(server: &Url) -> Self {
        let host = server.host_str().unwrap_or_default().to_owned();
        Self { is_local: kind(&host) == Kind::Local, host }
    }

    /// Reads an address that somebody else has written.
    pub(super) fn read(&self, party: Party, address: &str) -> Result<Url, Problem> {
        let shown = || text::line(address, text::MOST_NAME);
        let wrong = |why| Problem::Address { party, address: shown(), why };
        if address.len() > LONGEST {
            return Err(wrong("it is too long"));
        }
        let url = Url::parse(address).map_err(|_| wrong("it is no URL"))?;
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err(wrong("it has a user or a fragment in it"));
        }
        let host = url.host_str().unwrap_or_default();
        match (url.scheme(), kind(host)) {
            ("http" | "https", Kind::Local) if self.is_local => Ok(url),
            ("https", Kind::Other) => Ok(url),
            ("https", Kind::Private | Kind::Local) if host == self.host => Ok(url),
            ("https", Kind::Private | Kind::Local) => {
                Err(wrong("it is an address of a private network, which is not that of the server"))
            }
            ("http", _) => Err(wrong("without `https` it must be on this machine, as the server")),
            _ => Err(wrong("it has neither `https` nor `http`")),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// This machine.
    Local,
    /// A number of a private network, or of none.
    Private,
    Other,
}

fn kind(host: &str) -> Kind {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    if name == "localhost" || name.ends_with(".localhost") {
        return Kind::Local;
    }
    let number = name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(&name);
    match number.parse() {
        Ok(IpAddr::V4(address)) => of_four(address),
        Ok(IpAddr::V6(address)) => of_six(address),
        Err(_) => Kind::Other,
    }
}

fn of_four(address: Ipv4Addr) -> Kind {
    let [a, b, ..] = address.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    if address.is_loopback() {
        Kind::Local
    } else if a == 0
        || is_shared
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
    {
        Kind::Private
    } else {
        Kind::Other
    }
}

fn of_six(address: Ipv6Addr) -> Kind {
    let [a, b, c, d, e, f, high, low] = address.segments();
    // An address of the older kind within one of the newer, or behind a translator.
    if matches!([a, b, c, d, e, f], [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0]) {
        return of_four(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    }
    if address.is_loopback() {
        Kind::Local
    } else if address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
    {
        Kind::Private
    } else {
        Kind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read(server: &str, address: &str) -> bool {
        let server = Url::parse(server).expect("an address");
        Reach::of(&server).read(Party::Token, address).is_ok()
    }

    #[test]
    fn nobody_is_sent_to_a_private_network_of_others() {
        let server = "https://mcp.example.com/mcp";
        for good in
            ["https://login.example.com/token", "https://a.test:8443/x?y=z", "https://8.8.8.8/"]
        {
            assert!(is_read(server, good), "{good}");
        }
        for bad in [
            "http://login.example.com/token",
            "http://127.0.0.1/token",
            "http://10.0.0.1/token",
            "https://10.0.0.1/token",
            "https://127.0.0.1/token",
            "https://2130706433/token",
            "https://0x7f.1/token",
            "https://localhost/token",
            "https://localhost./token",
            "https://169.254.169.254/latest",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[fd00::1]/",
            "https://a@login.example.com/",
            "https://login.example.com/#x",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "/token",
            "",
        ] {
            assert!(!is_read(server, bad), "{bad}");
        }
        assert!(!is_read(server, &format!("https://a.test/{}", "x".repeat(LONGEST))));
    }

    #[test]
    fn what_is_private_may_name_itself() {
        assert!(is_read("http://127.0.0.1:1/mcp", "http://localhost:2/token"));
        assert!(!is_read("http://127.0.0.1:1/mcp", "http://10.0.0.1/token"));
        assert!(is_read("https://10.0.0.1/mcp", "https://10.0.0.1:8443/token"));
        assert!(!is_read("https://10.0.0.1/mcp", "https://10.0.0.2/token"));
    }
}
