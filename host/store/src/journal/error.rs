//! The errors of the journal.

use crate::error::Error as StoreError;

/// An error of the journal.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An entry was changed, added or removed.
    #[error("the journal is broken at entry {id}: {reason}")]
    Broken {
        /// The number of the first broken entry.
        id: i64,
        /// The defect.
        reason: String,
    },
    /// A text that entries or bindings have was changed.
    #[error("the kept text with the hash {hash} is not the one that was written")]
    Altered {
        /// Its sha256.
        hash: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
