//! Ctrl-C stops the run that is under way.

#[cfg(unix)]
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use tokio::runtime::Builder;
#[cfg(unix)]
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC as Signals, ctrl_c as signals};
use tokio_util::sync::CancellationToken;

#[cfg(unix)]
fn signals() -> io::Result<Signals> {
    signal(SignalKind::interrupt())
}

/// The run that Ctrl-C stops.
#[derive(Debug, Default)]
pub(super) struct Interrupt {
    current: Arc<Mutex<CancellationToken>>,
}

impl Interrupt {
    /// Listens from now on. The process no longer ends by Ctrl-C. The handler is installed when
    /// this returns: a line editor restores the handler that it found, after each line.
    pub(super) fn listen() -> Result<Self> {
        let interrupt = Self::default();
        let current = Arc::clone(&interrupt.current);
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let mut signals: Signals = {
            let _inside = runtime.enter();
            signals()?
        };
        let listen = async move {
            while signals.recv().await.is_some() {
                current.lock().unwrap_or_else(PoisonError::into_inner).cancel();
            }
        };
        let listen = move || runtime.block_on(listen);
        thread::Builder::new().name("interrupt".to_owned()).spawn(listen).context("a thread")?;
        Ok(interrupt)
    }

    /// From now on Ctrl-C means the next input. It may come before the run of that begins.
    pub(super) fn rearm(&self) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = CancellationToken::new();
    }

    /// The token of a run that begins.
    pub(super) fn token(&self) -> CancellationToken {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
