//! The Model Context Protocol: sessions, tools and replies. Only this module depends on rmcp.

mod alias;
mod announce;
mod arguments;
mod ask;
mod backend;
mod call;
mod catalog;
mod completion;
mod http;
mod instructions;
mod listing;
mod present;
mod reference;
mod resource;
mod resume;
mod server;
mod service;
mod settle;
mod tool;

use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};

pub use self::catalog::{packaged_tools, tools_page};
pub use self::http::serve_http;
pub use self::service::{Error, Service};

use self::backend::Backend;
use crate::config::Config;
use crate::harden::Hardening;
use crate::transport::{Awake, Stdio, Streams};
use crate::workshop::Workshop;

/// Serves one client on stdin and stdout until it disconnects or a signal arrives. `hardening` must
/// be set before the sandbox opens; `awake` is notified when every request is answered.
pub async fn serve(
    config: Config,
    workshop: Workshop,
    hardening: Arc<OnceLock<Hardening>>,
    awake: Arc<Awake>,
) -> Result<(), Error> {
    let signal = signal()?;
    let service = Service::new(config, workshop, hardening);
    let mut serving = std::pin::pin!(service.serve(Stdio { awake }));
    tokio::select! {
        served = &mut serving => return served,
        () = signal => service.stop(),
    }
    serving.await
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

#[cfg(unix)]
fn signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a handler no signal can arrive.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
