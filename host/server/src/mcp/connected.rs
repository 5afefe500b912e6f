//! State of a connected client.

use std::sync::Arc;
use std::time::Instant;

use crate::observe::Measures;
use crate::transport::Session;

/// Counts a client as connected until it is dropped.
pub(super) struct ConnectionGuard {
    measures: Arc<Measures>,
    since: Instant,
}

impl ConnectionGuard {
    pub(super) fn new(measures: &Arc<Measures>) -> Self {
        measures.session_began();
        Self { measures: Arc::clone(measures), since: Instant::now() }
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.measures.session_ended(self.since.elapsed());
    }
}

/// Ends a session when it is dropped.
pub(super) struct SessionGuard(pub(super) Arc<Session>);

impl Drop for SessionGuard {
    fn drop(&mut self) {
        self.0.close();
    }
}
