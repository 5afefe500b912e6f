//! The errors of a store. Each message says how to proceed.

use std::path::PathBuf;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system does not let it be opened, created or written.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file, or its directory.
        path: PathBuf,
        /// The system's message, with advice.
        reason: String,
    },
    /// The file is not a store, or its content is damaged.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The defect.
        reason: String,
    },
    /// A later version has written the store.
    #[error("{}: written by a later version of mcp-pif (schema {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The schema version of the file.
        found: usize,
        /// The highest schema version that this program knows.
        known: usize,
    },
    /// Another process kept the store locked.
    #[error("another process keeps the store locked: nothing was changed")]
    Locked,
    /// The database cannot be reached, or has not answered in time.
    #[error("the database cannot be used: {reason}")]
    Unavailable {
        /// The cause.
        reason: String,
    },
    /// This process was silent for so long that another one may have gone on with a run.
    #[error(
        "this server was silent for too long and has lost the run: it goes on elsewhere, or has ended"
    )]
    Lost,
    /// The disk is full.
    #[error("the disk is full: nothing was changed")]
    Full,
    /// The source of a term does not fit its hash.
    #[error(
        "the term of {tool} is not the one that its hash {hash} names: restore the store from a copy"
    )]
    Altered {
        /// The tool in backticks, or another description of the term.
        tool: String,
        /// The stored sha256.
        hash: String,
    },
    /// The file was deleted, moved or replaced while it was open.
    #[error("{}: {reason}: nothing was changed; put it back, or start the server again", path.display())]
    Gone {
        /// The file, or its directory.
        path: PathBuf,
        /// The cause.
        reason: &'static str,
    },
    /// The store has become read-only.
    #[error("the store has become read-only: nothing was changed")]
    ReadOnly,
    /// Any other failure.
    #[error("the store failed: {}{}", .0.reason, .0.detail)]
    Failed(Failure),
    /// The store's answer does not fit the request, which is a defect of the program.
    #[error("the store failed: its answer is not the one to what it was asked")]
    Confused,
}

impl Error {
    /// Whether the database is lost or silent. It may return, and nothing is wrong here.
    #[must_use]
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}

/// A failure as the store reports it.
#[derive(Debug)]
pub struct Failure {
    /// The store's message.
    pub reason: String,
    /// Technical details; empty, or text that begins with a blank.
    pub detail: String,
    /// The kind of failure.
    pub nature: Nature,
}

/// The kind of a failure, as far as it determines the advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// The content is damaged.
    Damaged,
    /// The store cannot be reached.
    Closed,
    /// The place lacks something that the store needs.
    Lacking(&'static str),
    /// Anything else.
    Other,
}
