//! The settings of the journal.

use std::sync::Arc;
use std::time::Duration;

use crate::memory::MemoryCapacity;
use crate::{session, staging};

/// How entries keep requests and outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Policy {
    /// All, up to a length; of what is longer a digest
    Full,
    /// Digests
    Summary,
    /// Nothing
    None,
}

/// The settings of the journal, and the capacity of the memory.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How entries keep requests and outcomes.
    pub policy: Policy,
    /// The most bytes of a request or an outcome that an entry keeps as text.
    pub most_payload: usize,
    /// The most bytes of all entries together. The oldest are removed first.
    pub most: u64,
    /// The capacity of the memory.
    pub memory: MemoryCapacity,
    /// The capacity of sessions.
    pub sessions: session::SessionCapacity,
    /// The capacity of staging areas.
    pub staging: staging::StagingCapacity,
    /// sha256 of the evaluator that makes the runs.
    pub component: String,
    /// The lease of the process that writes an entry of a run on which it works.
    pub holder: String,
    /// How long the lease of a process lasts that is silent.
    pub lease: Duration,
    /// Who its entries belong to, and the values of the memory. The empty name is that of the local user.
    pub principal: Arc<str>,
}
