//! The events of a stream, kept for a client that loses its connection: it comes back with the id of
//! the last event that it got, and gets those after it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::Stream;
use futures_util::stream::unfold;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::Notify;

/// The most events that wait for a client. Beyond them the oldest go: they tell progress and changes,
/// and an answer is always the last.
const MOST_EVENTS: usize = 64;

/// The events of a stream. Readers may come one after the other: the newest gets what comes.
#[derive(Debug, Default)]
pub(super) struct EventBuffer {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// What follows the place of an event in its id: it names the stream.
    suffix: String,
    events: VecDeque<(usize, ServerSseMessage)>,
    /// The place of the next event. Events are counted from 1, and 0 is the start of the stream.
    next: usize,
    /// The place behind the last event that a reader got.
    taken: usize,
    /// The number of the newest reader.
    reader: usize,
    /// When the last event came, if no more will come.
    ended: Option<Instant>,
}

impl EventBuffer {
    /// Makes a stream without events. The ids of its events end in the suffix.
    pub(super) fn new(suffix: String) -> Arc<Self> {
        let state = State { suffix, next: 1, taken: 1, ..State::default() };
        Arc::new(Self { state: Mutex::new(state), changed: Notify::new() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event.
    pub(super) fn push(&self, mut event: ServerSseMessage) {
        let mut state = self.state();
        let place = state.next;
        event.event_id = Some(format!("{place}{}", state.suffix));
        state.next += 1;
        if state.events.len() == MOST_EVENTS {
            state.events.pop_front();
        }
        state.events.push_back((place, event));
        drop(state);
        self.changed.notify_waiters();
    }

    /// No more events will come.
    pub(super) fn end(&self) {
        self.state().ended = Some(Instant::now());
        self.changed.notify_waiters();
    }

    /// When the stream ended, if it has.
    pub(super) fn ended(&self) -> Option<Instant> {
        self.state().ended
    }

    /// The last message.
    pub(super) fn last(&self) -> Option<Arc<ServerJsonRpcMessage>> {
        self.state().events.back()?.1.message.clone()
    }

    /// Whether a client can have got an event at a place.
    pub(super) fn has(&self, place: usize) -> bool {
        place < self.state().next
    }

    /// The id of the last event that a reader got, or of the start.
    pub(super) fn position(&self) -> String {
        let state = self.state();
        format!("{}{}", state.taken - 1, state.suffix)
    }

    /// The events after a place, and those that come. None means what no reader got yet.
    pub(super) fn read(
        self: &Arc<Self>,
        after: Option<usize>,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + use<> {
        let mut state = self.state();
        state.reader += 1;
        let reader = Reader {
            kept: Arc::clone(self),
            number: state.reader,
            next: after.map_or(state.taken, |place| place + 1),
        };
        drop(state);
        // A reader before this one gets no more.
        self.changed.notify_waiters();
        unfold(reader, |mut reader: Reader| async move { Some((reader.take().await?, reader)) })
    }
}

/// One who reads a stream.
#[derive(Debug)]
struct Reader {
    kept: Arc<EventBuffer>,
    number: usize,
    /// The place of the next event.
    next: usize,
}

impl Reader {
    async fn take(&mut self) -> Option<ServerSseMessage> {
        let kept = Arc::clone(&self.kept);
        loop {
            let changed = kept.changed.notified();
            {
                let mut state = kept.state();
                // Each event goes to one reader. The others stay: who sees an end comes back.
                let is_newest = state.reader == self.number;
                let next = self.next;
                let found = state.events.iter().find(|(place, _)| *place >= next && is_newest);
                if let Some((place, event)) = found {
                    let (place, event) = (*place, event.clone());
                    self.next = place + 1;
                    state.taken = state.taken.max(place + 1);
                    return Some(event);
                }
                if state.ended.is_some() {
                    return None;
                }
            }
            changed.await;
        }
    }
}
