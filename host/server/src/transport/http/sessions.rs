//! The sessions of the older protocol versions: who began each, its open requests, and what listens to
//! it. Nobody reaches a session that another principal began. A session that nobody uses ends, at
//! once if another one needs its place.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::StatusCode;
use pif_domain::Limit;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    RequestId,
};
use rmcp::transport::streamable_http_server::SessionManager as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::manager::Manager;
use super::reply::Refusal;

/// The longest time between two looks for sessions that nobody uses.
const LOOK: Duration = Duration::from_secs(15);

/// The shortest one.
const SHORTEST_LOOK: Duration = Duration::from_millis(20);

/// The numbers of sessions and calls that are allowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionLimits {
    /// Sessions.
    pub(super) sessions: usize,
    /// Sessions of one principal.
    pub(super) each: usize,
    /// How long a session lasts that nobody uses.
    pub(super) idle: Duration,
    /// Calls of a session that are served at once.
    pub(super) calls: usize,
    /// How long another call waits for its turn.
    pub(super) patience: Duration,
}

/// The sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    manager: Arc<Manager>,
    most: SessionLimits,
    held: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    sessions: HashMap<String, Session>,
    /// The owners of sessions that are about to begin.
    beginning: Vec<Arc<str>>,
}

#[derive(Debug)]
struct Session {
    owner: Arc<str>,
    open: HashSet<RequestId>,
    calls: Arc<Semaphore>,
    /// How many streams of events are open.
    listeners: usize,
    /// When a request last came or ended.
    used: Instant,
}

/// How much a session is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Idle,
    Listens,
    Works,
}

impl Session {
    fn state(&self) -> Use {
        match (self.open.is_empty(), self.listeners) {
            (true, 0) => Use::Idle,
            (true, _) => Use::Listens,
            (false, _) => Use::Works,
        }
    }
}

impl Table {
    /// The session that goes first if an owner begins another one: one that nobody uses, the oldest
    /// first. One that only listens goes for its own owner.
    fn least(&self, owner: &Arc<str>, is_own: bool) -> Option<String> {
        let may_go = |session: &Session| match session.state() {
            Use::Idle => !is_own || session.owner == *owner,
            Use::Listens => session.owner == *owner,
            Use::Works => false,
        };
        let candidates = self.sessions.iter().filter(|(_, session)| may_go(session));
        let least = candidates.min_by_key(|(_, session)| (session.state(), session.used));
        least.map(|(name, _)| name.clone())
    }
}

impl Sessions {
    pub(super) fn new(manager: Arc<Manager>, most: SessionLimits) -> Arc<Self> {
        Arc::new(Self { manager, most, held: Mutex::default() })
    }

    fn held(&self) -> MutexGuard<'_, Table> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a session of an owner.
    pub(super) async fn begin(self: &Arc<Self>, owner: &Arc<str>) -> Result<Reservation, Refusal> {
        let alive: HashSet<_> = self.manager.alive().await.into_iter().collect();
        self.held().sessions.retain(|name, _| alive.contains(name.as_str()));
        loop {
            let least = {
                let mut held = self.held();
                let of_owner = |it: &&Arc<str>| **it == *owner;
                let own = held.sessions.values().map(|it| &it.owner).filter(of_owner).count()
                    + held.beginning.iter().filter(of_owner).count();
                let all = held.sessions.len() + held.beginning.len();
                let (limit, most) = if own >= self.most.each {
                    (Limit::HttpSessionsEach, self.most.each)
                } else if all >= self.most.sessions {
                    (Limit::HttpSessions, self.most.sessions)
                } else {
                    held.beginning.push(Arc::clone(owner));
                    return Ok(Reservation {
                        sessions: Arc::clone(self),
                        owner: Arc::clone(owner),
                    });
                };
                let is_own = limit == Limit::HttpSessionsEach;
                held.least(owner, is_own).ok_or_else(|| all_work(limit, most))?
            };
            tracing::info!(session = least, "a session makes room for another one");
            self.close(&least).await;
        }
    }

    /// Refuses a session that is not the owner's. Notes that it is used.
    pub(super) fn ensure(&self, name: &str, owner: &Arc<str>) -> Result<(), Refusal> {
        let mut held = self.held();
        let session = held.sessions.get_mut(name).filter(|session| session.owner == *owner);
        session.ok_or_else(|| unknown(name))?.used = Instant::now();
        Ok(())
    }

    /// Refuses a stream that would go on after an event that the session did not send.
    pub(super) fn ensure_event(&self, name: &str, event: &str) -> Result<(), Refusal> {
        if self.manager.has_event(name, event) {
            return Ok(());
        }
        let shown: String = event.chars().take(100).collect();
        let message = format!(
            "nothing is known of the event `{shown}` any more: open a stream without \
             `Last-Event-ID`"
        );
        Err(Refusal::invalid(StatusCode::BAD_REQUEST, message))
    }

    /// Notes that a stream of events of a session is open.
    pub(super) fn listen(self: &Arc<Self>, name: &str) -> EventStream {
        if let Some(session) = self.held().sessions.get_mut(name) {
            session.listeners += 1;
        }
        EventStream { sessions: Arc::clone(self), name: name.to_owned() }
    }

    /// Forgets a session that has ended.
    pub(super) fn forget(&self, name: &str) {
        self.held().sessions.remove(name);
    }

