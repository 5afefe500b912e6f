//! The server over HTTP: it accepts connections until it is told to end, and then lets requests
//! finish for a while.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use pif_domain::Limit;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::Access;
use super::allowed_hosts::AllowedHosts;
use super::body::{self, BodyBudget};
use super::connection::{self, CloseRule};
use super::door::{Door, Speech};
use super::gate::Gate;
use super::handlers::Handlers;
use super::listener::{Listener, Socket};
use super::manager::Manager;
use super::patient::ClientTimeouts;
use super::place::Places;
use super::probe::Probe;
use super::sessions::{SessionLimits, Sessions};
use super::tls::Tls;
use crate::config::Values;
use crate::transport::message::Bounds;

/// The time between two attempts to accept when the system has no room.
const AGAIN: Duration = Duration::from_millis(50);

/// The time that the last replies have to leave.
const FAREWELL: Duration = Duration::from_secs(1);

/// The reply to a connection beyond the limit.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n\
    content-type: application/json\r\ncontent-length: 103\r\n\r\n\
    {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"the server has no room for another connection now\"}}";

/// A server over HTTP that is about to begin.
pub struct Http {
    /// Where it listens.
    pub listener: Listener,
    /// Who may use it.
    pub access: Access,
    /// The hosts that it answers for, and the origins.
    pub allowed: AllowedHosts,
    /// The paths of what it offers.
    pub places: Places,
    /// What makes connections private.
    pub tls: Option<Tls>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("listener", &self.listener).finish_non_exhaustive()
    }
}

impl Http {
    /// Serves until `stop` is canceled, and then until the open requests are answered, for a limited
    /// time. `reload` returns when the files are to be read anew.
    pub(crate) async fn serve<H: Handlers>(
        self,
        handlers: Arc<H>,
        values: &Values,
        stop: CancellationToken,
        mut reload: impl AsyncFnMut(),
    ) -> io::Result<()> {
        let Self { listener, access, allowed, places, tls } = self;
        let cancel = CancellationToken::new();
        let _cancelled = cancel.clone().drop_guard();
        let access = Arc::new(access);
        let tls = tls.map(Arc::new);
        let parts = GateParts { access: Arc::clone(&access), allowed, places };
        let gate = gate(handlers, parts, values, &cancel);
        let sessions = Arc::clone(&gate.sessions);
        let tidy = tokio::spawn(async move { sessions.tidy().await });
        let hall = Hall::new(Arc::clone(&gate), tls.clone(), values);
        let accepting = Acceptor::new(listener.socket)?;
        let draining = CancellationToken::new();
        let later = CloseRule::Later(draining.clone());
        let reload = async {
            loop {
                reload().await;
                access.reload();
                if let Some(tls) = &tls {
                    tls.reload();
                }
                gate.sessions.close_of(|owner| access.is_gone(owner)).await;
            }
        };
        tokio::select! {
            () = hall.accept(&accepting, &later) => {}
            () = reload => {}
            () = stop.cancelled() => {}
        }
        gate.probe.drain();
        draining.cancel();
        gate.served.close();
        let longest = values.time(Limit::HttpDrain);
        // Who asks meanwhile is told that the server ends.
        let drained = tokio::select! {
            () = hall.accept(&accepting, &CloseRule::First) => false,
            drained = timeout(longest, gate.served.wait()) => drained.is_ok(),
        };
        if !drained {
            tracing::warn!("requests were not answered within {longest:?} and are canceled");
        }
        drop(accepting);
        tidy.abort();
        cancel.cancel();
        hall.connections.close();
        let _ = timeout(FAREWELL, hall.connections.wait()).await;
        Ok(())
    }
}

/// What connections need.
struct Hall<H: Handlers> {
    gate: Arc<Gate<H>>,
    tls: Option<Arc<Tls>>,
    times: ClientTimeouts,
    places: Arc<Semaphore>,
    connections: TaskTracker,
}

impl<H: Handlers> Hall<H> {
    fn new(gate: Arc<Gate<H>>, tls: Option<Arc<Tls>>, values: &Values) -> Self {
        let times = ClientTimeouts {
            head: values.time(Limit::HttpHead),
            idle: values.time(Limit::HttpIdle),
            stall: values.time(Limit::HttpBody),
        };
        let places = Arc::new(Semaphore::new(values.size(Limit::HttpConnections)));
        Self { gate, tls, times, places, connections: TaskTracker::new() }
    }

