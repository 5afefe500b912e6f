//! Faults of what a workshop refuses: a caller learns what was wrong, and what to write instead.

use crate::domain::{Excess, Fault, FaultCode, Limit, fault};
use crate::memory::{Error as MemoryError, LONGEST_KEY, LONGEST_TAG, MOST_TAGS};
use crate::registry::Error as RegistryError;
use crate::state::{Error as StoreError, Refusal};

/// Why a change was not made.
#[derive(Debug)]
pub struct Refused {
    /// What was being tried, if not the change itself.
    pub during: Option<String>,
    /// What went wrong: at least one fault.
    pub faults: Vec<Fault>,
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self { during: None, faults: vec![fault] }
    }
}

impl From<Vec<Fault>> for Refused {
    fn from(faults: Vec<Fault>) -> Self {
        Self { during: None, faults }
    }
}

/// The fault of a text that is over the limit of this name.
#[must_use]
pub fn too_large(limit: Limit, what: &str, length: usize, most: usize) -> Fault {
    let message = format!("`{what}` has {length} bytes, more than the {most} that are accepted");
    let count = |bytes| u64::try_from(bytes).unwrap_or(u64::MAX);
    let limit = Excess { name: limit, used: count(length), limit: count(most) };
    fault(FaultCode::TooLarge, message, Some("send less at a time")).by(Some(limit))
}

/// What a caller learns when the store fails.
#[must_use]
pub fn stored(error: impl Into<StoreError>) -> Fault {
    let error = error.into();
    tracing::error!(%error, "the store failed");
    let hint = match error {
        StoreError::Locked => "try again later",
        _ => "tell the operator of this server, then try again",
    };
    fault(FaultCode::Storage, error.to_string(), Some(hint))
}

/// What a caller learns when nothing was written.
pub(super) fn unwritten(refusal: Refusal) -> Fault {
    match refusal {
        Refusal::Registry(error) => refused(error),
        Refusal::Memory(error) => unkept(error),
        Refusal::Store(error) => stored(error),
    }
}

/// What a caller learns when the registry refuses something.
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

/// What a caller learns when the memory refuses something.
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
        MemoryError::Present(_) => "`--replace` takes what the file has",
        MemoryError::Blank(_) | MemoryError::Hidden { .. } => {
            "use letters, digits and signs that can be seen"
        }
        MemoryError::Long { .. } | MemoryError::Tags(_) => &format!(
            "a key has {LONGEST_KEY} characters at most, a tag {LONGEST_TAG}; a key has {MOST_TAGS} tags"
        ),
    };
    fault(FaultCode::Malformed, error.to_string(), Some(hint))
}
