//! What can be wrong with a store, each as a sentence that says what to do.

use std::path::PathBuf;

/// What is wrong with the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be opened, made or written as the file system has it.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file, or its directory.
        path: PathBuf,
        /// What the system said, and what to do.
        reason: String,
    },
    /// It is no store of ours, or holds what no store of ours would.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// It was written by a later version.
    #[error("{}: written by a later version of mcp-pif (schema {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: usize,
        /// Ours.
        known: usize,
    },
    /// Another process kept it locked.
    #[error("another process keeps the store locked: nothing was changed")]
    Locked,
    /// There is no room left.
    #[error("the disk is full: nothing was changed")]
    Full,
    /// A term is not the one that was kept.
    #[error(
        "the term of {tool} is not the one that its hash {hash} names: restore the store from a copy"
    )]
    Altered {
        /// The tool in backticks, or what else there is to say of it.
        tool: String,
        /// sha256 of the term that was kept.
        hash: String,
    },
    /// The file is not the one any more that this process opened.
    #[error("{}: {reason}: nothing was changed; put it back, or start the server again", path.display())]
    Gone {
        /// The file, or its directory.
        path: PathBuf,
        /// What became of it.
        reason: &'static str,
    },
    /// It cannot be written any more.
    #[error("the store has become read-only: nothing was changed")]
    ReadOnly,
    /// It failed for another reason.
    #[error("the store failed: {}{}", .0.reason, .0.detail)]
    Failed(Failure),
    /// It answered something else than it was asked, which is a defect of its own.
    #[error("the store failed: its answer is not the one to what it was asked")]
    Confused,
}

/// What a store itself says of its failure.
#[derive(Debug)]
pub struct Failure {
    /// What it says.
    pub reason: String,
    /// More, for those who know the kind of store; begins with a blank if there is any.
    pub detail: String,
    /// What is known of the reason.
    pub nature: Nature,
}

/// Why a store fails, as far as that says what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// What it keeps is damaged.
    Damaged,
    /// It cannot be reached.
    Closed,
    /// The place lacks something that the store needs.
    Lacking(&'static str),
    /// Anything else.
    Other,
}
