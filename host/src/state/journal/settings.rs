//! How the journal is kept.

use crate::state::memory::Capacity;

/// What entries keep of requests and outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Policy {
    /// All, up to a length; of what is longer a digest
    Full,
    /// Digests
    Summary,
    /// Nothing
    None,
}

/// How the journal is kept, and how much stands beside it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What entries keep.
    pub policy: Policy,
    /// Bytes of a request or an outcome that an entry keeps.
    pub most_payload: usize,
    /// Bytes of all entries together; the oldest go first.
    pub most: u64,
    /// How much the memory holds.
    pub memory: Capacity,
    /// sha256 of the evaluator that runs are made with.
    pub component: String,
}
