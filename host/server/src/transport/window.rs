//! The window of open requests: those that were read and are not answered yet. It limits their
//! number and their size. A place becomes free when the answer has left the process.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ProgressToken, RequestId};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Bytes of a request that take one unit of room.
const UNIT: usize = 128 << 10;

/// Bytes of unwritten answers beyond which no new answer is made.
const MOST_WAITING: usize = 8 << 20;

/// The number of long answers that may be made at a time.
const MAKING: u32 = 4;

/// The number of canceled ids that are remembered. A later request must not use one, because the
/// client could take a late answer to the canceled request for its answer.
const REMEMBERED: usize = 1 << 10;

/// The open requests.
#[derive(Debug)]
pub(crate) struct Window {
    /// One permit for each request.
    places: Arc<Semaphore>,
    requests: u32,
    /// The room for the bytes of requests, in units.
    room: Arc<Semaphore>,
    size: u32,
    /// Permits to make long answers.
    making: Arc<Semaphore>,
    waiting: Arc<AnswerQueue>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    open: HashMap<RequestId, OpenRequest>,
    cancelled: VecDeque<RequestId>,
}

/// A request that is not answered yet.
#[derive(Debug)]
struct OpenRequest {
    /// The ticket, or `None` while the request waits for a place.
    ticket: Option<Ticket>,
    /// The token that its progress is reported under.
    progress: Option<ProgressToken>,
}

/// A place in the window, held until it is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    _permits: [OwnedSemaphorePermit; 2],
    /// The permit to make a long answer, until the answer waits to be written.
    making: Option<OwnedSemaphorePermit>,
    waiting: Arc<AnswerQueue>,
    /// The bytes of its answer that wait to be written.
    bytes: usize,
}

impl Ticket {
    /// The ticket of a finished answer with this many bytes, which has to be written.
    pub(super) fn carrying(mut self, bytes: usize) -> Self {
        self.waiting.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        self.making = None;
        self
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.waiting.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        self.waiting.fewer.notify_waiters();
    }
}

/// The answers that wait to be written.
#[derive(Debug, Default)]
struct AnswerQueue {
    bytes: AtomicUsize,
    /// Notified whenever their number may have dropped.
    fewer: Notify,
}

/// The fate of an answer.
#[derive(Debug)]
pub(super) enum Answer {
    /// The client waits for it. The ticket has to be dropped once the answer is written.
    Awaited(Option<Ticket>),
    /// Its request was canceled, so the client does not want it.
    Unwanted,
}

impl Window {
    /// Makes a window for this many requests. The longest line always fits into its room.
    pub(super) fn new(requests: usize, longest: usize) -> Self {
        let requests = u32::try_from(requests).unwrap_or(u32::MAX);
        let size = requests.max(cost(longest));
        let semaphore = |permits: u32| {
            Arc::new(Semaphore::new(usize::try_from(permits).unwrap_or(Semaphore::MAX_PERMITS)))
        };
        Self {
            places: semaphore(requests),
            requests,
            room: semaphore(size),
            size,
            making: semaphore(MAKING),
            waiting: Arc::default(),
            state: Mutex::default(),
        }
    }

    /// Waits for a place and for the room of a request with this many bytes. It always returns a
    /// ticket, because the window is never closed.
    pub(super) async fn ticket(&self, bytes: usize) -> Option<Ticket> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let room = Arc::clone(&self.room);
        let room = room.acquire_many_owned(cost(bytes).min(self.size)).await.ok()?;
        let waiting = Arc::clone(&self.waiting);
        Some(Ticket { _permits: [place, room], making: None, waiting, bytes: 0 })
    }

    /// Waits until at most [`MOST_WAITING`] bytes are unwritten. New answers then need not queue.
    pub(crate) async fn relieved(&self) {
        loop {
            let mut fewer = pin!(self.waiting.fewer.notified());
            fewer.as_mut().enable();
            if self.waiting.bytes.load(Ordering::Relaxed) <= MOST_WAITING {
                return;
            }
            fewer.await;
        }
    }

    /// Waits for the permit to make a long answer. Few permits exist, because all long answers may
    /// have to wait in memory.
    pub(crate) async fn make(&self, id: &RequestId) {
        // The semaphore is never closed, so there is no error to handle.
        let Ok(leave) = Arc::clone(&self.making).acquire_owned().await else { return };
        self.relieved().await;
        if let Some(ticket) = self.state().open.get_mut(id).and_then(|open| open.ticket.as_mut()) {
            ticket.making = Some(leave);
        }
    }

    /// Returns when every admitted request is answered.
    pub(crate) async fn settled(&self) {
        // The semaphore is never closed, so there is no error to handle.
        let _ = self.places.acquire_many(self.requests).await;
    }

    /// Registers the id of a request. Returns false if another request has it.
    pub(super) fn register(&self, id: &RequestId, progress: Option<ProgressToken>) -> bool {
        let mut state = self.state();
        if state.open.contains_key(id) || state.cancelled.contains(id) {
            return false;
        }
        state.open.insert(id.clone(), OpenRequest { ticket: None, progress });
        true
    }

    /// Gives a registered request its ticket. Returns false if it was canceled meanwhile.
    pub(super) fn admit(&self, id: &RequestId, ticket: Option<Ticket>) -> bool {
        match self.state().open.get_mut(id) {
            Some(open) => {
                open.ticket = ticket;
                true
            }
            None => false,
        }
    }

    /// Records that a request needs no answer.
    pub(super) fn cancel(&self, id: &RequestId) {
        let mut state = self.state();
        if state.open.remove(id).is_some() {
            if state.cancelled.len() == REMEMBERED {
                state.cancelled.pop_front();
            }
            state.cancelled.push_back(id.clone());
        }
    }

    /// Takes a request out of the window, to answer it.
    pub(super) fn answer(&self, id: &RequestId) -> Answer {
        let mut state = self.state();
        match state.open.remove(id) {
            Some(open) => Answer::Awaited(open.ticket),
            None if state.cancelled.contains(id) => Answer::Unwanted,
            None => Answer::Awaited(None),
        }
    }

    /// Whether the client still wants progress under this token. It does not once the request is
    /// answered or canceled.
    pub(super) fn expects(&self, token: &ProgressToken) -> bool {
        self.state().open.values().any(|open| open.progress.as_ref() == Some(token))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cost(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT).max(1)).unwrap_or(u32::MAX)
}
