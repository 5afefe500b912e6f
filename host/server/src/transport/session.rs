//! A session: the state of one connection to a client. It has the open requests, the peer that is
//! notified of changes, and the rules by which it ends. A server may have any number of sessions.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::HangupCheck;
use super::message::Bounds;
use super::outlet::Progress;
use super::window::Window;

/// The time that runs may continue after the end of input. It suffices to answer piped requests,
/// and it is short for a client that stopped reading.
const GRACE: Duration = Duration::from_millis(500);

/// The time between two checks whether the client is still there. If it is gone, runs stop at once.
const LOOK: Duration = Duration::from_millis(10);

/// The time that stopped runs have to reply. When the server ends, it is also the time that answers
/// wait for a client that does not read.
const FAREWELL: Duration = Duration::from_millis(300);

/// The time that answers wait for a client that does not read, after the end of input. Answers are
/// written as long as the client reads, however slowly.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest time that a session lasts after the server has ended.
const LONGEST_FAREWELL: Duration = Duration::from_secs(2);

/// A connection.
pub(crate) struct Session {
    /// The open requests of the session.
    pub(crate) window: Window,
    /// Canceled when there is no more input or no client to answer.
    pub(crate) ended: CancellationToken,
    /// Canceled to stop all runs of the session.
    pub(crate) stop: CancellationToken,
    /// Canceled when the server ends.
    leave: CancellationToken,
    /// Canceled when the session is over.
    pub(super) over: CancellationToken,
    /// The peer that gets notifications of changes without a subscription, as in the older protocol
    /// versions.
    peer: Mutex<Option<Peer<RoleServer>>>,
    /// The progress of the output.
    progress: Arc<Progress>,
    is_deserted: HangupCheck,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("window", &self.window).finish_non_exhaustive()
    }
}

impl Session {
    /// Makes a session. `leave` is canceled when the server ends.
    pub(super) fn new(
        window: Window,
        ended: CancellationToken,
        leave: CancellationToken,
        progress: Arc<Progress>,
        is_deserted: HangupCheck,
    ) -> Self {
        let stop = leave.child_token();
        let over = CancellationToken::new();
        let peer = Mutex::default();
        Self { window, ended, stop, leave, over, peer, progress, is_deserted }
    }

    /// Makes the session of requests that come one by one. `leave` is canceled when the server ends.
    pub(crate) fn apart(calls: usize, bounds: Bounds, leave: &CancellationToken) -> Arc<Self> {
        let window = Window::new(calls, bounds.line);
        let is_deserted: HangupCheck = Box::new(|| false);
        let ended = leave.child_token();
        let progress = Arc::default();
        Arc::new(Self::new(window, ended, leave.clone(), progress, is_deserted))
    }

    /// Sets the peer to notify of changes. A connection has one peer; a later call replaces it.
    pub(crate) fn greet(&self, peer: Peer<RoleServer>) {
        *self.peer.lock().unwrap_or_else(PoisonError::into_inner) = Some(peer);
    }

    /// The peer to notify of changes, if it is still connected.
    pub(crate) fn peer(&self) -> Option<Peer<RoleServer>> {
        let mut peer = self.peer.lock().unwrap_or_else(PoisonError::into_inner);
        if peer.as_ref().is_some_and(Peer::is_transport_closed) {
            *peer = None;
        }
        peer.clone()
    }

    /// Ends everything that belongs to the session.
    pub(crate) fn close(&self) {
        self.ended.cancel();
        self.stop.cancel();
        self.over.cancel();
    }

    /// Returns when the session has to end, even if work is left. It first waits for the end of the
    /// input or of the server, stops all runs, and waits for their answers for a limited time.
    /// `is_ready` returns whether the server can run programs yet.
    pub(crate) async fn farewell(&self, is_ready: impl Fn() -> bool) {
        tokio::select! {
            left = async {
                self.ended.cancelled().await;
                self.grace(is_ready).await;
                self.stop.cancel();
                self.unread(PATIENCE).await
            } => {
                if left > 0 {
                    tracing::warn!("{left} answers were not written: nobody has read for {PATIENCE:?}");
                }
                return;
            }
            () = self.leave.cancelled() => {}
        }
        // The end of the server does not wait long for a client.
        let _ = timeout(LONGEST_FAREWELL, self.unread(FAREWELL)).await;
    }

    /// Waits until all answers are written and none follows for [`FAREWELL`], until the client is
    /// gone, or until the client has read nothing for `patience`. Returns the number of answers
    /// that are left.
    async fn unread(&self, patience: Duration) -> usize {
        let mut written = self.progress.written();
        let mut since = Instant::now();
        loop {
            sleep(LOOK).await;
            let waiting = self.progress.waiting();
            let now = self.progress.written();
            if now != written {
                (written, since) = (now, Instant::now());
            }
            let allowed = if waiting > 0 { patience } else { FAREWELL };
            if (self.is_deserted)() {
                return 0;
            }
            if since.elapsed() >= allowed {
                return waiting;
            }
        }
    }

    /// Lets runs continue for [`GRACE`]. The time starts when the server can run programs.
    async fn grace(&self, is_ready: impl Fn() -> bool) {
        let mut start = Instant::now();
        while start.elapsed() < GRACE && !(self.is_deserted)() {
            sleep(LOOK).await;
            if !is_ready() {
                start = Instant::now();
            }
        }
    }
}
