//! The readiness probe. An answer serves for a while, because many may ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http::StatusCode;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::handlers::Handlers;
use super::reply::{self, Refusal, Reply};

/// The time that an answer serves.
const FRESH: Duration = Duration::from_secs(1);

/// What a server that ends says.
const ENDING: &str = "the server is about to end";

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

    /// Refuses a request that comes when the server ends.
    pub(super) fn ensure_open(&self) -> Result<(), Refusal> {
        match self.is_draining.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(Refusal::denied(StatusCode::SERVICE_UNAVAILABLE, ENDING).retry(1)),
        }
    }

    /// The reply to who asks whether the server is ready.
    pub(super) async fn reply<H: Handlers>(&self, handlers: &Arc<H>) -> Reply {
        match self.ready(handlers).await {
            Ok(()) => reply::text(StatusCode::OK, "ready\n"),
            Err(why) => reply::text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
        }
    }

    /// The reply to who asks whether the process lives. It waits for nothing, and repeats why the
    /// server was not ready when somebody asked last.
    pub(super) fn living(&self) -> Reply {
        let latest = self.latest.try_lock().ok().and_then(|latest| latest.clone());
        match latest {
            Some((_, Err(why))) => {
                reply::text(StatusCode::OK, format!("alive, but not ready: {why}\n"))
            }
            _ => reply::text(StatusCode::OK, "alive\n"),
        }
    }

    /// Whether the server is ready, or why not.
    async fn ready<H: Handlers>(&self, handlers: &Arc<H>) -> Result<(), String> {
        if self.is_draining.load(Ordering::Acquire) {
            return Err(ENDING.to_owned());
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
