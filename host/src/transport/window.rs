//! How much the server takes on at once: requests that have been read and not yet answered, by
//! number and by size. A place is free again when the answer has left the process.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ProgressToken, RequestId};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::awake::Awake;

/// Bytes of a request that cost one share of the room.
const UNIT: usize = 128 << 10;

/// Bytes of answers that may wait to be written before nothing more is made.
const MOST_WAITING: usize = 8 << 20;

/// Long answers that may be made at a time.
const MAKING: u32 = 4;

/// How many cancelled ids are remembered, to refuse them to later requests: an answer already
/// under way would be taken for the answer to those.
const REMEMBERED: usize = 1 << 10;

/// The requests under way.
#[derive(Debug)]
pub(crate) struct Window {
    /// A place for each request.
    places: Arc<Semaphore>,
    requests: u32,
    /// Room for their bytes, in units.
    room: Arc<Semaphore>,
    size: u32,
    /// Leave to make long answers.
    making: Arc<Semaphore>,
    waiting: Arc<Waiting>,
    state: Mutex<State>,
    awake: Arc<Awake>,
}

#[derive(Debug, Default)]
struct State {
    open: HashMap<RequestId, Open>,
    cancelled: VecDeque<RequestId>,
}

/// A request that is to be answered.
#[derive(Debug)]
struct Open {
    /// None while it waits for a place.
    ticket: Option<Ticket>,
    /// What its progress is reported under.
    progress: Option<ProgressToken>,
    /// Whether it calls a tool.
    is_call: bool,
}

/// A place in the window, held until it is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    _permits: [OwnedSemaphorePermit; 2],
    /// Leave to make a long answer, until that waits to be written.
    making: Option<OwnedSemaphorePermit>,
    waiting: Arc<Waiting>,
    /// Bytes of its answer that wait to be written.
    bytes: usize,
}

impl Ticket {
    /// The ticket of an answer of so many bytes that is made and has to be written.
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

/// Answers that wait to be written.
#[derive(Debug, Default)]
struct Waiting {
    bytes: AtomicUsize,
    /// Told whenever there may be fewer.
    fewer: Notify,
}

/// What becomes of an answer.
#[derive(Debug)]
pub(super) enum Answer {
    /// It is awaited; the ticket is to be dropped once it is written.
    Awaited(Option<Ticket>),
    /// Its request was cancelled: the client wants to hear no more of it.
    Unwanted,
}

impl Window {
    /// A window for so many requests, in which one line of the longest kind always fits.
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
            awake: Arc::default(),
        }
    }

    /// The same, telling when everything is answered.
    pub(super) fn keeping(self, awake: Arc<Awake>) -> Self {
        Self { awake, ..self }
    }

    /// Waits for a place, and room for a request of so many bytes. Never fails: the window is not
    /// closed.
    pub(super) async fn ticket(&self, bytes: usize) -> Option<Ticket> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let room = Arc::clone(&self.room);
        let room = room.acquire_many_owned(cost(bytes).min(self.size)).await.ok()?;
        let waiting = Arc::clone(&self.waiting);
        Some(Ticket { _permits: [place, room], making: None, waiting, bytes: 0 })
    }

    /// Waits until at most `MOST_WAITING` bytes are unwritten, so that new answers need not queue up.
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

    /// Waits until a long answer may be made. Few are at a time, for all of them may have to wait.
    pub(crate) async fn make(&self, id: &RequestId) {
        // The semaphore is never closed, so there is no error to see.
        let Ok(leave) = Arc::clone(&self.making).acquire_owned().await else { return };
        self.relieved().await;
        if let Some(ticket) = self.state().open.get_mut(id).and_then(|open| open.ticket.as_mut()) {
            ticket.making = Some(leave);
        }
    }

    /// Returns when every request that was taken on is answered.
    pub(crate) async fn settled(&self) {
        // The semaphore is never closed, so there is no error to see.
        let _ = self.places.acquire_many(self.requests).await;
    }

    /// Notes the id of a request that was read; false when another has it.
    pub(super) fn register(
        &self,
        id: &RequestId,
        progress: Option<ProgressToken>,
        is_call: bool,
    ) -> bool {
        let mut state = self.state();
        if state.open.contains_key(id) || state.cancelled.contains(id) {
            return false;
        }
        state.open.insert(id.clone(), Open { ticket: None, progress, is_call });
        true
    }

    /// Gives a registered request its place; false when it was cancelled meanwhile.
    pub(super) fn admit(&self, id: &RequestId, ticket: Option<Ticket>) -> bool {
        match self.state().open.get_mut(id) {
            Some(open) => {
                open.ticket = ticket;
                true
            }
            None => false,
        }
    }

    /// Notes that a request need not be answered.
    pub(super) fn cancel(&self, id: &RequestId) {
        let mut state = self.state();
        if state.open.remove(id).is_some() {
            if state.cancelled.len() == REMEMBERED {
                state.cancelled.pop_front();
            }
            state.cancelled.push_back(id.clone());
        }
    }

    /// Takes the answer to a request.
    pub(super) fn answer(&self, id: &RequestId) -> Answer {
        let mut state = self.state();
        match state.open.remove(id) {
            Some(open) => {
                if state.open.is_empty() {
                    self.awake.begin();
                }
                Answer::Awaited(open.ticket)
            }
            None if state.cancelled.contains(id) => Answer::Unwanted,
            None => Answer::Awaited(None),
        }
    }

    /// Whether progress under this token is still wanted: nobody is told of it who was answered,
    /// or wanted to hear no more.
    pub(super) fn expects(&self, token: &ProgressToken) -> bool {
        self.state().open.values().any(|open| open.progress.as_ref() == Some(token))
    }

    /// How many calls of tools were read and not answered yet.
    pub(crate) fn calls(&self) -> usize {
        self.state().open.values().filter(|open| open.is_call).count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cost(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT).max(1)).unwrap_or(u32::MAX)
}
