//! What can be asked of the journal.

use crate::domain::EntryKind;

/// Which entries to look at.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those of this kind.
    pub kind: Option<EntryKind>,
    /// Only those about this tool or key.
    pub subject: Option<String>,
    /// Only those that ended so.
    pub ending: Option<String>,
    /// Only those written at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Only those before this entry.
    pub before: Option<i64>,
    /// Only those after this entry.
    pub after: Option<i64>,
}

/// What runs of a tool have cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Fuel of each, in ascending order.
    pub fuel: Vec<i64>,
    /// How many of them ended in a fault.
    pub faults: usize,
}
