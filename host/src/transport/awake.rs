//! Staying awake after an answer: the next request often follows at once, and to wake a processor
//! that has gone to sleep takes longer than to read a request.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long the thread stays awake when everything is answered: what a client takes that works on
/// the answer of one call to make the next, and no more than a short call costs.
const MOMENT: Duration = Duration::from_micros(100);

/// Until when the thread that answers does not go to sleep.
#[derive(Debug, Default)]
pub struct Awake {
    until: Mutex<Option<Instant>>,
}

impl Awake {
    /// Begins the moment after an answer.
    pub(super) fn begin(&self) {
        self.set(Some(Instant::now() + MOMENT));
    }

    /// Keeps the runtime from going to sleep until the moment is over: it looks for what there is
    /// to do, and asks again. To be called on its thread, when it is about to sleep.
    pub fn stay(&self) {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        match until {
            None => {}
            Some(until) if Instant::now() < until => {
                // Whoever is to ask next may need this very processor.
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
