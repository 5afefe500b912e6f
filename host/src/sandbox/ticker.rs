//! The clock behind deadlines: a thread that advances the engine's epoch while, and only while,
//! some guest is running.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use wasmtime::Engine;

/// The handle on the thread; dropping it ends the thread.
#[derive(Debug)]
pub(super) struct Ticker {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    closed: bool,
}

impl Ticker {
    /// `period` is how often a running guest looks up: cancelling takes effect within one.
    pub(super) fn start(engine: &Engine, period: Duration) -> Self {
        let shared = Arc::new(Shared::default());
        let (engine, thread_shared) = (engine.clone(), Arc::clone(&shared));
        thread::spawn(move || {
            while thread_shared.wait() {
                thread::sleep(period);
                engine.increment_epoch();
            }
        });
        Self { shared }
    }

    /// Lets the clock run until the guard is dropped.
    pub(super) fn tick(&self) -> Ticking<'_> {
        let mut state = self.shared.lock();
        state.running += 1;
        if state.running == 1 {
            self.shared.changed.notify_one();
        }
        Ticking(&self.shared)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_one();
    }
}

/// While one of these exists, the clock runs.
pub(super) struct Ticking<'a>(&'a Shared);

impl Drop for Ticking<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
    }
}

impl Shared {
    /// Sleeps until a guest runs; false when the sandbox is gone.
    fn wait(&self) -> bool {
        let idle = |state: &mut State| state.running == 0 && !state.closed;
        let state =
            self.changed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
        !state.closed
    }

    /// A panic while the lock is held leaves two plain words behind, which stay usable.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
