//! What can be wrong with the journal.

use crate::state::error::Error as StoreError;

/// What is wrong with the journal.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An entry is not what it was.
    #[error("the journal is broken at entry {id}: {reason}")]
    Broken {
        /// The first entry that is not in order.
        id: i64,
        /// What is wrong with it.
        reason: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
