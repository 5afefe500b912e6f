//! Standard output: a thread that writes whole lines, and nothing else in the process does.

use std::io::{self, Write};
use std::thread;

use rmcp::model::ServerJsonRpcMessage;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::window::Ticket;

/// Bytes gathered before they are written although more are waiting.
const GATHERED: usize = 64 << 10;

/// The way out for messages. Its queue has no bound of its own: everything in it holds a place
/// of the window, or is a notification whose sender waits until it is written.
#[derive(Debug, Clone)]
pub(super) struct Outlet {
    queue: mpsc::UnboundedSender<Parcel>,
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
        thread::Builder::new().name("stdout".to_owned()).spawn(move || {
            // Whatever ends the writing, nobody is left to be told by way of stdout.
            let _ended = broken.drop_guard();
            if let Err(error) = write_all(output, parcels) {
                tracing::info!(%error, "the client does not read any more");
            }
        })?;
        Ok(Self { queue })
    }

    /// Writes a message and returns when it has left the process.
    pub(super) async fn send(
        &self,
        message: &ServerJsonRpcMessage,
        ticket: Option<Ticket>,
    ) -> io::Result<()> {
        let (written, wait) = oneshot::channel();
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.queue.send(Parcel { line, ticket, written }).map_err(|_| broken())?;
        wait.await.map_err(|_| broken())
    }
}

fn broken() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

fn write_all(
    mut output: impl Write,
    mut parcels: mpsc::UnboundedReceiver<Parcel>,
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
        for (ticket, written) in sent {
            drop(ticket);
            // A sender that was cancelled does not wait any more.
            let _ = written.send(());
        }
    }
    Ok(())
}
