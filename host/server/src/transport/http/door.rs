//! The first bytes of a connection: a client that speaks another protocol is told so.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The start of HTTP/2 without a request before it.
const HTTP_2: &[u8] = b"PRI * HTTP/2";

/// The first byte of TLS.
const TLS: u8 = 0x16;

/// What is spoken behind a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    /// HTTP/1.
    Plain,
    /// TLS.
    Private,
}

/// Why a client does not get in.
#[derive(Debug, Clone, Copy)]
struct Stranger {
    status: &'static str,
    message: &'static str,
}

impl Speech {
    /// What is wrong with the first bytes of a client; None if nothing is.
    fn stranger(self, first: &[u8]) -> Option<Stranger> {
        match (self, first.first()) {
            (Self::Private, Some(first)) if *first != TLS => Some(Stranger {
                status: "400 Bad Request",
                message: "this port speaks TLS: write https:// in the URL",
            }),
            (Self::Plain, Some(&TLS)) => Some(Stranger {
                status: "400 Bad Request",
                message: "this port speaks no TLS: write http:// in the URL",
            }),
            (Self::Plain, _) if first.starts_with(HTTP_2) => Some(Stranger {
                status: "505 HTTP Version Not Supported",
                message: "the server speaks HTTP/1.1: let the proxy or the client speak that",
            }),
            _ => None,
        }
    }
}

impl Stranger {
    fn reply(self) -> Vec<u8> {
        let Self { status, message } = self;
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32000,\"message\":\"{message}\"}}}}"
        );
        let head = "content-type: application/json\r\nconnection: close\r\ncontent-length: ";
        format!("HTTP/1.1 {status}\r\n{head}{}\r\n\r\n{body}", body.len()).into_bytes()
    }
}

/// A connection behind a door.
#[derive(Debug)]
pub(super) struct Door<S> {
    stream: S,
    /// What has to be spoken, until the client has begun.
    awaited: Option<Speech>,
    /// What is left to be said to a stranger.
    refusal: Option<Vec<u8>>,
}

impl<S> Door<S> {
    pub(super) fn new(stream: S, speech: Speech) -> Self {
        Self { stream, awaited: Some(speech), refusal: None }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Door<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if self.refusal.is_none() {
            ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
            let first = buffer.filled().get(before..).unwrap_or_default();
            let awaited = if first.is_empty() { None } else { self.awaited.take() };
            let Some(stranger) = awaited.and_then(|speech| speech.stranger(first)) else {
                return Poll::Ready(Ok(()));
            };
            tracing::info!("a client is refused: {}", stranger.message);
            buffer.set_filled(before);
            self.refusal = Some(stranger.reply());
        }
        let refusal = self.refusal.clone().unwrap_or_default();
        // It is short, and the first thing that is written.
        ready!(Pin::new(&mut self.stream).poll_write(cx, &refusal))?;
        Poll::Ready(Err(io::ErrorKind::InvalidData.into()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Door<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.refusal.is_some() {
            // A stranger gets one answer.
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.refusal.is_some() {
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
