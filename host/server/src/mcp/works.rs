//! The durable runs on which a server works.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::workshop::EndedByHand;

/// The durable runs on which this server works.
#[derive(Debug, Default)]
pub(super) struct Works {
    running: Mutex<BTreeMap<i64, Running>>,
    /// Cancelled when the server ends.
    pub(super) leave: CancellationToken,
}

/// A durable run on which this server works.
#[derive(Debug, Clone)]
pub(super) struct Running {
    /// Stops it.
    pub(super) stop: CancellationToken,
    /// Whether somebody ends it.
    pub(super) by_hand: EndedByHand,
    /// Whether it has stopped.
    pub(super) done: watch::Receiver<bool>,
}

impl Works {
    /// All of them, by their numbers.
    pub(super) fn running(&self) -> MutexGuard<'_, BTreeMap<i64, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run with this number.
    pub(super) fn find(&self, run: i64) -> Option<Running> {
        self.running().get(&run).cloned()
    }
}
