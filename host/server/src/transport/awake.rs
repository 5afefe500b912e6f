//! Staying awake after an answer. The next request often follows at once, and waking a sleeping
//! processor takes longer than reading a request.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time for which the thread stays awake when everything is answered. It covers a client that
/// makes its next call from an answer, and costs no more than a short call.
const MOMENT: Duration = Duration::from_micros(100);

/// The time until which the thread that answers stays awake.
#[derive(Debug, Default)]
pub struct Awake {
    until: Mutex<Option<Instant>>,
}

impl Awake {
    /// Starts the period after an answer.
    pub(super) fn begin(&self) {
        self.set(Some(Instant::now() + MOMENT));
    }

    /// Keeps the runtime awake until the period is over: it looks for work and calls this again.
    /// You call it on the runtime's thread when it is about to sleep.
    pub fn stay(&self) {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        match until {
            None => {}
            Some(until) if Instant::now() < until => {
                // The client may need this processor for its next request.
                thread::yield_now();
                tokio::spawn(async {});
            }
            Some(_) => self.set(None),
        }
    }

    fn set(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}
