//! The sessions of rmcp, with streams that are kept: a client that lost its connection fetches an
//! answer that came meanwhile, and an empty event begins a stream only where clients know what it
//! means.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::stream::iter;
use futures_util::{Stream, StreamExt as _};
use pif_domain::Limit;
use rmcp::model::{
    ClientJsonRpcMessage, JsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionConfig,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::event_buffer::EventBuffer;

/// The time after which a client that lost its connection comes back.
const RETRY: Duration = Duration::from_secs(3);

/// The time for which an answer is kept after it was made.
const RESUMED: Duration = Duration::from_mins(1);

/// Bytes of all answers that are kept, and of a unit of them.
const ROOM: usize = 64 << 20;
const UNIT: usize = 4 << 10;

/// The sessions.
#[derive(Debug)]
pub(super) struct Manager {
    local: LocalSessionManager,
    streams: Arc<Mutex<HashMap<SessionId, Streams>>>,
    room: Arc<Semaphore>,
}

/// The streams of a session.
#[derive(Debug, Default)]
struct Streams {
    /// Whether an empty event begins a stream, so that its client has an id to come back with.
    primes: bool,
    /// What belongs to no request, once somebody listens.
    common: Option<Arc<EventBuffer>>,
    /// The number of the next stream.
    next: u64,
    /// What belongs to a request.
    of_requests: BTreeMap<u64, Arc<EventBuffer>>,
    /// The room that answers take.
    held: BTreeMap<u64, OwnedSemaphorePermit>,
}

impl Manager {
    /// Makes no sessions yet. A session waits so long for its first message.
    pub(super) fn new(patience: Duration) -> Self {
        let mut config = SessionConfig::default();
        // The gate knows what is idle: a client that only listens is not.
        config.keep_alive = None;
        config.sse_retry = None;
        config.init_timeout = Some(patience);
        let mut local = LocalSessionManager::default();
        local.session_config = config;
        Self { local, streams: Arc::default(), room: Arc::new(Semaphore::new(ROOM / UNIT)) }
    }

    /// The sessions that there are.
    pub(super) async fn alive(&self) -> Vec<SessionId> {
        self.local.sessions.read().await.keys().cloned().collect()
    }

    /// Whether a client can have got an event, so that what follows is known.
    pub(super) fn has_event(&self, session: &str, event: &str) -> bool {
        self.find(session, event).is_some()
    }

    /// The stream of an event, and the place of the event in it.
    fn find(&self, session: &str, event: &str) -> Option<(Arc<EventBuffer>, usize)> {
        let mut streams = streams(&self.streams);
        let streams = streams.get_mut(session)?;
        streams.forget();
        let (place, kept) = match event.split_once('/') {
            Some((place, number)) => (place, streams.of_requests.get(&number.parse().ok()?)?),
            None => (event, streams.common.as_ref()?),
        };
        let place = place.parse().ok()?;
        kept.has(place).then(|| (Arc::clone(kept), place))
    }

    /// Has a stream of rmcp kept to its end. The number is that of a request.
    fn keep(
        &self,
        session: &SessionId,
        number: Option<u64>,
        stream: impl Stream<Item = ServerSseMessage> + Send + 'static,
        kept: &Arc<EventBuffer>,
    ) {
        let (kept, session) = (Arc::clone(kept), Arc::clone(session));
        let (all, room) = (Arc::clone(&self.streams), Arc::clone(&self.room));
        tokio::spawn(async move {
            let mut stream = pin!(stream);
            while let Some(event) = stream.next().await {
                kept.push(event);
            }
            kept.end();
            if let Some(number) = number
                && let Some(streams) = streams(&all).get_mut(&session)
            {
                streams.answered(number, &kept, &room);
            }
        });
    }
}

fn streams(
    all: &Mutex<HashMap<SessionId, Streams>>,
) -> MutexGuard<'_, HashMap<SessionId, Streams>> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Streams {
    /// Forgets answers that are old.
    fn forget(&mut self) {
        let is_old =
            |kept: &EventBuffer| kept.ended().is_some_and(|ended| ended.elapsed() >= RESUMED);
        self.of_requests.retain(|_, kept| !is_old(kept));
        self.held.retain(|number, _| self.of_requests.contains_key(number));
    }

    /// Keeps the answer of a stream that has ended, if there is room for it.
    fn answered(&mut self, number: u64, kept: &EventBuffer, room: &Arc<Semaphore>) {
        let units = kept.last().map(|message| length(&message).div_ceil(UNIT));
        let units = units.and_then(|units| u32::try_from(units).ok());
        self.forget();
        loop {
            let is_full = self.held.len() >= Limit::HttpAnswers.fixed_count();
            let place = units.filter(|_| !is_full);
            let place = place.map(|units| Arc::clone(room).try_acquire_many_owned(units));
            if let Some(Ok(place)) = place {
                self.held.insert(number, place);
                return;
            }
            let Some((oldest, _)) = self.held.pop_first().filter(|_| units.is_some()) else {
                self.of_requests.remove(&number);
                return;
            };
            self.of_requests.remove(&oldest);
        }
    }
}

