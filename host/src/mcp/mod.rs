//! The Model Context Protocol: sessions, tools, replies. Nothing outside this module knows rmcp.

mod alias;
mod arguments;
mod awake;
mod backend;
mod catalog;
mod completion;
mod handshake;
mod id;
mod input;
mod instructions;
mod line;
mod message;
mod outlet;
mod profile;
mod reference;
mod resource;
mod scan;
mod server;
mod settle;
mod tool;
mod transport;
mod window;

use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

pub use self::awake::Awake;
pub use self::catalog::{packaged_tools, tools_page};

use self::backend::Backend;
use self::message::Bounds;
use self::outlet::Progress;
use self::server::Server;
use self::transport::{Transport, is_deserted};
use crate::config::Config;
use crate::domain::Limit;
use crate::harden::Hardening;
use crate::sandbox::Sandbox;
use crate::workshop::Workshop;

/// How long runs may still go on after the last line of input: enough to answer what was piped
/// in, and not so long that a client which stopped reading leaves a process behind.
const GRACE: Duration = Duration::from_millis(500);

/// How often we look meanwhile whether there is still a client. If not, runs stop at once.
const LOOK: Duration = Duration::from_millis(10);

/// How long runs that were stopped may take to say so; and after a signal, how long answers wait
/// for a client that does not read.
const FAREWELL: Duration = Duration::from_millis(300);

/// How long they wait after the end of input. As long as the client reads, however slowly, they
/// are written.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long after a signal the process is there at most.
const LONGEST_FAREWELL: Duration = Duration::from_secs(2);

/// Why serving ended early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The standard streams or signals are out of order.
    #[error("cannot serve on stdin and stdout: {0}")]
    Stdio(#[from] io::Error),
    /// The session fell over.
    #[error("the session failed: {0}")]
    Session(String),
}

/// Serves one client on stdin and stdout until it goes away or a signal comes. `hardening` is set
/// before the sandbox of the workshop is open; `awake` is told when everything is answered.
pub async fn serve(
    config: Config,
    workshop: Workshop,
    hardening: Arc<OnceLock<Hardening>>,
    awake: Arc<Awake>,
) -> Result<(), Error> {
    let stop = CancellationToken::new();
    let ended = CancellationToken::new();
    let transport = Transport::stdio(requests(&config), bounds(&config), ended.clone(), awake)?;
    let sandbox = Arc::clone(&workshop.sandbox);
    let backend = Backend::new(config, workshop, hardening, transport.window(), stop.clone());
    let server = Server::new(Arc::new(backend), ended.clone());
    let closing = close(ended, stop.clone(), sandbox, transport.progress())?;
    tokio::select! {
        result = session(server, transport, stop) => result,
        () = closing => Ok(()),
    }
}

/// Serves one client on streams of any kind until its input has ended and all of it is answered.
pub async fn serve_streams(
    config: Config,
    workshop: Workshop,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), Error> {
    let stop = CancellationToken::new();
    let ended = CancellationToken::new();
    let (requests, bounds) = (requests(&config), bounds(&config));
    let transport = Transport::open(input, output, requests, bounds, ended.clone())?;
    let hardening = Arc::new(OnceLock::from(Hardening::OFF));
    let backend = Backend::new(config, workshop, hardening, transport.window(), stop.clone());
    let server = Server::new(Arc::new(backend), ended);
    session(server, transport, stop).await
}

fn bounds(config: &Config) -> Bounds {
    Bounds { line: config.values.size(Limit::Line), nesting: config.values.size(Limit::Nesting) }
}

/// The number of requests that may be under way.
fn requests(config: &Config) -> usize {
    config.values.size(Limit::Concurrency) + config.values.size(Limit::Queue)
}

async fn session(
    server: Server,
    transport: Transport,
    stop: CancellationToken,
) -> Result<(), Error> {
    let window = transport.window();
    let result = match serve_server_with_ct(server, transport, stop).await {
        Ok(running) => match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::Session(error.to_string())),
            Ok(_) => Ok(()),
        },
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(Error::Session(error.to_string())),
    };
    window.settled().await;
    result
}

/// Returns when the process has to end, whatever is still going on: some time after input ended
/// or a signal came, after every run was told to stop, and when what there is to say was written.
fn close(
    ended: CancellationToken,
    stop: CancellationToken,
    sandbox: Arc<Sandbox>,
    progress: Arc<Progress>,
) -> io::Result<impl Future<Output = ()>> {
    let signal = signal()?;
    Ok(async move {
        tokio::pin!(signal);
        tokio::select! {
            left = async {
                ended.cancelled().await;
                grace(&sandbox).await;
                stop.cancel();
                unread(&progress, PATIENCE).await
            } => {
                if left > 0 {
                    tracing::warn!("{left} answers were not written: nobody has read for {PATIENCE:?}");
                }
                return;
            }
            () = &mut signal => {}
        }
        stop.cancel();
        // Whoever sends a signal does not wait for a client.
        let _ = timeout(LONGEST_FAREWELL, unread(&progress, FAREWELL)).await;
    })
}

/// Waits until no answer is left to be written, and for a moment there was none; or until the
/// client is gone; or has not read for so long. Gives the number of answers that were left.
async fn unread(progress: &Progress, patience: Duration) -> usize {
    let (mut written, mut since) = (progress.written(), Instant::now());
    loop {
        sleep(LOOK).await;
        let (waiting, now) = (progress.waiting(), progress.written());
        if now != written {
            (written, since) = (now, Instant::now());
        }
        let allowed = if waiting > 0 { patience } else { FAREWELL };
        if is_deserted() {
            return 0;
        }
        if since.elapsed() >= allowed {
            return waiting;
        }
    }
}

/// Lets runs go on for a while, which begins when they can be made.
async fn grace(sandbox: &Sandbox) {
    let mut start = Instant::now();
    while start.elapsed() < GRACE && !is_deserted() {
        sleep(LOOK).await;
        if !sandbox.is_open() {
            start = Instant::now();
        }
    }
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
        // Without a handler there is no signal to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