    /// Accepts connections, for ever.
    async fn accept(&self, accepting: &Acceptor, ending: &CloseRule) {
        loop {
            let (stream, address) = match accepting.next().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(AGAIN).await;
                    continue;
                }
            };
            let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
                self.gate.handlers.answered(503);
                self.connections.spawn(turn_away(stream));
                continue;
            };
            let tls = self.tls.as_ref().map(|tls| tls.acceptor());
            let gate = Arc::clone(&self.gate);
            let times = self.times;
            let ending = ending.clone();
            self.connections.spawn(async move {
                serve(gate, stream, tls, address, times, ending).await;
                drop(place);
            });
        }
    }
}

/// What decides who is served.
struct GateParts {
    access: Arc<Access>,
    allowed: AllowedHosts,
    places: Places,
}

fn gate<H: Handlers>(
    handlers: Arc<H>,
    parts: GateParts,
    values: &Values,
    cancel: &CancellationToken,
) -> Arc<Gate<H>> {
    let manager = Arc::new(Manager::new(values.time(Limit::HttpBody)));
    let most = SessionLimits {
        sessions: values.size(Limit::HttpSessions),
        each: values.size(Limit::HttpSessionsEach),
        idle: values.time(Limit::HttpSessionIdle),
        calls: values.size(Limit::HttpCalls),
        patience: values.time(Limit::Patience),
    };
    let sessions = Sessions::new(Arc::clone(&manager), most);
    let length = values.size(Limit::Line);
    let bounds = Bounds { line: length, nesting: values.size(Limit::Nesting), what: "body" };
    // The gate looks at hosts and origins, and bounds bodies.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_json_response(true)
        .with_sse_retry(None)
        .with_max_request_body_bytes(usize::MAX)
        .with_cancellation_token(cancel.clone());
    let make = Arc::clone(&handlers);
    let service = StreamableHttpService::new(move || Ok(make.handler()), manager, config);
    let GateParts { access, allowed, places } = parts;
    Arc::new(Gate {
        handlers,
        service,
        sessions,
        allowed,
        places,
        access,
        bounds,
        body: body::Bounds { length, time: values.time(Limit::HttpBody) },
        budget: BodyBudget::new(values.size(Limit::HttpBodies).max(length)),
        probe: Probe::default(),
        served: TaskTracker::new(),
    })
}

/// Serves a connection, privately if there is a key.
async fn serve<H: Handlers>(
    gate: Arc<Gate<H>>,
    stream: Box<dyn Stream>,
    tls: Option<TlsAcceptor>,
    address: Option<IpAddr>,
    times: ClientTimeouts,
    ending: CloseRule,
) {
    match tls {
        None => {
            let stream = Door::new(stream, Speech::Plain);
            connection::serve(gate, stream, address, times, ending).await;
        }
        Some(tls) => {
            let stream = Door::new(stream, Speech::Private);
            match timeout(times.head, tls.accept(stream)).await {
                Ok(Ok(stream)) => connection::serve(gate, stream, address, times, ending).await,
                Ok(Err(error)) => tracing::debug!(%error, "a connection is not private"),
                Err(_) => tracing::debug!("a client did not make its connection private in time"),
            }
        }
    }
}

async fn turn_away(mut stream: Box<dyn Stream>) {
    // A client that does not read gets nothing.
    let _ = timeout(FAREWELL, stream.write_all(FULL)).await;
}

/// A connection of any kind.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// A listener that accepts.
enum Acceptor {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(tokio::net::UnixListener),
}

impl Acceptor {
    fn new(socket: Socket) -> io::Result<Self> {
        match socket {
            Socket::Tcp(socket) => TcpListener::from_std(socket).map(Self::Tcp),
            #[cfg(unix)]
            Socket::Unix(socket) => tokio::net::UnixListener::from_std(socket).map(Self::Unix),
        }
    }

    async fn next(&self) -> io::Result<(Box<dyn Stream>, Option<IpAddr>)> {
        match self {
            Self::Tcp(socket) => {
                let (stream, address) = socket.accept().await?;
                // Replies are short; they must not wait for more.
                let _ = stream.set_nodelay(true);
                Ok((Box::new(stream), Some(address.ip())))
            }
            #[cfg(unix)]
            Self::Unix(socket) => Ok((Box::new(socket.accept().await?.0), None)),
        }
    }
}