    /// Ends a session. Its open requests are canceled at once.
    pub(super) async fn close(&self, name: &str) {
        let session = self.held().sessions.remove(name);
        let id = name.into();
        for open in session.into_iter().flat_map(|session| session.open) {
            let reason = Some("the session has ended".to_owned());
            let params = CancelledNotificationParam::new(Some(open), reason);
            let notice = CancelledNotification::new(params);
            let notice = ClientNotification::CancelledNotification(notice);
            // It may have ended by itself.
            let _ =
                self.manager.accept_message(&id, ClientJsonRpcMessage::notification(notice)).await;
        }
        if let Err(error) = self.manager.close_session(&id).await {
            tracing::debug!(%error, "a session had ended");
        }
    }

    /// Ends the sessions for whose owners something holds.
    pub(super) async fn close_of(&self, is_gone: impl Fn(&str) -> bool) {
        self.close_all(|session| is_gone(&session.owner)).await;
    }

    async fn close_all(&self, ends: impl Fn(&Session) -> bool) {
        let found = |held: &Table| -> Vec<String> {
            let ending = held.sessions.iter().filter(|(_, session)| ends(session));
            ending.map(|(name, _)| name.clone()).collect()
        };
        let names = found(&self.held());
        for name in names {
            self.close(&name).await;
        }
    }

    /// Ends sessions that nobody has used for a while, for ever.
    pub(super) async fn tidy(&self) {
        let idle = self.most.idle;
        loop {
            sleep((idle / 4).clamp(SHORTEST_LOOK, LOOK)).await;
            self.close_all(|session| {
                session.state() == Use::Idle && session.used.elapsed() >= idle
            })
            .await;
        }
    }

    /// Opens a request of a session. A call waits until the session has a place for it.
    pub(super) async fn open(
        self: &Arc<Self>,
        name: &str,
        owner: &Arc<str>,
        id: &RequestId,
        is_call: bool,
    ) -> Result<OpenRequest, Refusal> {
        let (open, places) = self.register(name, owner, id)?;
        if !is_call {
            return Ok(open);
        }
        match timeout(self.most.patience, places.acquire_owned()).await {
            Ok(Ok(place)) => Ok(OpenRequest { _place: Some(place), ..open }),
            _ => {
                let message = format!(
                    "{} calls of the session are not answered yet [{}]: wait for one",
                    self.most.calls,
                    Limit::HttpCalls,
                );
                Err(Refusal::denied(StatusCode::TOO_MANY_REQUESTS, message).retry(1))
            }
        }
    }

    /// Registers the id of a request. Gives the places for calls of its session.
    fn register(
        self: &Arc<Self>,
        name: &str,
        owner: &Arc<str>,
        id: &RequestId,
    ) -> Result<(OpenRequest, Arc<Semaphore>), Refusal> {
        let mut held = self.held();
        let session = held.sessions.get_mut(name).filter(|session| session.owner == *owner);
        let Some(session) = session else { return Err(unknown(name)) };
        session.used = Instant::now();
        if !session.open.insert(id.clone()) {
            let message = format!("the id `{id}` belongs to another request: use each id once");
            return Err(Refusal::invalid(StatusCode::BAD_REQUEST, message));
        }
        let sessions = Arc::clone(self);
        let open = OpenRequest {
            _registered: OpenRequestId { sessions, name: name.to_owned(), id: id.clone() },
            _place: None,
        };
        Ok((open, Arc::clone(&session.calls)))
    }
}

/// Each session that could go has calls that are not answered.
fn all_work(limit: Limit, most: usize) -> Refusal {
    let message = format!(
        "there are {most} sessions already, and each is at work [{limit}]: end one by DELETE, or \
         wait until a call is answered"
    );
    Refusal::denied(StatusCode::TOO_MANY_REQUESTS, message).retry(1)
}

/// There is no such session, or it belongs to another principal.
pub(super) fn unknown(name: &str) -> Refusal {
    let shown: String = name.chars().take(100).collect();
    let message = format!("there is no session `{shown}`: begin one with `initialize`");
    Refusal::invalid(StatusCode::NOT_FOUND, message)
}

/// The room for a session that is about to begin.
#[derive(Debug)]
pub(super) struct Reservation {
    sessions: Arc<Sessions>,
    owner: Arc<str>,
}

impl Reservation {
    /// The session has begun, under this name.
    pub(super) fn done(self, name: &str) {
        let session = Session {
            owner: Arc::clone(&self.owner),
            open: HashSet::new(),
            calls: Arc::new(Semaphore::new(self.sessions.most.calls)),
            listeners: 0,
            used: Instant::now(),
        };
        self.sessions.held().sessions.insert(name.to_owned(), session);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut held = self.sessions.held();
        if let Some(index) = held.beginning.iter().position(|owner| *owner == self.owner) {
            held.beginning.swap_remove(index);
        }
    }
}

/// A stream of events that is open. It is over when this is dropped.
#[derive(Debug)]
pub(super) struct EventStream {
    sessions: Arc<Sessions>,
    name: String,
}

impl Drop for EventStream {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.held().sessions.get_mut(&self.name) {
            session.listeners = session.listeners.saturating_sub(1);
            session.used = Instant::now();
        }
    }
}

/// A request that is not answered yet. It is over when this is dropped.
#[derive(Debug)]
pub(super) struct OpenRequest {
    _registered: OpenRequestId,
    /// The place of a call.
    _place: Option<OwnedSemaphorePermit>,
}

/// The id of a request that is not answered yet.
#[derive(Debug)]
struct OpenRequestId {
    sessions: Arc<Sessions>,
    name: String,
    id: RequestId,
}

impl Drop for OpenRequestId {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.held().sessions.get_mut(&self.name) {
            session.open.remove(&self.id);
            session.used = Instant::now();
        }
    }
}
