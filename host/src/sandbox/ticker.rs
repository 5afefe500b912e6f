//! The clock behind deadlines: a thread that advances the engine's epoch while, and only while,
//! some guest is running. The first run starts it, so that the process has one thread until it
//! serves: Landlock binds only threads that are started after it.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use wasmtime::Engine;

/// The handle on the thread; dropping it ends the thread.
pub(super) struct Ticker {
    engine: Engine,
    period: Duration,
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
    started: bool,
    closed: bool,
}

impl Ticker {
    /// `period` is how often a running guest looks up: cancelling takes effect within one.
    pub(super) fn new(engine: &Engine, period: Duration) -> Self {
        Self { engine: engine.clone(), period, shared: Arc::default() }
    }

    /// Lets the clock run until the guard is dropped.
    pub(super) fn tick(&self) -> io::Result<Ticking<'_>> {
        let mut state = self.shared.lock();
        if !state.started {
            self.start()?;
            state.started = true;
        }
        state.running += 1;
        if state.running == 1 {
            self.shared.changed.notify_one();
        }
        Ok(Ticking(&self.shared))
    }

    fn start(&self) -> io::Result<()> {
        let (engine, period) = (self.engine.clone(), self.period);
        let shared = Arc::clone(&self.shared);
        let run = move || {
            while shared.wait() {
                thread::sleep(period);
                engine.increment_epoch();
            }
        };
        thread::Builder::new().name("clock".to_owned()).spawn(run).map(drop)
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
