//! The processes of the broker. The supervisor stands between the server and the worker: it carries
//! whole frames, so that neither end ever sees a part of one, starts the worker again when it dies,
//! and ends all processes when one of both ends is gone. The worker does everything else.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use pif_system::stdio;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStdin, Command};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, interval, sleep, timeout};

use super::protocol::{FromBroker, ToBroker, frame, receive_frame};
use super::reap::{self, AwaitedChild};
use super::worker::Worker;

/// How long the worker may take to end.
const PARTING: Duration = Duration::from_secs(4);

/// How long the supervisor waits before it starts a worker again: twice as long each time, unless it
/// has worked for a while.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
const WHILE: Duration = Duration::from_secs(30);

/// How often adopted processes that have ended are forgotten.
const TIDIED: Duration = Duration::from_secs(5);

/// The exit code of a worker that will not work with this server any longer.
const VIOLATED: i32 = 3;

/// What both processes are told.
#[derive(Debug, Clone)]
pub struct Task {
    /// The configuration.
    pub file: PathBuf,
    /// The directory in which approvals are kept.
    pub state: Option<PathBuf>,
    /// Whether a server asks, who approves nothing.
    pub serves: bool,
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Frames that come from a stream, read by a task of its own.
fn frames(mut from: impl AsyncRead + Unpin + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        loop {
            match receive_frame(&mut from).await {
                Ok(None) => return,
                Ok(Some(frame)) => {
                    if sender.send(frame).await.is_err() {
                        return;
                    }
                }
                Err(error) => return tracing::warn!(%error, "the broker's protocol"),
            }
        }
    });
    receiver
}

async fn pass(to: &mut (impl AsyncWrite + Unpin), body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    let mut frame = Vec::with_capacity(body.len() + 4);
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(body);
    to.write_all(&frame).await
}

/// The pipes to the process above.
fn pipes() -> io::Result<(pipe::Receiver, pipe::Sender)> {
    let (input, output) = stdio::pipes()?;
    Ok((pipe::Receiver::from_owned_fd(input)?, pipe::Sender::from_owned_fd(output)?))
}

/// The supervisor: returns when everything below it has ended.
pub fn supervise(task: &Task) -> io::Result<()> {
    reap::adopt();
    let result = runtime()?.block_on(carry(task));
    reap::end_descendants();
    result
}

/// How a worker ended.
enum End {
    /// The server is gone, or we are told to end.
    All,
    /// The worker has died.
    Worker,
}

async fn carry(task: &Task) -> io::Result<()> {
    let (input, mut to_server) = pipes()?;
    let mut from_server = frames(input);
    let mut pause = FIRST_PAUSE;
    let mut is_first = true;
    loop {
        let began = Instant::now();
        let end = serve_one(task, &mut from_server, &mut to_server, is_first).await?;
        is_first = false;
        match end {
            End::All => return Ok(()),
            End::Worker if began.elapsed() > WHILE => pause = FIRST_PAUSE,
            End::Worker => pause = (pause * 2).min(LONGEST_PAUSE),
        }
        reap::end_descendants();
        sleep(pause).await;
        let lost = frame(&FromBroker::Restarted {}).map_err(io::Error::other)?;
        to_server.write_all(&lost).await?;
    }
}

/// Works with one worker until it or the server has ended.
async fn serve_one(
    task: &Task,
    from_server: &mut mpsc::Receiver<Vec<u8>>,
    to_server: &mut pipe::Sender,
    is_first: bool,
) -> io::Result<End> {
    let (mut worker, mut to_worker, mut from_worker) = start_worker(task)?;
    let _known = worker.id().map(AwaitedChild::new);
    let mut terminated = signal(SignalKind::terminate())?;
    let mut tidied = interval(TIDIED);
    // What the server has sent to a worker that was lost is lost as well.
    let mut is_greeted = is_first;
    loop {
        tokio::select! {
            frame = from_server.recv() => {
                let Some(frame) = frame else { break };
                is_greeted = is_greeted || is_hello(&frame);
                // A worker that does not take it has ended, which is heard of below.
                if is_greeted {
                    let _ = pass(&mut to_worker, &frame).await;
                }
            }
            frame = from_worker.recv() => {
                let Some(frame) = frame else {
                    let status = worker.wait().await?;
                    if status.code() == Some(VIOLATED) {
                        // The worker has told why.
                        return Ok(End::All);
                    }
                    tracing::warn!(%status, "the broker's worker has ended");
                    return Ok(End::Worker);
                };
                if pass(to_server, &frame).await.is_err() {
                    break;
                }
            }
            _ = terminated.recv() => break,
            _ = tidied.tick() => reap::tidy(),
        }
    }
    drop(to_worker);
    let _ = timeout(PARTING, worker.wait()).await;
    Ok(End::All)
}

/// Whether a frame greets a worker.
fn is_hello(frame: &[u8]) -> bool {
    matches!(serde_json::from_slice(frame), Ok(ToBroker::Hello { .. }))
}

type StartResult = (Child, ChildStdin, mpsc::Receiver<Vec<u8>>);

fn start_worker(task: &Task) -> io::Result<StartResult> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["broker", "work", "--file"]).arg(&task.file);
    if let Some(state) = &task.state {
        command.arg("--state").arg(state);
    }
    if task.serves {
        command.arg("--serves");
    }
    let mut worker =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let taken = worker.stdin.take().zip(worker.stdout.take());
    let (input, output) = taken.ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((worker, input, frames(output)))
}

/// The worker: gives the exit code.
pub fn work(task: &Task) -> io::Result<i32> {
    reap::adopt();
    // Without another process of that name there is no other provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let code = runtime()?.block_on(serve(task));
    reap::end_descendants();
    code
}

async fn serve(task: &Task) -> io::Result<i32> {
    let (input, mut output) = pipes()?;
    let worker = match Worker::open(Path::new(&task.file), task.state.clone(), task.serves) {
        Ok(worker) => worker,
        Err(error) => {
            let refused = FromBroker::Refused { message: error.to_string() };
            output.write_all(&frame(&refused).map_err(io::Error::other)?).await?;
            // The server has the last word.
            drop(frames(input).recv().await);
            return Ok(VIOLATED);
        }
    };
    let mut terminated = signal(SignalKind::terminate())?;
    let tidying = async {
        let mut tidied = interval(TIDIED);
        loop {
            tidied.tick().await;
            reap::tidy();
        }
    };
    tokio::select! {
        served = worker.serve(input, output) => match served {
            Ok(()) => Ok(0),
            Err(error) => {
                tracing::error!(%error, "the server is not to be trusted any longer");
                Ok(VIOLATED)
            }
        },
        _ = terminated.recv() => Ok(0),
        () = tidying => Ok(0),
    }
}
