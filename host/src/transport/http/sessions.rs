//! The sessions of the older protocol versions: who began each, and its open requests. Nobody reaches
//! a session that another principal began.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::StatusCode;
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::super::id;
use super::reply::Refusal;
use crate::domain::Limit;

/// The numbers of sessions and calls that are allowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    /// Sessions.
    pub(super) sessions: usize,
    /// Sessions of one principal.
    pub(super) each: usize,
    /// Calls of a session that are served at once.
    pub(super) calls: usize,
    /// How long another call waits for its turn.
    pub(super) patience: Duration,
}

/// The sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    most: Most,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    sessions: HashMap<String, Session>,
    /// The owners of sessions that are about to begin.
    beginning: Vec<Arc<str>>,
}

#[derive(Debug)]
struct Session {
    owner: Arc<str>,
    open: HashSet<RequestId>,
    calls: Arc<Semaphore>,
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>, most: Most) -> Arc<Self> {
        Arc::new(Self { manager, most, held: Mutex::default() })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for a session of an owner.
    pub(super) async fn begin(self: &Arc<Self>, owner: &Arc<str>) -> Result<Beginning, Refusal> {
        let alive = self.manager.sessions.read().await;
        let mut held = self.held();
        held.sessions.retain(|name, _| alive.contains_key(name.as_str()));
        drop(alive);
        let of_owner = |it: &&Arc<str>| **it == *owner;
        let own = held.sessions.values().map(|it| &it.owner).filter(of_owner).count()
            + held.beginning.iter().filter(of_owner).count();
        let all = held.sessions.len() + held.beginning.len();
        let full = |limit: Limit, most: usize| {
            let message = format!("there are {most} sessions already [{limit}]: end one by DELETE");
            Err(Refusal::denied(StatusCode::TOO_MANY_REQUESTS, message).retry(60))
        };
        if own >= self.most.each {
            return full(Limit::HttpSessionsEach, self.most.each);
        }
        if all >= self.most.sessions {
            return full(Limit::HttpSessions, self.most.sessions);
        }
        held.beginning.push(Arc::clone(owner));
        Ok(Beginning { sessions: Arc::clone(self), owner: Arc::clone(owner) })
    }

    /// Refuses a session that is not the owner's.
    pub(super) fn ensure(&self, name: &str, owner: &Arc<str>) -> Result<(), Refusal> {
        match self.held().sessions.get(name) {
            Some(session) if session.owner == *owner => Ok(()),
            _ => Err(unknown(name)),
        }
    }

    /// The session has ended.
    pub(super) fn end(&self, name: &str) {
        self.held().sessions.remove(name);
    }

    /// Opens a request of a session. A call waits until the session has a place for it.
    pub(super) async fn open(
        self: &Arc<Self>,
        name: &str,
        owner: &Arc<str>,
        id: &RequestId,
        is_call: bool,
    ) -> Result<Open, Refusal> {
        let (open, places) = self.register(name, owner, id)?;
        if !is_call {
            return Ok(open);
        }
        match timeout(self.most.patience, places.acquire_owned()).await {
            Ok(Ok(place)) => Ok(Open { _place: Some(place), ..open }),
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
    ) -> Result<(Open, Arc<Semaphore>), Refusal> {
        let mut held = self.held();
        let session = held.sessions.get_mut(name).filter(|session| session.owner == *owner);
        let Some(session) = session else { return Err(unknown(name)) };
        if !session.open.insert(id.clone()) {
            let message =
                format!("the id `{}` belongs to another request: use each id once", id::quote(id));
            return Err(Refusal::invalid(StatusCode::BAD_REQUEST, message));
        }
        let sessions = Arc::clone(self);
        let open = Open {
            _registered: Registered { sessions, name: name.to_owned(), id: id.clone() },
            _place: None,
        };
        Ok((open, Arc::clone(&session.calls)))
    }
}

/// There is no such session, or it belongs to another principal.
pub(super) fn unknown(name: &str) -> Refusal {
    let shown: String = name.chars().take(100).collect();
    let message = format!("there is no session `{shown}`: begin one with `initialize`");
    Refusal::invalid(StatusCode::NOT_FOUND, message)
}

/// The room for a session that is about to begin.
#[derive(Debug)]
pub(super) struct Beginning {
    sessions: Arc<Sessions>,
    owner: Arc<str>,
}

impl Beginning {
    /// The session has begun, under this name.
    pub(super) fn done(self, name: &str) {
        let owner = Arc::clone(&self.owner);
        let calls = Arc::new(Semaphore::new(self.sessions.most.calls));
        let session = Session { owner, open: HashSet::new(), calls };
        self.sessions.held().sessions.insert(name.to_owned(), session);
    }
}

impl Drop for Beginning {
    fn drop(&mut self) {
        let mut held = self.sessions.held();
        if let Some(index) = held.beginning.iter().position(|owner| *owner == self.owner) {
            held.beginning.swap_remove(index);
        }
    }
}

/// A request that is not answered yet. It is over when this is dropped.
#[derive(Debug)]
pub(super) struct Open {
    _registered: Registered,
    /// The place of a call.
    _place: Option<OwnedSemaphorePermit>,
}

/// The id of a request that is not answered yet.
#[derive(Debug)]
struct Registered {
    sessions: Arc<Sessions>,
    name: String,
    id: RequestId,
}

impl Drop for Registered {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.held().sessions.get_mut(&self.name) {
            session.open.remove(&self.id);
        }
    }
}
