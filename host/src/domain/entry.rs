//! What journal entries are about and how they end.

use std::fmt;

use super::code::FaultCode;

/// What an entry tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// Somebody made or changed a tool, or the server refused that.
    Evolve,
    /// A tool went back to an earlier revision.
    Rollback,
    /// A tool was hidden.
    Retire,
    /// A term or a tool was run.
    Run,
    /// Something was kept in the memory.
    Memory,
    /// Tools came from a file.
    Import,
    /// The server refused a call before it did anything.
    Refusal,
}

impl EntryKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Evolve,
        Self::Rollback,
        Self::Retire,
        Self::Run,
        Self::Memory,
        Self::Import,
        Self::Refusal,
    ];

    /// Its name in the store and in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Evolve => "evolve",
            Self::Rollback => "rollback",
            Self::Retire => "retire",
            Self::Run => "run",
            Self::Memory => "memory",
            Self::Import => "import",
            Self::Refusal => "refusal",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryEnding {
    /// A run gave a value.
    Value,
    /// A run asks to be continued.
    Continuation,
    /// A tool is new.
    New,
    /// A tool, or what the memory holds under a key, is another one now.
    Changed,
    /// A tool has the same term and another description, other examples or another schema.
    Described,
    /// Nothing changed.
    Unchanged,
    /// A tool is hidden.
    Retired,
    /// The memory holds something under a new key.
    Stored,
    /// The memory holds nothing under the key any more.
    Forgotten,
    /// A fault.
    Fault(FaultCode),
}

impl EntryEnding {
    /// Its name in the store and in replies.
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
            Self::Fault(code) => code.name(),
        }
    }
}

impl fmt::Display for EntryEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
