//! Queries of the journal.

use pif_domain::EntryKind;

/// A filter for entries. All conditions must hold.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those of this kind.
    pub kind: Option<EntryKind>,
    /// Only those about this tool or key.
    pub subject: Option<String>,
    /// Only those with this ending.
    pub ending: Option<String>,
    /// Only those written at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Only those before this entry.
    pub before: Option<i64>,
    /// Only those of this principal. The empty name is that of the local user.
    pub principal: Option<String>,
    /// Only those after this entry.
    pub after: Option<i64>,
    /// Only those of this chain.
    pub chain: Option<i64>,
}

/// The cost of a tool's runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The fuel of each run, in ascending order.
    pub fuel: Vec<i64>,
    /// The number of runs that ended in a fault.
    pub faults: usize,
}
