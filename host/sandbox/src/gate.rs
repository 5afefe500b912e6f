//! The gates in front of the sandbox. As many runs are admitted at once as there are processors;
//! the others wait. Calls that run nothing and runs that wait for the world have gates of their
//! own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for calls that run nothing, such as a check of a term. They are separate from those of
/// runs.
pub const LOOKS: usize = 4;

/// Admits a fixed number of runs at once.
#[derive(Debug)]
pub struct Gate {
    places: Arc<Semaphore>,
    most: usize,
    waiting: AtomicUsize,
    patience: Duration,
}

/// How full a gate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowd {
    /// Places that are taken.
    pub taken: usize,
    /// All places.
    pub places: usize,
    /// Runs that wait for a place.
    pub waiting: usize,
}

/// The wait was longer than the gate's patience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("all places were taken for {0:?}")]
pub struct GateTimeout(pub Duration);

impl Gate {
    /// Makes a gate with this many places. Nobody waits longer than `patience`.
    #[must_use]
    pub fn new(places: usize, patience: Duration) -> Self {
        let waiting = AtomicUsize::new(0);
        Self { places: Arc::new(Semaphore::new(places)), most: places, waiting, patience }
    }

    /// How full it is now.
    #[must_use]
    pub fn crowd(&self) -> Crowd {
        let taken = self.most.saturating_sub(self.places.available_permits());
        Crowd { taken, places: self.most, waiting: self.waiting.load(Ordering::Relaxed) }
    }

    /// Waits for a place. It is free again when the permit is dropped.
    pub async fn enter(&self) -> Result<OwnedSemaphorePermit, GateTimeout> {
        if let Some(place) = self.try_enter() {
            return Ok(place);
        }
        let _waits = WaiterGuard::new(&self.waiting);
        let place = Arc::clone(&self.places).acquire_owned();
        match tokio::time::timeout(self.patience, place).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(GateTimeout(self.patience)),
        }
    }

    /// Waits for a place without a time limit, for a run that had a place before. Returns `None` if
    /// the gate is closed.
    pub async fn enter_again(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Takes a place if one is free.
    #[must_use]
    pub fn try_enter(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }
}

/// Counts a run that waits, until it is dropped.
struct WaiterGuard<'a>(&'a AtomicUsize);

impl<'a> WaiterGuard<'a> {
    fn new(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for WaiterGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
