//! What may be written somewhere, for completion.

use pif_sandbox::{Completed, Watch};
use pif_server::workshop::Writing;

use super::ReplSession;

/// How long a proposal may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

impl ReplSession {
    /// What may be written at the end of the beginning of a program.
    pub(in super::super) fn proposals(&self, code: &str) -> Option<Completed> {
        let (_, bindings) = self.open().ok()?;
        let writing = Writing { code, cursor: code.len(), bindings: &bindings };
        self.workshop.complete(&writing, &Watch::new(PATIENCE)).ok()
    }
}
