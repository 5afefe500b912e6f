//! Changes of the state, each with its journal entry: the requested changes, their results and the
//! reasons for refusals.

use super::error::Error;
use super::journal::Draft;
use super::memory::{Error as MemoryError, MemoryChange, Note};
use super::registry::{Definition, Error as RegistryError, Evolution, Status};
use super::session::{self, Error as SessionError, Session};
use super::staging::{self, Area, Error as StagingError};

/// A requested change.
#[derive(Debug, Clone)]
pub enum Change {
    /// No change, only the entry.
    None,
    /// Creates or changes a tool. An equal tool stays unchanged.
    Evolve(Evolution),
    /// Makes an earlier revision current again, with its description, examples and schema.
    RollBack {
        /// The tool.
        name: String,
        /// The first digits of the revision's hash.
        prefix: String,
    },
    /// Retires a tool: its name becomes free.
    Retire {
        /// The tool.
        name: String,
    },
    /// Imports a tool from a file.
    Take(ToolImport),
    /// Keeps a value in the memory.
    Keep {
        /// The value and its key.
        note: Note,
        /// Whether it may replace another value or other tags.
        replace: bool,
    },
    /// Counts whether the value of a key helped.
    Outcome {
        /// The key.
        key: String,
        /// Whether it helped.
        helped: bool,
    },
    /// Forgets a key. An unknown key changes nothing.
    Forget {
        /// The key.
        key: String,
    },
    /// Changes sessions.
    Session(session::Change),
    /// Changes staging areas.
    Stage(staging::Change),
    /// Removes what belongs to an owner: sessions, saved states, memory, and runs that wait.
    Erase {
        /// The owner.
        owner: String,
        /// The owner's runs that wait.
        runs: Vec<i64>,
    },
}

/// A tool from a file.
#[derive(Debug, Clone)]
pub struct ToolImport {
    /// The tool.
    pub evolution: Evolution,
    /// Whether only this revision is kept: the name still refers to its current revision.
    pub pinned: bool,
    /// Whether the library has the tool, so that it is not stored if the name is unknown here.
    pub supplied: bool,
    /// Whether it may replace the current revision of the name.
    pub replace: bool,
    /// Its certificate, which is kept beside the revision.
    pub certificate: Option<String>,
}

/// A change with its journal entry. The ending and the outcome of the change are added to the
/// entry.
#[derive(Debug, Clone)]
pub struct Write {
    /// The change.
    pub change: Change,
    /// The draft of the entry.
    pub entry: Draft,
}

impl Write {
    /// An entry without a change.
    #[must_use]
    pub fn entry(entry: Draft) -> Self {
        Self { change: Change::None, entry }
    }

    /// Whether there is a change.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !matches!(self.change, Change::None)
    }
}

/// The behavior while another process writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Wait for the lock, up to the store's time limit.
    Patiently,
    /// Fail at once, with [`Error::Locked`].
    Never,
}

/// The result of a write.
#[derive(Debug)]
pub struct Done {
    /// The number of the journal entry.
    pub entry: i64,
    /// The result of the change.
    pub effect: Effect,
}

/// The result of a change.
#[derive(Debug)]
pub enum Effect {
    /// No change was requested.
    None,
    /// A tool was created or changed.
    Evolved(Status),
    /// This revision is current again.
    RolledBack(Definition, Status),
    /// This tool was retired.
    Retired(Definition),
    /// The memory changed.
    Kept(MemoryChange),
    /// This session changed.
    Session(Box<Session>),
    /// This staging area changed, or was committed: then with what has become of each tool.
    Staged(Box<Area>, Vec<CommittedTool>),
    /// So much of an owner was removed.
    Erased(Erasure),
}

/// What a committed area has made of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedTool {
    /// The tool.
    pub name: String,
    /// sha256 of its term; None: it is retired.
    pub hash: Option<String>,
    /// The kind of change; None: it is retired.
    pub status: Option<Status>,
}

/// What was removed of an owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erasure {
    /// Sessions and saved states.
    pub sessions: u64,
    /// Keys of the memory.
    pub keys: u64,
    /// Staging areas.
    pub areas: u64,
    /// Runs that waited.
    pub runs: u64,
}

/// The reason why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The registry refuses.
    #[error(transparent)]
    Registry(RegistryError),
    /// The memory refuses.
    #[error(transparent)]
    Memory(MemoryError),
    /// The sessions refuse.
    #[error(transparent)]
    Session(SessionError),
    /// The staging areas refuse.
    #[error(transparent)]
    Staging(StagingError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Refusal {
    /// The store's answer does not fit the request.
    pub const CONFUSED: Self = Self::Store(Error::Confused);
}

impl From<RegistryError> for Refusal {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Store(error) => Self::Store(error),
            error => Self::Registry(error),
        }
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Store(error) => Self::Store(error),
            error => Self::Session(error),
        }
    }
}

impl From<StagingError> for Refusal {
    fn from(error: StagingError) -> Self {
        match error {
            StagingError::Store(error) => Self::Store(error),
            error => Self::Staging(error),
        }
    }
}

impl From<MemoryError> for Refusal {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Store(error) => Self::Store(error),
            error => Self::Memory(error),
        }
    }
}
