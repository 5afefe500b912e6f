//! Values read from a row of the table of limits.

use std::fmt;

use super::bound::Unit;
use super::limit::{Limit, Setting};

impl Limit {
    /// The name in faults and in `server_info`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The limit with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|limit| limit.name() == name)
    }

    /// The value of a fixed limit, or 0 for other limits.
    #[must_use]
    pub const fn fixed(self) -> u64 {
        match self.row().setting {
            Setting::Fixed { value, .. } => value,
            Setting::Flag { .. } => 0,
        }
    }

    /// The value of a fixed limit as a `usize`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "fixed limits fit into 32 bits")]
    pub const fn fixed_count(self) -> usize {
        self.fixed() as usize
    }

    /// Converts a value for replies: times become milliseconds.
    #[must_use]
    pub fn shown(self, value: u64) -> u64 {
        match self.row().unit {
            Unit::Time => value / 1_000_000,
            Unit::Count | Unit::Size => value,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
