//! The detail of replies.

use clap::ValueEnum;

/// The detail of replies. Each profile has caps of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// Text only: no output schemas, no structured content
    Slim,
    /// Text, and a small record
    Structured,
    /// The same with usage, limits, time and the revision of what was run
    Debug,
}

impl Profile {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Slim => "slim",
            Self::Structured => "structured",
            Self::Debug => "debug",
        }
    }

    /// The default number of characters of a result that a reply shows.
    pub(super) fn result(self) -> u64 {
        match self {
            Self::Slim => 20_000,
            Self::Structured => 50_000,
            Self::Debug => 200_000,
        }
    }

    /// The most lines of each kind in a reply: warnings, trace lines and evaluation steps.
    #[must_use]
    pub fn lines(self) -> usize {
        match self {
            Self::Slim => 20,
            Self::Structured => 100,
            Self::Debug => 1_000,
        }
    }
}
