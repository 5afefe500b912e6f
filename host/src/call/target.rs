//! The server that a call goes to.

use std::fmt;
use std::path::{Path, PathBuf};

use pif_domain::net::Authority;
use reqwest::Url;

/// The path of the server if the URL has none.
const PATH: &str = "/mcp";

const ADVICE: &str = "write http://HOST:PORT/mcp, https://HOST/mcp or unix:PATH";

/// The address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    url: Url,
    socket: Option<PathBuf>,
}

impl Target {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            if path.is_empty() {
                return Err(ADVICE.to_owned());
            }
            let url = Url::parse(&format!("http://localhost{PATH}"));
            let url = url.map_err(|error| error.to_string())?;
            return Ok(Self { url, socket: Some(path.into()) });
        }
        let mut url = Url::parse(text).map_err(|error| format!("{error}: {ADVICE}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ADVICE.to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a token goes into a file: --token-file FILE".to_owned());
        }
        let host = text.split_once("//").map_or("", |(_, rest)| rest);
        if !host.contains('/') {
            url.set_path(PATH);
        }
        url.set_fragment(None);
        Ok(Self { url, socket: None })
    }

    pub(super) fn url(&self) -> &Url {
        &self.url
    }

    /// The path of the socket, if the server has one.
    pub(super) fn socket(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// Whether the connection stays on this machine.
    pub(super) fn is_local(&self) -> bool {
        let authority = Authority::parse(self.url.authority());
        self.socket.is_some() || authority.is_some_and(Authority::is_loopback)
    }

    /// Whether others between here and the server can read what is sent.
    pub(super) fn is_readable_on_the_way(&self) -> bool {
        self.url.scheme() == "http" && !self.is_local()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.socket {
            Some(path) => write!(f, "unix:{}", path.display()),
            None => self.url.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Target::parse(text).map_or_else(|error| format!("error: {error}"), |it| it.to_string())
    }

    #[test]
    fn a_url_has_a_path() {
        for (text, expected) in [
            ("http://127.0.0.1:7332", "http://127.0.0.1:7332/mcp"),
            ("http://127.0.0.1:7332/", "http://127.0.0.1:7332/"),
            ("https://pif.example.com/a/mcp?b=1#c", "https://pif.example.com/a/mcp?b=1"),
            ("https://pif.example.com", "https://pif.example.com/mcp"),
            ("unix:run/pif.sock", "unix:run/pif.sock"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in ["", "pif", "localhost:7332", "ftp://a", "unix:", "http://", "file:///mcp"] {
            assert!(shown(text).starts_with("error: "), "{text}");
        }
        assert!(shown("https://ana:secret@a").contains("--token-file"));
    }

    #[test]
    fn only_this_machine_is_safe_without_tls() {
        let is_readable = |text| Target::parse(text).expect(text).is_readable_on_the_way();
        for text in
            ["https://a", "http://127.0.0.2", "http://localhost:1", "http://[::1]", "unix:a"]
        {
            assert!(!is_readable(text), "{text}");
        }
        assert!(is_readable("http://a") && is_readable("http://localhost.example.com"));
    }
}
