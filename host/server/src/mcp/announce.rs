//! Tells clients that lists have changed. Who makes a change is told of it before the answer: many
//! clients look for new tools only then.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pif_domain::{Limit, Offer};
use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;
use tokio::time::timeout;

use super::backend::Backend;
use crate::transport::Session;

/// How long an answer waits until a client that does not read has been told.
const PATIENCE: Duration = Duration::from_millis(250);

/// The listeners of a connection: up to which change each has been told.
#[derive(Debug)]
pub(super) struct Listeners {
    /// The last change before the client came.
    known: i64,
    /// Whether the peer is told of changes.
    is_told: watch::Sender<bool>,
    all: Mutex<Vec<watch::Receiver<i64>>>,
}

impl Listeners {
    pub(super) fn new(backend: &Backend) -> Self {
        Self { known: last(backend), is_told: watch::Sender::new(false), all: Mutex::default() }
    }

    /// Tells a peer of changes from now on, as the older protocol does without being asked.
    pub(super) fn greet(
        &self,
        backend: &Arc<Backend>,
        session: &Arc<Session>,
        peer: Peer<RoleServer>,
    ) {
        session.greet(peer);
        // The listener is there before a call sees that it is.
        if !*self.is_told.borrow() {
            let news = self.add(backend, self.known);
            tokio::spawn(announce(Arc::clone(backend), Arc::clone(session), news));
            self.is_told.send_replace(true);
        }
    }

    /// Tells a subscriber what it asked for, until it or the session ends.
    pub(super) async fn serve(
        &self,
        backend: &Backend,
        session: &Session,
        context: &SubscriptionContext,
    ) {
        let mut news = self.add(backend, last(backend));
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return,
                () = session.ended.cancelled() => return,
                change = news.next() => change,
            };
            let Some(change) = change else { return };
            // A subscriber receives only the notifications that it asked for.
            let accepted = context.accepted();
            let sink = context.sink();
            if accepted.tools_list_changed == Some(true)
                && sink.notify_tool_list_changed().await.is_err()
            {
                return;
            }
            if accepted.resources_list_changed == Some(true)
                && sink.notify_resource_list_changed().await.is_err()
            {
                return;
            }
            news.notify(change);
        }
    }

    /// Waits until all are told of what a call has changed since `before`, if it has.
    pub(super) async fn hear(&self, backend: &Backend, before: i64) {
        let after = last(backend);
        if after > before {
            self.hear_of(after).await;
        }
    }

    /// A new listener, who knows of all changes up to this one.
    fn add(&self, backend: &Backend, known: i64) -> News {
        let (told, seen) = watch::channel(known);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        // A listener whose news have ended is gone.
        all.retain(|listener| listener.has_changed().is_ok());
        all.push(seen);
        let changes = backend.workshop.registry.changes();
        News { changes, offers: backend.workshop.effects().changes(), told }
    }

    /// Waits until all have been told of a change.
    async fn hear_of(&self, change: i64) {
        let heard = async {
            let all = self.all.lock().unwrap_or_else(PoisonError::into_inner).clone();
            for mut listener in all {
                // One that is gone is not waited for.
                let _ = listener.wait_for(|told| *told >= change).await;
            }
        };
        // A client that does not read gets its answer all the same.
        let _ = timeout(PATIENCE, heard).await;
    }
}

/// The last change of a tool.
pub(super) fn last(backend: &Backend) -> i64 {
    *backend.workshop.registry.changes().borrow()
}

/// The changes that one listener is told of.
#[derive(Debug)]
struct News {
    changes: watch::Receiver<i64>,
    offers: watch::Receiver<Arc<[Offer]>>,
    told: watch::Sender<i64>,
}

impl News {
    /// Waits for a change that was not told. None: there will be no more.
    async fn next(&mut self) -> Option<i64> {
        let now = *self.changes.borrow_and_update();
        if now > *self.told.borrow() {
            return Some(now);
        }
        tokio::select! {
            result = self.changes.changed() => result.ok()?,
            Ok(()) = self.offers.changed() => {}
        }
        Some(*self.changes.borrow_and_update())
    }

    /// Notes that a change was told.
    fn notify(&self, change: i64) {
        self.told.send_replace(change);
    }
}

/// Whether the list of tools can change: it shows tools that are made.
pub(super) fn can_change(backend: &Backend) -> bool {
    backend.config.values.get(Limit::Listed) > 0
}

/// Notifies the session's peer of changes in the registry, and in what other servers offer, until the
/// session ends.
async fn announce(backend: Arc<Backend>, session: Arc<Session>, mut news: News) {
    loop {
        let change = tokio::select! {
            change = news.next() => change,
            () = session.ended.cancelled() => return,
        };
        let Some(change) = change else { return };
        let Some(peer) = session.peer() else { continue };
        // Each tool is a resource too, so both lists change.
        let tools = async {
            if can_change(&backend) { peer.notify_tool_list_changed().await } else { Ok(()) }
        };
        for told in [tools.await, peer.notify_resource_list_changed().await] {
            if let Err(error) = told {
                tracing::debug!(%error, "a peer was not told of a change");
            }
        }
        news.notify(change);
    }
}
