//! Errors of a login. They quote texts of others only where these are short and plain.

use std::fmt;
use std::time::Duration;

use pif_domain::text;

/// Characters of a text of others.
const MOST: usize = 200;

/// Whom we talk to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The server itself.
    Server,
    /// The metadata of the server.
    Resource,
    /// The metadata of the authorization server.
    Issuer,
    /// Where a browser asks the operator.
    Authorization,
    /// Where clients are registered.
    Registration,
    /// Where tokens are granted.
    Token,
    /// Where tokens are given back.
    Revocation,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Server => "the server",
            Self::Resource => "the metadata of the server",
            Self::Issuer => "the metadata of the authorization server",
            Self::Authorization => "the authorization endpoint",
            Self::Registration => "the registration endpoint",
            Self::Token => "the token endpoint",
            Self::Revocation => "the revocation endpoint",
        })
    }
}

/// Why there is no login, or no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// There is no such server, or it can have no login.
    #[error("{0}")]
    Target(String),
    /// An address that we do not go to.
    #[error("{party} has the address `{address}`: {why}")]
    Address {
        /// Whose address it is.
        party: Party,
        /// The address.
        address: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Nobody answered.
    #[error("{party} at `{host}` cannot be reached: {why}")]
    Unreached {
        /// Who was asked.
        party: Party,
        /// Where.
        host: String,
        /// What the system says.
        why: String,
    },
    /// The answer took too long.
    #[error("{party} at `{host}` did not answer within {time:?}")]
    Late {
        /// Who was asked.
        party: Party,
        /// Where.
        host: String,
        /// How long we waited.
        time: Duration,
    },
    /// The answer is too long.
    #[error("{party} sent more than {most} bytes")]
    TooLarge {
        /// Who sent it.
        party: Party,
        /// Bytes that we read.
        most: usize,
    },
    /// The answer has a status that is none of success.
    #[error("{party} answered with the status {status}")]
    Status {
        /// Who answered.
        party: Party,
        /// The status.
        status: u16,
    },
    /// The answer is not what it has to be.
    #[error("{party} sent what cannot be read: {why}")]
    Document {
        /// Who sent it.
        party: Party,
        /// What is wrong with it.
        why: String,
    },
    /// The server wants no login.
    #[error("the server answers without a login, and names nobody who grants tokens for it")]
    NotAsked,
    /// Nobody says where to log in.
    #[error(
        "the server wants a login, and does not say where: it has no metadata, and neither has \
         its host"
    )]
    NoIssuer,
    /// The metadata speaks for another server.
    #[error("the metadata is for `{told}`, and the server is `{expected}`")]
    OtherResource {
        /// Whom the metadata is for.
        told: String,
        /// Whom it has to be for.
        expected: String,
    },
    /// The metadata, or an answer, is of another authorization server.
    #[error(
        "the authorization server says that it is `{told}`, and is expected to be `{expected}`"
    )]
    OtherIssuer {
        /// Who speaks.
        told: String,
        /// Who has to speak.
        expected: String,
    },
    /// The authorization server cannot make sure that the code comes back to us.
    #[error("the authorization server does not support PKCE by `S256`")]
    NoPkce,
    /// Nobody can register.
    #[error(
        "`{issuer}` registers no clients by itself: make one there whose address of return is \
         `http://127.0.0.1/callback`, and write its id as \"oauth\": {{\"client_id\": …}}"
    )]
    NoRegistration {
        /// The authorization server.
        issuer: String,
    },
    /// An error of OAuth.
    #[error("{party} refuses: {code}{}", message(.description.as_deref()))]
    Refused {
        /// Who refuses.
        party: Party,
        /// The code.
        code: String,
        /// What else it says.
        description: Option<String>,
    },
    /// The browser did not come back.
    #[error("nobody came back from the browser within {0:?}")]
    Alone(Duration),
    /// The port for the browser cannot be used.
    #[error("the port {port} of this machine cannot be used: {why}")]
    Port {
        /// The port.
        port: u16,
        /// What the system says.
        why: String,
    },
    /// The folder of logins cannot be used.
    #[error("the login cannot be kept: {0}")]
    Kept(String),
}

impl Problem {
    /// An error of OAuth, as others wrote it.
    pub(super) fn refused(party: Party, code: &str, description: Option<&str>) -> Self {
        Self::Refused {
            party,
            code: text::line(code, MOST),
            description: description.map(|it| text::line(it, MOST)),
        }
    }

    /// A document that cannot be read.
    pub(super) fn document(party: Party, why: impl fmt::Display) -> Self {
        Self::Document { party, why: text::line(&why.to_string(), MOST) }
    }

    /// Whether an authorization server says that a token that we had is worth nothing any more.
    pub(super) fn is_end(&self) -> bool {
        matches!(self, Self::Refused { party: Party::Token, code, .. } if code == "invalid_grant")
    }
}

fn message(description: Option<&str>) -> String {
    description.map_or_else(String::new, |it| format!(" ({it})"))
}
