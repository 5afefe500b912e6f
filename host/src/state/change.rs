//! Changes of the state, each with its entry of the journal: what may be written, what came of it,
//! and why it was refused.

use super::error::Error;
use super::journal::Draft;
use super::memory::{Error as MemoryError, Kept, Note};
use super::registry::{Definition, Error as RegistryError, Evolution, Status};

/// What can be written.
#[derive(Debug, Clone)]
pub enum Change {
    /// Nothing but the entry.
    None,
    /// A tool is made or changed, unless it is so already.
    Evolve(Evolution),
    /// A name stands again for what it once stood for, with all that was said of it then.
    RollBack {
        /// The tool.
        name: String,
        /// The first digits of the hash.
        prefix: String,
    },
    /// A name stands for nothing from now on.
    Retire {
        /// The tool.
        name: String,
    },
    /// A tool comes from a file.
    Take(Taken),
    /// A value is kept in the memory.
    Keep {
        /// The value and its key.
        note: Note,
        /// Whether it may take the place of another value, or of other tags.
        replace: bool,
    },
    /// A key of the memory is forgotten, if it is known.
    Forget {
        /// The key.
        key: String,
    },
}

/// A tool of a file.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The tool.
    pub evolution: Evolution,
    /// It is only to be found at this revision: the name goes on to stand for what it stands for.
    pub pinned: bool,
    /// Where the name stands for nothing here, it is there all the same and need not be kept.
    pub supplied: bool,
    /// It may take the place of what the name stands for.
    pub replace: bool,
}

/// A change with its entry. How it ended and what came of it is added to the entry, unless there
/// is no change.
#[derive(Debug, Clone)]
pub struct Write {
    /// What is changed.
    pub change: Change,
    /// What the journal is told.
    pub entry: Draft,
}

impl Write {
    /// An entry alone.
    #[must_use]
    pub fn entry(entry: Draft) -> Self {
        Self { change: Change::None, entry }
    }

    /// Whether it is more than an entry.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !matches!(self.change, Change::None)
    }
}

/// What to do while somebody else is writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Wait until they are done, within reason.
    Patiently,
    /// Fail at once, with [`Error::Locked`].
    Never,
}

/// What came of a write.
#[derive(Debug)]
pub struct Done {
    /// The number of its entry.
    pub entry: i64,
    /// What was changed.
    pub effect: Effect,
}

/// What a change has done.
#[derive(Debug)]
pub enum Effect {
    /// Nothing, as was asked.
    None,
    /// A tool was made or changed.
    Evolved(Status),
    /// A tool is what it was then.
    RolledBack(Definition, Status),
    /// A tool is hidden, which was this.
    Retired(Definition),
    /// The memory changed.
    Kept(Kept),
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The registry refuses.
    #[error(transparent)]
    Registry(RegistryError),
    /// The memory refuses.
    #[error(transparent)]
    Memory(MemoryError),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Refusal {
    /// The store answered something else than it was asked.
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

impl From<MemoryError> for Refusal {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Store(error) => Self::Store(error),
            error => Self::Memory(error),
        }
    }
}
