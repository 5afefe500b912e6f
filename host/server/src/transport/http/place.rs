//! The paths of the server.

use http::StatusCode;

use super::reply::Refusal;

/// Where clients of the protocol come, unless they reach the server under another path.
const USUAL: &str = "/mcp";

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The protocol.
    Protocol,
    /// Whether the process lives.
    Alive,
    /// Whether it can serve.
    Ready,
    /// What is measured.
    Figures,
    /// Nothing.
    Nothing,
}

/// The places of a server.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The path of the protocol besides the usual one.
    path: Option<String>,
}

impl Places {
    /// Serves the protocol at the path of a URL too. The error says why that cannot be.
    pub fn new(path: Option<&str>) -> Result<Self, String> {
        let path = path.map(bare);
        match path.map(own) {
            Some(Place::Alive | Place::Ready | Place::Figures) => {
                Err("the server has something else at this path: write https://HOST/mcp".to_owned())
            }
            _ => Ok(Self { path: path.map(str::to_owned) }),
        }
    }

    pub(super) fn find(&self, path: &str) -> Place {
        match own(path) {
            Place::Nothing if self.path.as_deref() == Some(bare(path)) => Place::Protocol,
            place => place,
        }
    }

    /// Refuses a path where nothing is.
    pub(super) fn nothing(&self, path: &str) -> Refusal {
        let shown: String = path.chars().take(100).collect();
        let message = format!("there is nothing at `{shown}`: the server is at `{USUAL}`");
        Refusal::invalid(StatusCode::NOT_FOUND, message)
    }
}

fn own(path: &str) -> Place {
    match path {
        USUAL | "/mcp/" => Place::Protocol,
        "/health" | "/healthz" | "/livez" => Place::Alive,
        "/ready" | "/readyz" => Place::Ready,
        "/metrics" => Place::Figures,
        _ => Place::Nothing,
    }
}

/// A path without a slash at the end.
fn bare(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_is_at_the_public_path_too() {
        for (public, path, place) in [
            (None, "/mcp", Place::Protocol),
            (None, "/mcp/", Place::Protocol),
            (None, "/mcp//", Place::Nothing),
            (None, "/", Place::Nothing),
            (Some("/"), "/", Place::Protocol),
            (Some(""), "/", Place::Protocol),
            (Some("/vault/mcp/"), "/vault/mcp", Place::Protocol),
            (Some("/vault/mcp"), "/vault/mcp/", Place::Protocol),
            (Some("/vault/mcp"), "/mcp", Place::Protocol),
            (Some("/vault/mcp"), "/vault", Place::Nothing),
            (Some("/vault/mcp"), "/metrics", Place::Figures),
        ] {
            assert_eq!(Places::new(public).expect(path).find(path), place, "{public:?} {path}");
        }
        for taken in ["/health", "/readyz/", "/metrics"] {
            assert!(Places::new(Some(taken)).is_err(), "{taken}");
        }
    }
}
