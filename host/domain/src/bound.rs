//! The unit of a limit, its default, and the effect of exceeding it.

use super::code::FaultCode;

/// The least memory that a machine can start with.
pub(super) const LEAST_MEMORY: u64 = 1 << 20;

/// The most memory of a run. The evaluator needs twice as much, and room for its input.
pub(super) const MOST_MEMORY: u64 = 512 << 20;

/// The greatest depth that can be set.
pub(super) const MOST_DEPTH: u64 = 100_000_000;

/// The unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number of things.
    Count,
    /// A number of bytes.
    Size,
    /// A time in nanoseconds, shown in milliseconds.
    Time,
}

/// The default value of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// A value as a user would write it.
    Text(&'static str),
    /// The number of processors.
    Processors,
    /// The value of the profile.
    Profile,
}

impl Default {
    /// The default in words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Text(text) => text,
            Self::Processors => "the number of processors",
            Self::Profile => "20k, 50k or 200k, by profile",
        }
    }
}

/// The effect of exceeding a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overrun {
    /// The call fails with this code.
    Fault(FaultCode),
    /// Another effect, in a word or two.
    Other(&'static str),
}

impl Overrun {
    /// The code of the fault, or the words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Fault(code) => code.name(),
            Self::Other(text) => text,
        }
    }
}
