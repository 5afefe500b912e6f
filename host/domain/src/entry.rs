//! The kinds of journal entries and their outcomes.

use std::fmt;

use super::code::FaultCode;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A call made or changed a tool, or the server refused to.
    Evolve,
    /// A tool was rolled back to an earlier revision.
    Rollback,
    /// A tool was hidden.
    Retire,
    /// A term or a tool was run.
    Run,
    /// A value was stored in the memory or removed from it.
    Memory,
    /// A session or a saved state was changed.
    Session,
    /// Tools were imported from a file.
    Import,
    /// A server was installed or removed.
    Install,
    /// Changes were staged.
    Stage,
    /// Staged changes were verified.
    Verify,
    /// Staged changes count now.
    Commit,
    /// Staged changes were given up.
    Discard,
    /// A model wrote programs for a task.
    Task,
    /// The server refused a call before doing anything.
    Refusal,
}

impl EntryKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Evolve,
        Self::Rollback,
        Self::Retire,
        Self::Run,
        Self::Memory,
        Self::Session,
        Self::Import,
        Self::Install,
        Self::Stage,
        Self::Verify,
        Self::Commit,
        Self::Discard,
        Self::Task,
        Self::Refusal,
    ];

    /// The name in the store and in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Evolve => "evolve",
            Self::Rollback => "rollback",
            Self::Retire => "retire",
            Self::Run => "run",
            Self::Memory => "memory",
            Self::Session => "session",
            Self::Import => "import",
            Self::Install => "install",
            Self::Stage => "stage",
            Self::Verify => "verify",
            Self::Commit => "commit",
            Self::Discard => "discard",
            Self::Task => "task",
            Self::Refusal => "refusal",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The outcome of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOutcome {
    /// A run returned a value.
    Value,
    /// A run returned a continuation.
    Continuation,
    /// A tool is new.
    New,
    /// A tool, or the value under a key of the memory, has changed.
    Changed,
    /// A tool has a new description, new examples, properties or a new schema, and an unchanged term.
    Described,
    /// Nothing changed.
    Unchanged,
    /// A tool is hidden.
    Retired,
    /// The memory holds a value under a new key.
    Stored,
    /// The memory no longer holds a value under the key, or a server is not installed any more.
    Forgotten,
    /// A session was started or closed, its bindings were saved or restored, or a snapshot was staged,
    /// verified, committed or discarded.
    Done,
    /// Nobody knows: the server ended before a run did that called others.
    Unknown,
    /// The call failed with this code.
    Fault(FaultCode),
}

impl EntryOutcome {
    /// The name in the store and in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Continuation => "continuation",
            Self::New => "new",
            Self::Changed => "changed",
            Self::Described => "described",
            Self::Unchanged => "unchanged",
            Self::Retired => "retired",
            Self::Stored => "stored",
            Self::Forgotten => "forgotten",
            Self::Done => "done",
            Self::Unknown => "outcome-unknown",
            Self::Fault(code) => code.name(),
        }
    }
}

impl fmt::Display for EntryOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
