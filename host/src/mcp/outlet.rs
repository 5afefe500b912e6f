//! Standard output, where whole lines are written. What fits into a pipe is written at once; what
//! might have to wait for the client is written by a thread. Nothing else in the process writes.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

#[cfg(unix)]
use super::input::is_stream;
use super::window::Ticket;
use crate::text;

/// Bytes gathered before they are written although more are waiting.
const GATHERED: usize = 64 << 10;

/// Bytes of a line that a pipe takes whole and at once if it takes anything (`PIPE_BUF` of Linux,
/// where others promise less; a socket has room for far more).
#[cfg(unix)]
const AT_ONCE: usize = if cfg!(target_os = "linux") { 4_096 } else { 512 };

/// Characters of an error's message.
const MOST_MESSAGE: usize = 1_000;

/// The way out for messages. Its queue has no bound of its own: everything in it holds a place
/// of the window, or is a notification whose sender waits until it is written.
#[derive(Debug, Clone)]
pub(super) struct Outlet {
    queue: mpsc::UnboundedSender<Parcel>,
    /// Parcels that the thread has not written yet. Whoever wants to write without it holds the
    /// lock meanwhile, and there must be none.
    queued: Arc<Mutex<usize>>,
    /// Whether messages may be written without the thread.
    is_direct: bool,
}

#[derive(Debug)]
struct Parcel {
    line: Vec<u8>,
    ticket: Option<Ticket>,
    written: oneshot::Sender<()>,
}

impl Outlet {
    /// Starts the thread. `broken` is cancelled when the client does not read any more.
    pub(super) fn open(
        output: impl Write + Send + 'static,
        broken: CancellationToken,
    ) -> io::Result<Self> {
        let (queue, parcels) = mpsc::unbounded_channel();
        let queued = Arc::<Mutex<usize>>::default();
        let left = Arc::clone(&queued);
        thread::Builder::new().name("stdout".to_owned()).spawn(move || {
            // Whatever ends the writing, nobody is left to be told by way of stdout.
            let _ended = broken.drop_guard();
            if let Err(error) = write_all(output, parcels, &left) {
                tracing::info!(%error, "the client does not read any more");
            }
        })?;
        Ok(Self { queue, queued, is_direct: false })
    }

    /// The same for this process's standard output.
    pub(super) fn stdout(broken: CancellationToken) -> io::Result<Self> {
        let outlet = Self::open(io::stdout(), broken)?;
        Ok(Self { is_direct: is_direct(), ..outlet })
    }

    /// Writes a message and returns when it has left the process.
    pub(super) async fn send(
        &self,
        message: &ServerJsonRpcMessage,
        ticket: Option<Ticket>,
    ) -> io::Result<()> {
        match self.dispatch(encode(message)?, ticket)? {
            Some(written) => written.await.map_err(|_| broken()),
            None => Ok(()),
        }
    }

    /// Writes a line, or has it written: then gives what tells when that is done.
    fn dispatch(
        &self,
        mut line: Vec<u8>,
        ticket: Option<Ticket>,
    ) -> io::Result<Option<oneshot::Receiver<()>>> {
        let mut queued = self.queued.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_direct && *queued == 0 {
            let written = write_ready(&line);
            if written == line.len() {
                return Ok(None);
            }
            line.drain(..written);
        }
        let (written, wait) = oneshot::channel();
        self.queue.send(Parcel { line, ticket, written }).map_err(|_| broken())?;
        *queued += 1;
        Ok(Some(wait))
    }
}

/// Whether there can be told of standard output that a write would not have to wait.
#[cfg(unix)]
fn is_direct() -> bool {
    is_stream(rustix::stdio::stdout())
}

#[cfg(not(unix))]
fn is_direct() -> bool {
    false
}

/// Writes a line to standard output if that need not wait. Gives how much was written.
#[cfg(unix)]
fn write_ready(line: &[u8]) -> usize {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    if line.len() > AT_ONCE {
        return 0;
    }
    let stdout = rustix::stdio::stdout();
    let mut polled = [PollFd::from_borrowed_fd(stdout, PollFlags::OUT)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let is_ready = poll(&mut polled, Some(&at_once)).is_ok()
        && polled.iter().all(|it| it.revents() == PollFlags::OUT);
    // What goes wrong goes wrong for the thread too, and it knows what to do then.
    if is_ready { rustix::io::write(stdout, line).unwrap_or(0) } else { 0 }
}

#[cfg(not(unix))]
fn write_ready(_line: &[u8]) -> usize {
    0
}

/// A message as a line. What an error quotes of a request is made visible.
fn encode(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut line = match message {
        JsonRpcMessage::Error(error) => {
            let mut error = error.clone();
            error.error.message = text::line(&error.error.message, MOST_MESSAGE).into();
            serde_json::to_vec(&ServerJsonRpcMessage::Error(error))?
        }
        message => serde_json::to_vec(message)?,
    };
    escape_line_ends(&mut line);
    line.push(b'\n');
    Ok(line)
}

/// Escapes what some readers of lines take for the end of one. In JSON these characters stand in
/// strings only, where an escape is the same character.
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
    mut parcels: mpsc::UnboundedReceiver<Parcel>,
    queued: &Mutex<usize>,
) -> io::Result<()> {
    while let Some(first) = parcels.blocking_recv() {
        let mut lines = Vec::new();
        let mut sent = Vec::new();
        let mut next = Some(first);
        while let Some(Parcel { line, ticket, written }) = next {
            lines.extend(line);
            sent.push((ticket, written));
            next = if lines.len() < GATHERED { parcels.try_recv().ok() } else { None };
        }
        output.write_all(&lines)?;
        output.flush()?;
        *queued.lock().unwrap_or_else(PoisonError::into_inner) -= sent.len();
        for (ticket, written) in sent {
            drop(ticket);
            // A sender that was cancelled does not wait any more.
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
