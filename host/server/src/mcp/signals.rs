//! Signals: to end, and to read settings anew.

use std::io;

/// Returns when the process is told to end.
#[cfg(unix)]
pub(super) fn signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
pub(super) fn signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a handler no signal can arrive.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

/// The requests of an operator to read settings anew.
#[cfg(unix)]
pub(super) struct Reloads(tokio::signal::unix::Signal);

#[cfg(unix)]
pub(super) fn reloads() -> io::Result<Reloads> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::hangup()).map(Reloads)
}

#[cfg(unix)]
impl Reloads {
    /// The next request.
    pub(super) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
pub(super) struct Reloads;

#[cfg(not(unix))]
pub(super) fn reloads() -> io::Result<Reloads> {
    Ok(Reloads)
}

#[cfg(not(unix))]
impl Reloads {
    /// The next request.
    pub(super) async fn next(&mut self) {
        std::future::pending::<()>().await;
    }
}
