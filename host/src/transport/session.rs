//! One connection to a client, as the server knows it: the requests under way, the peer that is
//! told of changes, and how it ends. A server has any number of them.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Deserted;
use super::outlet::Progress;
use super::window::Window;

/// How long runs may still go on after the last line of input: enough to answer what was piped
/// in, and not so long that a client which stopped reading leaves something behind.
const GRACE: Duration = Duration::from_millis(500);

/// How often we look meanwhile whether there is still a client. If not, runs stop at once.
const LOOK: Duration = Duration::from_millis(10);

/// How long runs that were stopped may take to say so; and when the server ends, how long answers
/// wait for a client that does not read.
const FAREWELL: Duration = Duration::from_millis(300);

/// How long they wait after the end of input. As long as the client reads, however slowly, they
/// are written.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a session is there at most when the server ends.
const LONGEST_FAREWELL: Duration = Duration::from_secs(2);

/// A connection.
pub(crate) struct Session {
    /// Its requests under way.
    pub(crate) window: Window,
    /// Cancelled when there is no more input, or nobody to answer.
    pub(crate) ended: CancellationToken,
    /// Stops all its runs.
    pub(crate) stop: CancellationToken,
    /// Cancelled when the server ends.
    leave: CancellationToken,
    /// Cancelled when the session is over, and nothing is left of it.
    pub(super) over: CancellationToken,
    /// Who is told of changes without having to ask, as the older protocol has it.
    peer: Mutex<Option<Peer<RoleServer>>>,
    /// How far the output has got.
    progress: Arc<Progress>,
    is_deserted: Deserted,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("window", &self.window).finish_non_exhaustive()
    }
}

impl Session {
    /// A session that has begun. `leave` is cancelled when the server ends.
    pub(super) fn new(
        window: Window,
        ended: CancellationToken,
        leave: CancellationToken,
        progress: Arc<Progress>,
        is_deserted: Deserted,
    ) -> Self {
        let (stop, over) = (leave.child_token(), CancellationToken::new());
        let peer = Mutex::default();
        Self { window, ended, stop, leave, over, peer, progress, is_deserted }
    }

    /// Notes whom to tell of changes. One connection is one peer, however often it says that it is
    /// ready.
    pub(crate) fn greet(&self, peer: Peer<RoleServer>) {
        *self.peer.lock().unwrap_or_else(PoisonError::into_inner) = Some(peer);
    }

    /// Who is to be told of changes.
    pub(crate) fn peer(&self) -> Option<Peer<RoleServer>> {
        let mut peer = self.peer.lock().unwrap_or_else(PoisonError::into_inner);
        if peer.as_ref().is_some_and(Peer::is_transport_closed) {
            *peer = None;
        }
        peer.clone()
    }

    /// Ends all that belongs to the session.
    pub(crate) fn close(&self) {
        self.ended.cancel();
        self.stop.cancel();
        self.over.cancel();
    }

    /// Returns when the session has to end, whatever is still going on: some time after its input
    /// or the server ended, after every run of it was told to stop, and when what there is to say was
    /// written. `is_ready` tells whether runs can be made.
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
        // Whoever ends the server does not wait for a client.
        let _ = timeout(LONGEST_FAREWELL, self.unread(FAREWELL)).await;
    }

    /// Waits until no answer is left to be written, and for a moment there was none; or until the
    /// client is gone; or has not read for so long. Gives the number of answers that were left.
    async fn unread(&self, patience: Duration) -> usize {
        let (mut written, mut since) = (self.progress.written(), Instant::now());
        loop {
            sleep(LOOK).await;
            let (waiting, now) = (self.progress.waiting(), self.progress.written());
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

    /// Lets runs go on for a while, which begins when they can be made.
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
