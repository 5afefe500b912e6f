//! Converts SQLite's errors to those of a store.

use std::path::Path;

use rusqlite::ErrorCode;

use super::filesystem::{self, LOCAL};
use crate::{Error, Failure, Nature};

/// The advice for a place that cannot hold a store.
const ELSEWHERE: &str = "name another directory by --data DIR, or keep nothing by --ephemeral";

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            code => Self::Failed(failure(&error, code)),
        }
    }
}

fn failure(error: &rusqlite::Error, code: Option<ErrorCode>) -> Failure {
    let extended = error.sqlite_error().map(|error| error.extended_code);
    let lack = extended.and_then(filesystem::lack);
    let nature = match (code, lack) {
        (Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt), _) => Nature::Damaged,
        (Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied), _) => Nature::Closed,
        (_, Some(lack)) => Nature::Lacking(lack),
        _ => Nature::Other,
    };
    // The text of an I/O error does not say which operation failed. The code does, and it is
    // documented.
    let lack = lack.map(|lack| format!("; {lack}, {LOCAL}")).unwrap_or_default();
    let detail = extended.map(|code| format!(" (SQLite's code {code}){lack}"));
    Failure { reason: error.to_string(), detail: detail.unwrap_or_default(), nature }
}

/// The error of a file that cannot be opened, with its path and advice.
pub(super) fn with_path(path: &Path, error: Error) -> Error {
    let reason = match error {
        Error::Locked => "another process keeps it locked; try again, or end that one".to_owned(),
        Error::Full => format!("the disk is full; make room, or {ELSEWHERE}"),
        Error::ReadOnly => format!("it cannot be written; {ELSEWHERE}"),
        Error::Failed(Failure { reason, nature, .. }) => match nature {
            Nature::Damaged => {
                let reason = format!("damaged: {reason}; restore the file from a copy");
                return Error::Damaged { path: path.to_owned(), reason };
            }
            Nature::Closed => format!("it cannot be opened or written: {reason}; {ELSEWHERE}"),
            Nature::Lacking(lack) => format!("{lack}, {LOCAL}"),
            Nature::Other => reason,
        },
        error => return error,
    };
    Error::Unusable { path: path.to_owned(), reason }
}
