//! Completion of a program in a session.

use pif_sandbox::{Completed, Watch};
use pif_server::workshop::Writing;

use super::ReplSession;

/// How long a proposal may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

impl ReplSession {
    /// Proposals for the end of a program that has begun.
    pub(in super::super) fn proposals(&self, code: &str) -> Option<Completed> {
        let (_, bindings) = self.open().ok()?;
        let writing = Writing { code, cursor: code.len(), bindings: &bindings };
        self.workshop.complete(&writing, &Watch::new(PATIENCE)).ok()
    }
}
