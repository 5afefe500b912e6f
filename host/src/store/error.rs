//! What can be wrong with a store, each as a sentence that says what to do.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::filesystem;

/// What to do where a place does not serve.
const ELSEWHERE: &str = "name another directory by --data DIR, or keep nothing by --ephemeral";

/// What to do where a file system does not serve.
pub(super) const LOCAL: &str = "which a store needs: name a directory on a local disk by --data DIR, or keep nothing by --ephemeral";

/// What is wrong with the file.
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
    /// A statement failed for another reason.
    #[error("the store failed: {0}{code}", code = code(.0))]
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            _ => Self::Sqlite(error),
        }
    }
}

/// The number under which SQLite documents an error: its text does not tell a failing read from a
/// failing write.
fn code(error: &rusqlite::Error) -> String {
    let Some(code) = error.sqlite_error().map(|error| error.extended_code) else {
        return String::new();
    };
    let lack = filesystem::lack(code).map(|lack| format!("; {lack}, {LOCAL}")).unwrap_or_default();
    format!(" (SQLite's code {code}){lack}")
}

/// The error of a file that could not be opened, with its path and what to do.
pub(super) fn told(path: &Path, error: Error) -> Error {
    let reason = match &error {
        Error::Unusable { .. }
        | Error::Damaged { .. }
        | Error::Newer { .. }
        | Error::Gone { .. }
        | Error::Altered { .. } => return error,
        Error::Locked => "another process keeps it locked; try again, or end that one".to_owned(),
        Error::Full => format!("the disk is full; make room, or {ELSEWHERE}"),
        Error::ReadOnly => format!("it cannot be written; {ELSEWHERE}"),
        Error::Sqlite(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                let reason = format!("damaged: {error}; restore the file from a copy");
                return Error::Damaged { path: path.to_owned(), reason };
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                format!("it cannot be opened or written: {error}; {ELSEWHERE}")
            }
            _ => match error.sqlite_error().and_then(|it| filesystem::lack(it.extended_code)) {
                Some(lack) => format!("{lack}, {LOCAL}"),
                None => error.to_string(),
            },
        },
    };
    Error::Unusable { path: path.to_owned(), reason }
}
