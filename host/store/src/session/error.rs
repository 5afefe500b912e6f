//! The errors of sessions.

use pif_domain::Limit;
use pif_domain::text::quote_one;

use super::rows::Over;
use crate::error::Error as StoreError;
use crate::lease::ProcessLease;

/// The reason why a change of sessions is refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such session.
    #[error("there is no session {}", quote_one(.0))]
    Unknown(String),
    /// The session is over.
    #[error("the session {} is over: {}", quote_one(name), reason.label())]
    Closed {
        /// Its name.
        name: String,
        /// Why it is over.
        reason: Over,
    },
    /// Another turn is running.
    #[error("the session {} is busy with another turn, by {}", quote_one(name), by.told())]
    Busy {
        /// Its name.
        name: String,
        /// The lease of its process.
        by: ProcessLease,
    },
    /// The process was silent for so long that another one may have gone on.
    #[error("this server was silent for too long and has lost the session: nothing was changed")]
    Lost,
    /// The session was closed during the turn.
    #[error("the session was closed during the turn")]
    Ended,
    /// A limit is reached.
    #[error("{message}")]
    Full {
        /// The limit.
        limit: Limit,
        /// What would be used.
        used: u64,
        /// The value of the limit.
        most: u64,
        /// One sentence.
        message: String,
    },
    /// The session has no such binding.
    #[error("the session has no binding {}", quote_one(.0))]
    Unbound(String),
    /// There is no such saved state.
    #[error("there is no saved state {}", quote_one(.0))]
    Unsaved(String),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Refuses what would be more than a limit.
pub(crate) fn ensure(limit: Limit, used: u64, most: u64, what: &str) -> Result<(), Error> {
    if used <= most {
        return Ok(());
    }
    let message = format!("there would be {used} {what}, more than the {most} that are allowed");
    Err(Error::Full { limit, used, most, message })
}
