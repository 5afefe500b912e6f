//! The Model Context Protocol: sessions, tools and replies. Only this module depends on rmcp.

mod alias;
mod announce;
mod arguments;
mod ask;
mod backend;
mod beside;
mod call;
mod catalog;
mod completion;
mod connected;
mod http;
mod instructions;
mod lines;
mod listing;
mod measure;
mod portable;
mod present;
mod resource;
mod resume;
mod sample;
mod sent;
mod server;
mod service;
mod settle;
mod signals;
mod solve;
mod tasks;
mod tool;
mod work;
mod works;

use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};

pub use self::catalog::{packaged_tools, tools_page};
pub use self::http::serve_http;
pub use self::service::{Error, Service};
pub use crate::observe::CONTENT_TYPE as METRICS_TYPE;

use pif_system::harden::Hardening;

use self::signals::signal;
use crate::config::Config;
use crate::observe::TraceFiles;
use crate::transport::{Streams, Transport};
use crate::workshop::Workshop;

/// Serves one client on a connection until it disconnects or a signal arrives. `hardening` must
/// be set before the sandbox opens. `traces` are the files of the traces.
pub async fn serve(
    config: Config,
    workshop: Workshop,
    hardening: Arc<OnceLock<Hardening>>,
    traces: Option<TraceFiles>,
    transport: impl Transport,
) -> Result<(), Error> {
    let signal = signal()?;
    let service = Service::new(config, workshop, hardening).observed(traces);
    let mut serving = std::pin::pin!(service.serve(transport));
    let ended = tokio::select! {
        served = &mut serving => Some(served),
        () = signal => None,
    };
    let served = match ended {
        Some(served) => served,
        None => {
            service.stop();
            serving.await
        }
    };
    service.part().await;
    served
}

/// Serves one client on any streams until the input ends and every request is answered.
pub async fn serve_streams(
    config: Config,
    workshop: Workshop,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), Error> {
    let hardening = Arc::new(OnceLock::from(Hardening::OFF));
    Service::new(config, workshop, hardening).serve_all(Streams(input, output)).await
}
