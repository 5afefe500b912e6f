//! The gates in front of the sandbox: as many runs at once as there are processors, the others
//! wait their turn. What runs nothing has a gate of its own, and so has what waits for the world.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for what runs nothing, such as a check of a term: beside those of runs.
pub const LOOKS: usize = 4;

/// Runs that may wait for the world at once and let others have their places meanwhile. Their
/// machines stay alive.
pub const WAITING: usize = 8;

/// Admits a fixed number of runs at once.
#[derive(Debug)]
pub struct Gate {
    places: Arc<Semaphore>,
    patience: Duration,
}

/// The wait was longer than the gate's patience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("all places were taken for {0:?}")]
pub struct Busy(pub Duration);

impl Gate {
    /// A gate with so many places, at which nobody waits longer than `patience`.
    #[must_use]
    pub fn new(places: usize, patience: Duration) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), patience }
    }

    /// Waits for a place. It is free again when the permit is dropped.
    pub async fn enter(&self) -> Result<OwnedSemaphorePermit, Busy> {
        let place = Arc::clone(&self.places).acquire_owned();
        match tokio::time::timeout(self.patience, place).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Busy(self.patience)),
        }
    }

    /// Waits for a place as long as it takes: for what was inside before. None if the gate is gone.
    pub async fn enter_again(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Takes a place if there is one.
    #[must_use]
    pub fn try_enter(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }
}
