//! Bodies: requests are read within bounds of time and memory, and replies hold what must last until
//! they are written.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use pif_domain::Limit;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::reply::{Body, Refusal};

/// Bytes of a body that take nothing of the budget.
const SHORT: usize = 64 << 10;

/// Bytes of a unit of the budget.
const UNIT: usize = 16 << 10;

/// The time to read the body of a request that is refused.
const LOOK: Duration = Duration::from_secs(1);

/// The time after which a client that sends nothing is not sending.
const QUIET: Duration = Duration::from_millis(50);

/// The memory for bodies that are long, of all requests together.
#[derive(Debug, Clone)]
pub(super) struct BodyBudget(Arc<Semaphore>);

impl BodyBudget {
    pub(super) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes.div_ceil(UNIT))))
    }
}

/// The bounds of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The most bytes.
    pub(super) length: usize,
    /// The time that it may take to come.
    pub(super) time: Duration,
}

/// A body that has come, and the room that it takes.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) bytes: Vec<u8>,
    pub(super) room: Option<OwnedSemaphorePermit>,
}

/// Whether a client waits for leave before it sends a body. To look at the body gives it.
pub(super) fn expects(headers: &HeaderMap) -> bool {
    headers.contains_key(header::EXPECT)
}

/// Reads a body. A client that expects leave to send its body gets none to send too much.
pub(super) async fn read(
    mut body: Incoming,
    bounds: Bounds,
    budget: &BodyBudget,
    expects: bool,
) -> Result<Whole, Refusal> {
    let mut whole = Whole { bytes: Vec::new(), room: None };
    let length = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if length > bounds.length && expects {
        return Err(too_long(bounds.length));
    }
    match timeout(bounds.time, whole.fill(&mut body, bounds.length, budget)).await {
        Ok(Ok(())) => Ok(whole),
        Ok(Err(refusal)) => {
            drop(whole);
            discard(body).await;
            Err(refusal)
        }
        Err(_) => {
            let time = bounds.time;
            let message = format!("the body did not come within {time:?} [{}]", Limit::HttpBody);
            Err(Refusal::invalid(StatusCode::REQUEST_TIMEOUT, message))
        }
    }
}

impl Whole {
    async fn fill(
        &mut self,
        body: &mut Incoming,
        most: usize,
        budget: &BodyBudget,
    ) -> Result<(), Refusal> {
        if usize::try_from(body.size_hint().lower()).is_ok_and(|length| length > most) {
            return Err(too_long(most));
        }
        while let Some(frame) = body.frame().await {
            let broken = |error| {
                let message = format!("the body cannot be read: {error}");
                Refusal::invalid(StatusCode::BAD_REQUEST, message)
            };
            let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
            self.bytes.extend_from_slice(&data);
            if self.bytes.len() > most {
                return Err(too_long(most));
            }
            self.take_room(budget)?;
        }
        Ok(())
    }

    /// Takes room for what has come.
    fn take_room(&mut self, budget: &BodyBudget) -> Result<(), Refusal> {
        let wanted = match self.bytes.len() {
            length if length <= SHORT => 0,
            length => length.div_ceil(UNIT),
        };
        let has = self.room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let Some(more) = wanted.checked_sub(has).filter(|more| *more > 0) else { return Ok(()) };
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let Ok(taken) = Arc::clone(&budget.0).try_acquire_many_owned(more) else {
            let message = "the server is busy with other long requests: try again in a second";
            return Err(Refusal::denied(StatusCode::SERVICE_UNAVAILABLE, message).retry(1));
        };
        match &mut self.room {
            Some(room) => room.merge(taken),
            None => self.room = Some(taken),
        }
        Ok(())
    }
}

fn too_long(most: usize) -> Refusal {
    let message = format!("the body is longer than {most} bytes [{}]", Limit::Line);
    Refusal::invalid(StatusCode::PAYLOAD_TOO_LARGE, message)
}

/// Reads the rest of a body for a short time, as long as it comes. A client that still sends would not
/// see the reply.
pub(super) async fn discard(mut body: Incoming) {
    let rest = async { while let Ok(Some(Ok(_))) = timeout(QUIET, body.frame()).await {} };
    // Who sends for longer sees that the connection is closed.
    let _ = timeout(LOOK, rest).await;
}

/// A reply that holds something until it is written, or given up.
struct GuardedBody<T> {
    body: Body,
    _held: T,
}

/// Makes a body hold something.
pub(super) fn holding<T: Send + Sync + Unpin + 'static>(body: Body, held: T) -> Body {
    BoxBody::new(GuardedBody { body, _held: held })
}

impl<T: Unpin> http_body::Body for GuardedBody<T> {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A reply that ends early.
struct Until<F> {
    body: Body,
    end: Pin<Box<F>>,
    has_ended: bool,
}

/// Makes a body end when something is over.
pub(super) fn until(body: Body, end: impl Future<Output = ()> + Send + Sync + 'static) -> Body {
    BoxBody::new(Until { body, end: Box::pin(end), has_ended: false })
}

impl<F: Future<Output = ()>> http_body::Body for Until<F> {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.has_ended || self.end.as_mut().poll(cx).is_ready() {
            self.has_ended = true;
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // It may end before its size.
        SizeHint::default()
    }
}
