//! The errors of staging areas.

use std::fmt;

use pif_domain::Limit;
use pif_domain::text::quote_one;

use crate::error::Error as StoreError;
use crate::lease::ProcessLease;
use crate::registry::short;

/// Something that has changed since an area was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// A tool.
    Tool {
        /// Its name.
        name: String,
        /// Its revision then; None if there was none.
        then: Option<String>,
        /// Its revision now; None if there is none.
        now: Option<String>,
    },
    /// A key of the memory.
    Key(String),
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let revision = |hash: &Option<String>| {
            hash.as_deref().map_or_else(|| "none".to_owned(), |hash| short(hash).to_owned())
        };
        match self {
            Self::Tool { name, then, now } => {
                write!(f, "{} ({} then, {} now)", quote_one(name), revision(then), revision(now))
            }
            Self::Key(key) => write!(f, "the key {} of the memory", quote_one(key)),
        }
    }
}

/// The reason why a change of staging areas is refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such area of the owner.
    #[error("there is no snapshot {0}")]
    Unknown(i64),
    /// The area was not verified since its last change, or did not pass.
    #[error("the snapshot {id} {reason}")]
    Unverified {
        /// The area.
        id: i64,
        /// What is missing.
        reason: &'static str,
    },
    /// Something that the area touches has changed.
    #[error("the snapshot {id} conflicts with what has changed since: {}", list(conflicts))]
    Conflict {
        /// The area.
        id: i64,
        /// What has changed.
        conflicts: Vec<Conflict>,
    },
    /// Another call has changed the area.
    #[error("another call has changed the snapshot {0} meanwhile")]
    Raced(i64),
    /// Another call works on the area.
    #[error("another call works on the snapshot {id}, by {}", by.told())]
    Busy {
        /// The area.
        id: i64,
        /// The lease of its process.
        by: ProcessLease,
    },
    /// The process was silent for so long that another one may have gone on.
    #[error(
        "this server was silent for too long and has lost the snapshot {0}: nothing was changed"
    )]
    Lost(i64),
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
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn list(conflicts: &[Conflict]) -> String {
    let all: Vec<String> = conflicts.iter().map(Conflict::to_string).collect();
    all.join(", ")
}
