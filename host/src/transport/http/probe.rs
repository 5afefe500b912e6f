//! Whether the server is ready. Many may ask, so an answer serves for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::handlers::Handlers;

/// The time that an answer serves.
const FRESH: Duration = Duration::from_secs(1);

/// The readiness of a server.
#[derive(Debug, Default)]
pub(super) struct Probe {
    latest: Mutex<Option<(Instant, Result<(), String>)>>,
    is_draining: AtomicBool,
}

impl Probe {
    /// From now on the server is not ready.
    pub(super) fn drain(&self) {
        self.is_draining.store(true, Ordering::Release);
    }

    /// Whether the server is ready, or why not.
    pub(super) async fn ready<H: Handlers>(&self, handlers: &Arc<H>) -> Result<(), String> {
        if self.is_draining.load(Ordering::Acquire) {
            return Err("the server is about to end".to_owned());
        }
        let mut latest = self.latest.lock().await;
        if let Some((when, answer)) = &*latest
            && when.elapsed() < FRESH
        {
            return answer.clone();
        }
        let handlers = Arc::clone(handlers);
        let asked = spawn_blocking(move || handlers.ready()).await;
        let answer = asked.unwrap_or_else(|error| Err(error.to_string()));
        *latest = Some((Instant::now(), answer.clone()));
        answer
    }
}
