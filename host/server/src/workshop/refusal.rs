//! The faults of refused requests. Each says the reason and, if possible, how to correct it.

use pif_domain::{Excess, Fault, FaultCode, Limit, fault};
use pif_store::memory::{
    Error as MemoryError, LONGEST_CONTEXT, LONGEST_KEY, LONGEST_TAG, MOST_TAGS,
};
use pif_store::registry::Error as RegistryError;
use pif_store::session::Error as SessionError;
use pif_store::staging::Error as StagingError;
use pif_store::{Error as StoreError, Refusal};

/// The reason why a change was not made.
#[derive(Debug)]
pub struct ChangeRefusal {
    /// The step that failed, such as an example; None if the change itself was refused.
    pub during: Option<String>,
    /// At least one fault.
    pub faults: Vec<Fault>,
}

impl From<Fault> for ChangeRefusal {
    fn from(fault: Fault) -> Self {
        Self { during: None, faults: vec![fault] }
    }
}

impl From<Vec<Fault>> for ChangeRefusal {
    fn from(faults: Vec<Fault>) -> Self {
        Self { during: None, faults }
    }
}

/// The fault of a text that exceeds the limit `limit`: `length` and `most` are bytes.
#[must_use]
pub fn too_large(limit: Limit, what: &str, length: usize, most: usize) -> Fault {
    let message = format!("`{what}` has {length} bytes, more than the {most} that are accepted");
    let count = |bytes| u64::try_from(bytes).unwrap_or(u64::MAX);
    let limit = Excess { name: limit, used: count(length), limit: count(most) };
    fault(FaultCode::TooLarge, message, Some("send less at a time")).by(Some(limit))
}

/// The fault that a caller gets when the store fails.
#[must_use]
pub fn stored(error: impl Into<StoreError>) -> Fault {
    let error = error.into();
    tracing::error!(%error, "the store failed");
    let (code, hint) = match error {
        StoreError::Locked => (FaultCode::Storage, "try again later"),
        StoreError::Lost => (FaultCode::Cancelled, "`runs` shows how it stands"),
        StoreError::Unavailable { .. } => (FaultCode::StoreUnavailable, "try again later"),
        _ => (FaultCode::Storage, "tell the operator of this server, then try again"),
    };
    fault(code, error.to_string(), Some(hint))
}

/// The fault that a caller gets when a write is refused or fails.
pub(super) fn unwritten(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Registry(error) => refused(error),
        Refusal::Memory(error) => unkept(error),
        Refusal::Session(error) => ended(error),
        Refusal::Staging(error) => unstaged(error),
        Refusal::Store(error) => stored(error),
    }
}

/// The fault that a caller gets when the registry refuses a change.
#[must_use]
pub fn refused(error: RegistryError) -> Fault {
    match error {
        RegistryError::Store(error) => stored(error),
        RegistryError::Unknown(_) => fault(FaultCode::UnknownTool, error.to_string(), None),
        RegistryError::Present { .. } => {
            let hint = "`--replace` takes the tools of the file";
            fault(FaultCode::Malformed, error.to_string(), Some(hint))
        }
        error => fault(FaultCode::Malformed, error.to_string(), None),
    }
}

/// The fault that a caller gets when a session cannot be used.
#[must_use]
pub fn ended(error: SessionError) -> Fault {
    let message = error.to_string();
    let (code, hint) = match error {
        SessionError::Store(error) => return stored(error),
        SessionError::Full { limit, used, most, .. } => {
            let hint = "`session_forget` removes bindings, `session_close` a session";
            let excess = Excess { name: limit, used, limit: most };
            return fault(FaultCode::SessionLimit, message, Some(hint)).by(Some(excess));
        }
        SessionError::Unknown(_) => {
            (FaultCode::UnknownSession, "`session_list` shows them, `session_start` starts one")
        }
        SessionError::Closed { reason, .. } => {
            let hint = "`session_start` starts another";
            let closed = fault(FaultCode::SessionClosed, message, Some(hint));
            return Fault { reason: Some(reason.name()), ..closed };
        }
        SessionError::Busy { .. } => (FaultCode::SessionBusy, "try again when the turn has ended"),
        SessionError::Lost => (FaultCode::Cancelled, "call again"),
        SessionError::Ended => (FaultCode::Cancelled, "nothing was changed"),
        SessionError::Unbound(_) => (FaultCode::Unbound, "`session_inspect` shows the bindings"),
        SessionError::Unsaved(_) => {
            (FaultCode::UnknownSession, "`session_list` shows them, `session_save` makes one")
        }
    };
    fault(code, message, Some(hint))
}

/// The fault that a caller gets when a snapshot cannot be changed or committed.
fn unstaged(error: StagingError) -> Fault {
    let message = error.to_string();
    let (code, hint) = match error {
        StagingError::Store(error) => return stored(error),
        StagingError::Full { limit, used, most, .. } => {
            let hint = "`commit` or `discard` ends a snapshot";
            let excess = Excess { name: limit, used, limit: most };
            return fault(FaultCode::SnapshotLimit, message, Some(hint)).by(Some(excess));
        }
        StagingError::Unknown(_) => (FaultCode::UnknownSnapshot, "`stage {}` lists your snapshots"),
        StagingError::Unverified { .. } => {
            (FaultCode::Unverified, "`verify` it, or give \"force\": true")
        }
        StagingError::Conflict { .. } => (
            FaultCode::Conflict,
            "`stage` with \"rebase\": true applies its operations on the registry of now",
        ),
        StagingError::Raced(_) | StagingError::Lost(_) => (FaultCode::Conflict, "call again"),
        StagingError::Busy { .. } => (FaultCode::Conflict, "call again when that has ended"),
    };
    fault(code, message, Some(hint))
}

/// The fault that a caller gets when the memory refuses a change.
#[must_use]
pub fn unkept(error: MemoryError) -> Fault {
    let full = |name, used, limit| {
        let hint = "forget a key that you no longer need: {\"key\": …, \"forget\": true}";
        let excess = Excess { name, used, limit };
        fault(FaultCode::TooLarge, error.to_string(), Some(hint)).by(Some(excess))
    };
    let hint = match error {
        MemoryError::Store(error) => return stored(error),
        MemoryError::Keys { used, most } => return full(Limit::MemoryKeys, used, most),
        MemoryError::Bytes { used, most } => return full(Limit::MemoryBytes, used, most),
        MemoryError::Unknown(_) => {
            let hint = "`memory_retrieve` shows the keys";
            return fault(FaultCode::UnknownKey, error.to_string(), Some(hint));
        }
        MemoryError::Confidence(_) => "write 0.8 for what is right four times out of five",
        MemoryError::Present(_) => "`--replace` takes what the file has",
        MemoryError::Blank(_) | MemoryError::Hidden { .. } => {
            "use letters, digits and signs that can be seen"
        }
        MemoryError::Long { .. } | MemoryError::Tags(_) => &format!(
            "a key has {LONGEST_KEY} characters at most, a tag {LONGEST_TAG}, a context {LONGEST_CONTEXT}; a \
             key has {MOST_TAGS} tags"
        ),
    };
    fault(FaultCode::Malformed, error.to_string(), Some(hint))
}
