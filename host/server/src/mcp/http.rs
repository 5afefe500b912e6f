//! The server over HTTP: what serves the requests that have passed the gate.

use std::sync::{Arc, OnceLock};

use pif_domain::json::Object;
use pif_domain::{BuiltIn, Limit, Scope, bare, scope_of};
use pif_system::harden::Hardening;
use tokio_util::sync::CancellationToken;

use super::alias::{self, Meant};
use super::backend::Backend;
use super::listing::Listing;
use super::server::Server;
use super::service::{Error, Service};
use super::signals::{reloads, signal};
use crate::config::Config;
use crate::observe::{CONTENT_TYPE, TraceFiles};
use crate::transport::http::{Handlers, Http};
use crate::transport::{Bounds, Session};
use crate::workshop::Workshop;

/// Serves any number of clients over HTTP until a signal arrives. `hardening` must be set before the
/// sandbox opens.
pub async fn serve_http(
    config: Config,
    workshop: Workshop,
    hardening: Arc<OnceLock<Hardening>>,
    http: Http,
    traces: Option<TraceFiles>,
) -> Result<(), Error> {
    let signal = signal()?;
    let mut reloads = reloads()?;
    let values = config.values;
    let service = Service::new(config, workshop, hardening).observed(traces);
    let handlers = Arc::new(HttpHandlers::new(&service));
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        signal.await;
        told.cancel();
    });
    http.serve(handlers, &values, stop, async || reloads.next().await).await?;
    service.stop();
    service.part().await;
    Ok(())
}

/// The handlers of requests over HTTP.
struct HttpHandlers {
    backend: Arc<Backend>,
    listing: Arc<Listing>,
    leave: CancellationToken,
}

impl HttpHandlers {
    fn new(service: &Service) -> Self {
        let (backend, listing, leave) = service.parts();
        Self { backend, listing, leave }
    }
}

impl Handlers for HttpHandlers {
    type Handler = Server;

    fn handler(&self) -> Server {
        let values = &self.backend.config.values;
        let bounds = Bounds::of_lines(values.size(Limit::Line), values.size(Limit::Nesting));
        let session = Session::apart(values.size(Limit::HttpCalls), bounds, &self.leave);
        Server::apart(Arc::clone(&self.backend), session, Arc::clone(&self.listing))
    }

    fn needed(&self, tool: &str, arguments: &Object) -> Scope {
        let tool = bare(tool);
        if let Some(tool) = BuiltIn::find(tool) {
            return tool.scope();
        }
        let nesting = self.backend.config.values.size(Limit::Nesting);
        let meant = match alias::resolve(tool, arguments, nesting) {
            Some(Ok(Meant { name, .. })) => BuiltIn::find(bare(&name)),
            _ => None,
        };
        scope_of(meant)
    }

    fn ready(&self) -> Result<(), String> {
        let workshop = &self.backend.workshop;
        if !workshop.sandbox.is_open() {
            return Err("the evaluator is not loaded yet".to_owned());
        }
        workshop.ensure_writable().map_err(|fault| fault.message)
    }

    fn metrics(&self) -> (&'static str, String) {
        (CONTENT_TYPE, self.backend.measures.text(self.backend.slots()))
    }

    fn asked(&self, method: &str) {
        self.backend.measures.asked(method);
    }

    fn answered(&self, status: u16) {
        self.backend.measures.answered(status);
    }
}
