//! A row of the table of limits.

use super::code::FaultCode;
use super::limit::Limit;
use super::section::Section;

/// The description of a limit.
#[derive(Debug)]
pub struct Row {
    /// The name in faults and in `server_info`.
    pub name: &'static str,
    /// One sentence for `--help`, without a final period.
    pub help: &'static str,
    /// The heading that it is listed under.
    pub section: Section,
    /// The unit of its value.
    pub unit: Unit,
    /// The source of its value.
    pub setting: Setting,
    /// The effect of exceeding it.
    pub beyond: Beyond,
    /// The test in which this limit takes effect.
    pub test: &'static str,
}

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

/// The source of a limit's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The value is set by a flag or an environment variable.
    Flag {
        /// The flag without its dashes.
        flag: &'static str,
        /// The value if neither is set.
        default: Default,
        /// The least value.
        least: u64,
        /// The greatest value.
        most: u64,
        /// A limit whose value it may not exceed.
        ceiling: Option<Limit>,
    },
    /// The value cannot be set.
    Fixed {
        /// Its value.
        value: u64,
        /// The reason why it cannot be set, as a sentence.
        why: &'static str,
    },
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
pub enum Beyond {
    /// The call fails with this code.
    Fault(FaultCode),
    /// Another effect, in a word or two.
    Other(&'static str),
}

impl Beyond {
    /// The code of the fault, or the words.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Fault(code) => code.name(),
            Self::Other(text) => text,
        }
    }
}

pub(super) const fn flag(
    flag: &'static str,
    default: &'static str,
    least: u64,
    most: u64,
) -> Setting {
    Setting::Flag { flag, default: Default::Text(default), least, most, ceiling: None }
}

pub(super) const fn fixed(value: u64, why: &'static str) -> Setting {
    Setting::Fixed { value, why }
}

impl Setting {
    pub(super) const fn below(self, limit: Limit) -> Self {
        match self {
            Self::Flag { flag, default, least, most, .. } => {
                Self::Flag { flag, default, least, most, ceiling: Some(limit) }
            }
            Self::Fixed { value, why } => Self::Fixed { value, why },
        }
    }

    pub(super) const fn or(self, default: Default) -> Self {
        match self {
            Self::Flag { flag, least, most, ceiling, .. } => {
                Self::Flag { flag, default, least, most, ceiling }
            }
            Self::Fixed { value, why } => Self::Fixed { value, why },
        }
    }
}

pub(super) const fn fault(code: FaultCode) -> Beyond {
    Beyond::Fault(code)
}
