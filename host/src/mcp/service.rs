//! The protocol's server, shared by any number of connections.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio::time::interval;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::backend::Backend;
use super::listing::Listing;
use super::server::Server;
use crate::config::Config;
use crate::domain::Limit;
use crate::harden::Hardening;
use crate::transport::{Bounds, Transport, Wire};
use crate::workshop::Workshop;

/// The interval between two looks for changes by other processes.
const LOOK: Duration = Duration::from_millis(250);

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
    _stopped: DropGuard,
}

impl Service {
    /// A server without connections. Call this on a runtime. `hardening` must be set before the
    /// sandbox opens.
    #[must_use]
    pub fn new(config: Config, workshop: Workshop, hardening: Arc<OnceLock<Hardening>>) -> Self {
        let stop = CancellationToken::new();
        let backend = Arc::new(Backend::new(config, workshop, hardening));
        tokio::spawn(look(Arc::clone(&backend), stop.clone()));
        Self { backend, listing: Arc::default(), _stopped: stop.clone().drop_guard(), stop }
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
    if backend.workshop.path().is_none() {
        return;
    }
    let mut look = interval(LOOK);
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = stop.cancelled() => return,
        }
        if let Err(error) = backend.workshop.registry.refresh() {
            tracing::warn!(%error, "changes of other processes cannot be seen");
        }
    }
}