/// The length of a message as it is written.
fn length(message: &ServerJsonRpcMessage) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // What cannot be written takes no room.
    let _ = serde_json::to_writer(&mut count, message);
    count.0
}

/// Whether the clients of the session that an answer begins know events without a message: earlier
/// ones read each as JSON.
fn primes(answer: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Response(answer) = answer else { return false };
    let ServerResult::InitializeResult(begun) = &answer.result else { return false };
    begun.protocol_version.as_str() >= ProtocolVersion::V_2025_11_25.as_str()
}

/// The event at the start of a stream, with the id to come back with.
fn start(primes: bool, id: String) -> impl Stream<Item = ServerSseMessage> + Send + Sync {
    iter(primes.then(|| ServerSseMessage::priming(id, RETRY)))
}

impl SessionManager for Manager {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.local.create_session().await?;
        streams(&self.streams).insert(Arc::clone(&id), Streams::default());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        let answer = self.local.initialize_session(id, message).await?;
        if let Some(streams) = streams(&self.streams).get_mut(id) {
            streams.primes = primes(&answer);
        }
        Ok(answer)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        streams(&self.streams).remove(id);
        self.local.close_session(id).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let missing = || LocalSessionManagerError::SessionNotFound(Arc::clone(id));
        let stream = self.local.create_stream(id, message).await?;
        let (number, primes, kept) = {
            let mut streams = streams(&self.streams);
            let streams = streams.get_mut(id).ok_or_else(missing)?;
            let number = streams.next;
            let kept = EventBuffer::new(format!("/{number}"));
            streams.next += 1;
            streams.of_requests.insert(number, Arc::clone(&kept));
            (number, streams.primes, kept)
        };
        self.keep(id, Some(number), stream, &kept);
        Ok(start(primes, kept.position()).chain(kept.read(None)))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let missing = || LocalSessionManagerError::SessionNotFound(Arc::clone(id));
        let (primes, kept, is_new) = {
            let mut streams = streams(&self.streams);
            let streams = streams.get_mut(id).ok_or_else(missing)?;
            let is_new = streams.common.is_none();
            let kept = streams.common.get_or_insert_with(|| EventBuffer::new(String::new()));
            (streams.primes, Arc::clone(kept), is_new)
        };
        if is_new {
            let stream = self.local.create_standalone_stream(id).await?;
            self.keep(id, None, stream, &kept);
        }
        Ok(start(primes, kept.position()).chain(kept.read(None)))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let found = self.find(id, &last_event_id);
        let missing = || LocalSessionManagerError::SessionNotFound(Arc::clone(id));
        let (kept, place) = found.ok_or_else(missing)?;
        Ok(kept.read(Some(place)))
    }
}
