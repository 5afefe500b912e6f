//! One connection: it is cut if its client is slow, and ends after its last request when the server
//! drains.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::body::holding;
use super::gate::Gate;
use super::handlers::Handlers;
use super::patient::{ClientTimeouts, ServingFlag, TimedConnection};

/// The most bytes of the head of a request.
const MOST_HEAD: usize = 64 << 10;

/// When a connection ends by itself.
#[derive(Debug, Clone)]
pub(super) enum CloseRule {
    /// After the request that it has when the server drains.
    Later(CancellationToken),
    /// After its first request.
    First,
}

/// Tells a connection that its request is over.
struct RequestGuard(Arc<ServingFlag>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Serves a connection to its end.
pub(super) async fn serve<H: Handlers>(
    gate: Arc<Gate<H>>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    address: Option<IpAddr>,
    times: ClientTimeouts,
    ending: CloseRule,
) {
    let busy = Arc::<ServingFlag>::default();
    let stream = TimedConnection::new(stream, times, Arc::clone(&busy));
    let answer = service_fn(move |request: Request<Incoming>| {
        busy.begin();
        let serving = RequestGuard(Arc::clone(&busy));
        let gate = Arc::clone(&gate);
        async move {
            let reply = gate.answer(request, address).await;
            Ok::<_, Infallible>(reply.map(|body| holding(body, serving)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .keep_alive(matches!(ending, CloseRule::Later(_)))
        .max_buf_size(MOST_HEAD)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    let draining = match ending {
        CloseRule::Later(draining) => draining,
        CloseRule::First => CancellationToken::new(),
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = draining.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection has ended");
    }
}
