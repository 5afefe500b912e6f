//! A connection that is cut if its client takes too long: for the head of a request, between two
//! requests, or to read a reply. A client that has sent everything may still read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// The time that the reply to a client has to come whose input has ended. It may have closed its half
/// of the connection, or have gone.
const HALF: Duration = Duration::from_secs(2);

/// The times that a client may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClientTimeouts {
    /// For the head of a request.
    pub(super) head: Duration,
    /// Between requests.
    pub(super) idle: Duration,
    /// Without reading anything of a reply.
    pub(super) stall: Duration,
}

/// Whether a request of the connection is being served. A client may be silent then.
#[derive(Debug, Default)]
pub(super) struct ServingFlag {
    is_busy: AtomicBool,
    /// The task of the connection, which has to look at its clock when the request is over.
    task: AtomicWaker,
}

impl ServingFlag {
    /// A request begins.
    pub(super) fn begin(&self) {
        self.is_busy.store(true, Ordering::Release);
    }

    /// The request is over.
    pub(super) fn end(&self) {
        self.is_busy.store(false, Ordering::Release);
        self.task.wake();
    }
}

/// A connection.
#[derive(Debug)]
pub(super) struct TimedConnection<S> {
    stream: S,
    times: ClientTimeouts,
    busy: Arc<ServingFlag>,
    /// Whether something of the next request has come.
    has_begun: bool,
    /// When the next request must be here.
    due: Option<Pin<Box<Sleep>>>,
    /// When the client must have read something.
    stalled: Option<Pin<Box<Sleep>>>,
    /// When a client counts as gone whose input has ended.
    gone: Option<Pin<Box<Sleep>>>,
}

impl<S> TimedConnection<S> {
    pub(super) fn new(stream: S, times: ClientTimeouts, busy: Arc<ServingFlag>) -> Self {
        Self { stream, times, busy, has_begun: false, due: None, stalled: None, gone: None }
    }

    /// Fails once the client has taken too long for its next request.
    fn is_late(&mut self, cx: &mut Context<'_>) -> bool {
        let time = if self.has_begun { self.times.head } else { self.times.idle };
        let due = self.due.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + time)));
        due.as_mut().poll(cx).is_ready()
    }

    /// Notes the result of a write.
    fn wrote<T>(
        &mut self,
        cx: &mut Context<'_>,
        wrote: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            self.stalled = None;
            return wrote;
        }
        let until = Instant::now() + self.times.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(until)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedConnection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let has_room = buffer.remaining() > 0;
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.busy.task.register(cx.waker());
        if self.busy.is_busy.load(Ordering::Acquire) {
            (self.has_begun, self.due) = (false, None);
            let is_end = matches!(read, Poll::Ready(Ok(()))) && buffer.filled().len() == before;
            if is_end && has_room {
                let gone = self.gone.get_or_insert_with(|| Box::pin(sleep(HALF)));
                ready!(gone.as_mut().poll(cx));
            }
            return read;
        }
        let is_new = buffer.filled().len() > before && !self.has_begun;
        if is_new {
            (self.has_begun, self.due) = (true, None);
        }
        // A client that sends a byte now and then is late all the same.
        if self.is_late(cx) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedConnection<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.wrote(cx, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.wrote(cx, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.wrote(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.wrote(cx, closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::runtime::Builder;

    const TIMES: ClientTimeouts = ClientTimeouts {
        head: Duration::from_millis(100),
        idle: Duration::from_millis(300),
        stall: Duration::from_millis(100),
    };

    fn run(test: impl Future<Output = ()>) {
        let runtime = Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(test);
    }

    #[test]
    fn a_client_may_be_idle_for_a_while() {
        run(async {
            let (_client, server) = duplex(64);
            let mut server = TimedConnection::new(server, TIMES, Arc::default());
            let start = Instant::now();
            let error = server.read_u8().await.expect_err("nothing comes");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert!(start.elapsed() >= TIMES.idle);
        });
    }

    #[test]
    fn a_head_that_drips_is_cut() {
        run(async {
            let (mut client, server) = duplex(64);
            let mut server = TimedConnection::new(server, TIMES, Arc::default());
            let drip = async {
                while client.write_u8(b'x').await.is_ok() {
                    sleep(Duration::from_millis(10)).await;
                }
            };
            let read = async {
                loop {
                    if let Err(error) = server.read_u8().await {
                        return error;
                    }
                }
            };
            tokio::select! {
                () = drip => panic!("the client went first"),
                error = read => assert_eq!(error.kind(), io::ErrorKind::TimedOut),
            }
        });
    }

    #[test]
    fn a_client_that_waits_for_its_reply_may_be_silent() {
        run(async {
            let (_client, server) = duplex(64);
            let busy = Arc::<ServingFlag>::default();
            busy.begin();
            let mut server = TimedConnection::new(server, TIMES, Arc::clone(&busy));
            let read = tokio::time::timeout(TIMES.idle * 3, server.read_u8()).await;
            assert!(read.is_err(), "the connection stays");
            let end = async {
                sleep(Duration::from_millis(10)).await;
                busy.end();
                std::future::pending::<()>().await;
            };
            tokio::select! {
                () = end => {}
                read = server.read_u8() => {
                    assert_eq!(read.expect_err("idle").kind(), io::ErrorKind::TimedOut);
                }
            }
        });
    }

    #[test]
    fn a_client_that_has_sent_everything_gets_its_reply() {
        run(async {
            let (mut client, server) = duplex(64);
            let busy = Arc::<ServingFlag>::default();
            busy.begin();
            let mut server = TimedConnection::new(server, TIMES, Arc::clone(&busy));
            client.shutdown().await.expect("a half");
            let start = Instant::now();
            let read = tokio::time::timeout(HALF / 4, server.read_u8()).await;
            assert!(read.is_err(), "the client is not gone yet");
            busy.end();
            let error = server.read_u8().await.expect_err("the end");
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
            assert!(start.elapsed() < HALF);
        });
    }

    #[test]
    fn a_client_that_does_not_read_is_cut() {
        run(async {
            let (_client, server) = duplex(64);
            let mut server = TimedConnection::new(server, TIMES, Arc::default());
            let error = server.write_all(&[0; 1_000]).await.expect_err("nobody reads");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }
}
