//! What native capabilities run with.

use std::sync::Arc;

use pif_sandbox::{Limits, Sandbox, Watch};

/// What a run may use for native capabilities.
#[derive(Debug)]
pub(super) struct Means {
    pub(super) sandbox: Arc<Sandbox>,
    /// The limits of each, and the fuel of all together.
    pub(super) limits: Limits,
    pub(super) watch: Watch,
    /// How many are at work.
    pub(super) depth: u64,
}

impl Means {
    pub(super) fn new(sandbox: Arc<Sandbox>, limits: Limits, watch: Watch) -> Self {
        Self { sandbox, limits, watch, depth: 0 }
    }
}
