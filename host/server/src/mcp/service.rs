//! The protocol's server, shared by any number of connections.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pif_domain::{Limit, Toolset};
use pif_store::Place;
use pif_system::harden::Hardening;
use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::backend::Backend;
use super::connected::ConnectionGuard;
use super::listing::Listing;
use super::server::Server;
use crate::config::Config;
use crate::observe::{Publisher, Snapshot, TraceFiles, Traces};
use crate::transport::{Bounds, Transport, Wire};
use crate::workshop::Workshop;

/// The interval between two looks for changes by other processes.
const LOOK: Duration = Duration::from_millis(250);

/// How long durable runs may take to be written down when the server ends.
const PUT_DOWN: Duration = Duration::from_secs(2);

/// The interval between two snapshots for `mcp-pif top`.
const SNAPSHOT: Duration = Duration::from_secs(1);

/// The error of a service that ended early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The standard streams or signals failed.
    #[error("cannot serve on stdin and stdout: {0}")]
    Stdio(#[from] io::Error),
    /// The session failed.
    #[error("the session failed: {0}")]
    Session(String),
}

/// A server. Dropping it ends all sessions.
#[derive(Debug)]
pub struct Service {
    backend: Arc<Backend>,
    listing: Arc<Listing>,
    stop: CancellationToken,
    publisher: Option<Arc<Publisher>>,
    _stopped: DropGuard,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.backend.measures.close();
        if let Some(publisher) = &self.publisher {
            publisher.close();
        }
    }
}

impl Service {
    /// A server without connections. Call this on a runtime. `hardening` must be set before the
    /// sandbox opens.
    #[must_use]
    pub fn new(config: Config, workshop: Workshop, hardening: Arc<OnceLock<Hardening>>) -> Self {
        if let Some(prefix) = config.prefix.clone() {
            prefix.install();
        }
        let backend = Arc::new(Backend::new(config, workshop, hardening));
        let stop = backend.work.leave.clone();
        if backend.config.toolsets.contains(&Toolset::Work) {
            tokio::spawn(Arc::clone(&backend).go_on_with_all());
        }
        tokio::spawn(look(Arc::clone(&backend), stop.clone()));
        tokio::spawn(learn(Arc::clone(&backend), stop.clone()));
        let (listing, publisher) = (Arc::default(), None);
        Self { backend, listing, publisher, _stopped: stop.clone().drop_guard(), stop }
    }

