//! The errors of sessions.

use super::rows::Over;
use crate::domain::Limit;
use crate::state::error::Error as StoreError;

/// The reason why a change of sessions is refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such session.
    #[error("there is no session `{0}`")]
    Unknown(String),
    /// The session is over.
    #[error("the session `{name}` is over: {}", reason.told())]
    Closed {
        /// Its name.
        name: String,
        /// Why it is over.
        reason: Over,
    },
    /// Another turn is running.
    #[error("the session `{0}` is busy with another turn")]
    Busy(String),
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
    #[error("the session has no binding `{0}`")]
    Unbound(String),
    /// There is no such saved state.
    #[error("there is no saved state `{0}`")]
    Unsaved(String),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}
