//! Converts errors of PostgreSQL to those of a store.

use pif_store::{Error, Failure, Nature};
use tokio_postgres::error::SqlState;

/// The state with which `append` says that another server holds the chain, and that the chain ends elsewhere.
pub(crate) const TAKEN: &str = "PIF01";
pub(crate) const ELSEWHERE: &str = "PIF02";

/// The error of a store.
pub(crate) fn convert(error: &tokio_postgres::Error) -> Error {
    let Some(told) = error.as_db_error() else {
        return unavailable(format!("the connection is lost: {error}"));
    };
    let code = told.code();
    let class = code.code().get(..2).unwrap_or_default();
    match code {
        &SqlState::LOCK_NOT_AVAILABLE | &SqlState::T_R_DEADLOCK_DETECTED => Error::Locked,
        &SqlState::DISK_FULL => Error::Full,
        &SqlState::READ_ONLY_SQL_TRANSACTION => Error::ReadOnly,
        &SqlState::QUERY_CANCELED => unavailable("it has not answered in time".to_owned()),
        _ if matches!(code.code(), TAKEN | ELSEWHERE) => {
            unavailable(format!("this server has lost its part of the journal: {}", told.message()))
        }
        _ if matches!(class, "08" | "28" | "53" | "57" | "58") => {
            unavailable(told.message().to_owned())
        }
        _ => Error::Failed(Failure {
            reason: told.message().to_owned(),
            detail: format!(" (PostgreSQL's code {})", code.code()),
            nature: Nature::Other,
        }),
    }
}

pub(crate) fn unavailable(reason: String) -> Error {
    Error::Unavailable { reason }
}

/// A row that is not as the schema has it.
pub(crate) fn damaged(reason: String) -> Error {
    Error::Failed(Failure { reason, detail: String::new(), nature: Nature::Damaged })
}

/// The error of one statement for each of those who waited for it.
pub(crate) fn again(error: &Error, told: &str) -> Error {
    match error {
        Error::Locked => Error::Locked,
        Error::Full => Error::Full,
        Error::ReadOnly => Error::ReadOnly,
        Error::Unavailable { reason } => unavailable(reason.clone()),
        Error::Failed(Failure { reason, detail, nature }) => Error::Failed(Failure {
            reason: reason.clone(),
            detail: detail.clone(),
            nature: *nature,
        }),
        _ => damaged(told.to_owned()),
    }
}
