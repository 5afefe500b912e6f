//! Why there is no session with the database. Each message says what to do.

use std::io;

use serde::{Deserialize, Serialize};

/// The reason why there is no session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The kind of the reason.
    pub kind: Kind,
    /// The reason in words, with advice.
    pub message: String,
}

/// The kind of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Nothing answers at the address, or not in time.
    Unreachable,
    /// The connection is not private, or the other end is not the one that it should be.
    Untrusted,
    /// The database lets this user not in.
    Refused,
    /// Something between us and the database does not keep sessions.
    Pooler,
    /// The answer is not that of a PostgreSQL database.
    Strange,
    /// There are as many sessions as there may be.
    Full,
    /// The process that relays sessions has ended.
    Ended,
}

impl Error {
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind {
            Kind::Unreachable | Kind::Full => io::ErrorKind::NotConnected,
            Kind::Untrusted | Kind::Refused => io::ErrorKind::PermissionDenied,
            Kind::Pooler => io::ErrorKind::Unsupported,
            Kind::Strange => io::ErrorKind::InvalidData,
            Kind::Ended => io::ErrorKind::BrokenPipe,
        };
        Self::new(kind, error)
    }
}
