//! The output of a connection, which writes whole lines. A thread writes them, because writing may
//! have to wait for the client. Nothing else writes to the output.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pif_domain::text;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::window::Ticket;

/// Bytes that a ready pipe takes in one write without blocking: `PIPE_BUF` of Linux. Other systems
/// guarantee less; a socket takes far more. No write is longer, so the progress of a slow client can
/// be seen.
const AT_ONCE: usize = if cfg!(target_os = "linux") { 4_096 } else { 512 };

/// The most characters of an error's message.
const MOST_MESSAGE: usize = 1_000;

/// The output for messages. Its queue needs no bound of its own: every message in it holds a place
/// of the window, or is a notification whose sender waits until it is written.
#[derive(Debug, Clone)]
pub struct MessageWriter {
    queue: mpsc::UnboundedSender<Frame>,
    progress: Arc<Progress>,
}

/// The progress of the thread.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The number of parcels that the thread has not written yet.
    queued: AtomicUsize,
    /// The number of bytes that the thread has written.
    written: AtomicUsize,
}

impl Progress {
    /// The number of messages that wait to be written.
    pub(super) fn waiting(&self) -> usize {
        self.queued.load(Ordering::Relaxed)
    }

    /// The number of bytes that the thread has written.
    pub(super) fn written(&self) -> usize {
        self.written.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct Frame {
    line: Vec<u8>,
    ticket: Option<Ticket>,
    written: oneshot::Sender<()>,
}

impl MessageWriter {
    /// Starts the thread. It cancels `broken` when it ends, above all when the client no longer
    /// reads.
    pub fn open(
        output: impl Write + Send + 'static,
        broken: CancellationToken,
    ) -> io::Result<Self> {
        let (queue, parcels) = mpsc::unbounded_channel();
        let progress = Arc::<Progress>::default();
        let made = Arc::clone(&progress);
        thread::Builder::new().name("output".to_owned()).spawn(move || {
            // Cancels `broken` however the thread ends.
            let _ended = broken.drop_guard();
            if let Err(error) = write_all(output, parcels, &made) {
                tracing::info!(%error, "the client does not read any more");
            }
        })?;
        Ok(Self { queue, progress })
    }

    /// The progress of the thread.
    pub(super) fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Writes a message. Returns when it has left the process.
    pub(super) async fn send(
        &self,
        message: ServerJsonRpcMessage,
        ticket: Option<Ticket>,
    ) -> io::Result<()> {
        let line = encode(&message)?;
        // The line replaces the message, whose memory is no longer needed.
        drop(message);
        let ticket = ticket.map(|ticket| ticket.carrying(line.len()));
        let (written, wait) = oneshot::channel();
        self.progress.queued.fetch_add(1, Ordering::Relaxed);
        self.queue.send(Frame { line, ticket, written }).map_err(|_| broken())?;
        wait.await.map_err(|_| broken())
    }
}

/// Encodes a message as a line. Escapes invisible characters in the message of an error.
pub(in crate::transport) fn encode(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = match message {
        JsonRpcMessage::Error(error) => {
            let mut error = error.clone();
            error.error.message = text::line(&render(&error.error), MOST_MESSAGE).into();
            serde_json::to_vec(&error)?
        }
        message => serde_json::to_vec(message)?,
    };
    escape_line_ends(&mut line);
    line.push(b'\n');
    Ok(line)
}

/// The message of an error. rmcp reports an unknown method by its name only.
fn render(error: &ErrorData) -> Cow<'_, str> {
    let is_bare = error.code == ErrorCode::METHOD_NOT_FOUND && !error.message.contains(' ');
    if is_bare {
        return Cow::Owned(format!("there is no method `{}`", error.message));
    }
    Cow::Borrowed(&error.message)
}

/// Escapes characters that some readers take for line ends. In JSON they occur only in strings,
/// where the escape means the character.
fn escape_line_ends(line: &mut Vec<u8>) {
    const ENDS: [(&[u8], &[u8]); 3] = [
        ("\u{85}".as_bytes(), b"\\u0085"),
        ("\u{2028}".as_bytes(), b"\\u2028"),
        ("\u{2029}".as_bytes(), b"\\u2029"),
    ];
    let find = |rest: &[u8]| ENDS.into_iter().find(|(end, _)| rest.starts_with(end));
    let is_start = |byte: u8| matches!(byte, 0xc2 | 0xe2);
    let mut escaped = Vec::new();
    let mut copied = 0;
    for (at, _) in line.iter().enumerate().filter(|(_, byte)| is_start(**byte)) {
        if let Some((end, escape)) = line.get(at..).and_then(find) {
            escaped.extend_from_slice(line.get(copied..at).unwrap_or_default());
            escaped.extend_from_slice(escape);
            copied = at + end.len();
        }
    }
    if copied > 0 {
        escaped.extend_from_slice(line.get(copied..).unwrap_or_default());
        *line = escaped;
    }
}

fn broken() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

fn write_all(
    mut output: impl Write,
    mut parcels: mpsc::UnboundedReceiver<Frame>,
    progress: &Progress,
) -> io::Result<()> {
    let mut next = None;
    while let Some(first) = next.take().or_else(|| parcels.blocking_recv()) {
        let Frame { line: mut lines, ticket, written } = first;
        let mut sent = vec![(ticket, written)];
        while let Ok(parcel) = parcels.try_recv() {
            if lines.len() + parcel.line.len() > AT_ONCE {
                next = Some(parcel);
                break;
            }
            lines.extend(parcel.line);
            sent.push((parcel.ticket, parcel.written));
        }
        for chunk in lines.chunks(AT_ONCE) {
            output.write_all(chunk)?;
            progress.written.fetch_add(chunk.len(), Ordering::Relaxed);
        }
        output.flush()?;
        progress.queued.fetch_sub(sent.len(), Ordering::Relaxed);
        for (ticket, written) in sent {
            drop(ticket);
            // A canceled sender does not wait any more.
            let _ = written.send(());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_one_end() {
        let mut line = "{\"a\":\"é\u{2028}–\u{85}\u{2029}\"}".as_bytes().to_vec();
        escape_line_ends(&mut line);
        assert_eq!(line, "{\"a\":\"é\\u2028–\\u0085\\u2029\"}".as_bytes());
    }
}