    /// The server with traces in these files, and with snapshots for `mcp-pif top` in the directory of
    /// its store.
    #[must_use]
    pub fn observed(mut self, files: Option<TraceFiles>) -> Self {
        let config = &self.backend.config;
        match files.map(|files| Traces::to_files(files, config.trace_payloads)).transpose() {
            Ok(Some(traces)) => self.backend.measures.trace(traces),
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "no traces are written"),
        }
        if let Place::Directory(directory) = &config.place {
            match Publisher::open(directory) {
                Ok(publisher) => {
                    let publisher = Arc::new(publisher);
                    let (backend, stop) = (Arc::clone(&self.backend), self.stop.clone());
                    tokio::spawn(publish(backend, Arc::clone(&publisher), stop));
                    self.publisher = Some(publisher);
                }
                Err(error) => tracing::warn!(%error, "`mcp-pif top` cannot show this server"),
            }
        }
        self
    }

    /// The figures of the server as text, of the type [`METRICS_TYPE`](super::METRICS_TYPE).
    #[must_use]
    pub fn metrics(&self) -> String {
        self.backend.measures.text(self.backend.slots())
    }

    /// Hands over the last traces, and what it has worked on to other servers.
    pub(super) async fn part(&self) {
        let measures = Arc::clone(&self.backend.measures);
        if let Err(error) = spawn_blocking(move || measures.close()).await {
            tracing::error!(%error, "the last traces were not written");
        }
        self.stop();
        self.backend.work.settled(PUT_DOWN).await;
        let backend = Arc::clone(&self.backend);
        if let Err(error) = spawn_blocking(move || backend.workshop.leave()).await {
            tracing::error!(%error, "the lease was not given back");
        }
    }

    /// Ends all sessions: runs stop, and pending replies are still written.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Serves one client until it disconnects or the server stops. Requests that are still running
    /// then get a short time to end.
    pub async fn serve(&self, transport: impl Transport) -> Result<(), Error> {
        let wire = self.open(transport)?;
        let session = wire.session();
        let sandbox = Arc::clone(&self.backend.workshop.sandbox);
        let served = tokio::select! {
            result = self.converse(wire) => result,
            () = session.farewell(|| sandbox.is_open()) => Ok(()),
        };
        session.close();
        served
    }

    /// Serves one client until its input ends and every request is answered, without a time limit.
    pub async fn serve_all(&self, transport: impl Transport) -> Result<(), Error> {
        self.converse(self.open(transport)?).await
    }

    /// What serves requests, and the token of the server's end.
    pub(super) fn parts(&self) -> (Arc<Backend>, Arc<Listing>, CancellationToken) {
        (Arc::clone(&self.backend), Arc::clone(&self.listing), self.stop.clone())
    }

    fn open(&self, transport: impl Transport) -> Result<Wire, Error> {
        let values = &self.backend.config.values;
        let bounds = Bounds::of_lines(values.size(Limit::Line), values.size(Limit::Nesting));
        // The most requests in progress.
        let requests = values.size(Limit::Concurrency) + values.size(Limit::Queue);
        Ok(Wire::open(transport, requests, bounds, self.stop.clone())?)
    }

    async fn converse(&self, wire: Wire) -> Result<(), Error> {
        let session = wire.session();
        let _connected = ConnectionGuard::new(&self.backend.measures);
        let server =
            Server::new(Arc::clone(&self.backend), Arc::clone(&session), Arc::clone(&self.listing));
        let failed = |error: String| Err(Error::Session(error));
        let result = match serve_server_with_ct(server, wire, session.stop.clone()).await {
            Ok(running) => match running.waiting().await {
                Ok(QuitReason::JoinError(error)) | Err(error) => failed(error.to_string()),
                Ok(_) => Ok(()),
            },
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => failed(error.to_string()),
        };
        session.window.settled().await;
        result
    }
}

/// Looks for changes by other processes until the server stops.
async fn look(backend: Arc<Backend>, stop: CancellationToken) {
    let is_shared = backend.config.database.is_some() || backend.workshop.path().is_some();
    if !is_shared {
        return;
    }
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_blind = false;
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = stop.cancelled() => return,
        }
        // A database may be silent for a while.
        let registry = Arc::clone(&backend.workshop.registry);
        let looked = spawn_blocking(move || registry.refresh().map_err(|it| it.to_string())).await;
        let looked = looked.unwrap_or_else(|error| Err(error.to_string()));
        match &looked {
            Err(error) if !is_blind => {
                tracing::warn!(%error, "changes of other processes cannot be seen");
            }
            Ok(()) if is_blind => tracing::warn!("changes of other processes can be seen again"),
            _ => {}
        }
        is_blind = looked.is_err();
    }
}

/// Publishes snapshots while something changes, until the server stops.
async fn publish(backend: Arc<Backend>, publisher: Arc<Publisher>, stop: CancellationToken) {
    let (mut look, mut last) = (interval(SNAPSHOT), None);
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = stop.cancelled() => return,
        }
        let works = backend.work.worked();
        let now = (backend.measures.count(), backend.measures.sessions(), backend.slots(), works);
        if last.replace(now.clone()).as_ref() == Some(&now) {
            continue;
        }
        let (backend, publisher) = (Arc::clone(&backend), Arc::clone(&publisher));
        let write = move || {
            let snapshot = backend.measures.snapshot(backend.slots());
            publisher.publish(&Snapshot { works: now.3, ..snapshot })
        };
        match spawn_blocking(write).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "a snapshot was not written"),
            Err(error) => tracing::debug!(%error, "a snapshot was lost"),
        }
    }
}

/// Learns the normal forms of tools, while nobody waits for them.
async fn learn(backend: Arc<Backend>, stop: CancellationToken) {
    backend.workshop.sandbox.opened().await;
    let learned = spawn_blocking(move || {
        backend.workshop.learn_normal_forms(|| stop.is_cancelled());
    });
    if let Err(error) = learned.await {
        tracing::error!(%error, "normal forms of tools were not learned");
    }
}
