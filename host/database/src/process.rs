//! The processes that relay sessions. The supervisor starts the one that works again when it dies. Both
//! end when the server is gone, and not by signals: a server that is told to end still answers calls.

use std::env;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream as Socket;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pif_system::die_with_parent;
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::error::{Error, Kind};
use super::gateway::Gateway;
use super::passing::{Answer, send};
use super::target::Target;

/// Sessions at the same time.
const MOST: usize = 64;

/// How long the supervisor waits before it starts the process again: twice as long each time, unless
/// that has worked for a while.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const WHILE: Duration = Duration::from_secs(30);

/// How long sessions may take to end when the server is gone.
const PARTING: Duration = Duration::from_secs(4);

/// The supervisor: returns when the server is gone.
pub fn supervise(target: &Target) -> io::Result<()> {
    Builder::new_current_thread().enable_all().build()?.block_on(async {
        let _deaf = deaf()?;
        let mut pause = FIRST_PAUSE;
        loop {
            let began = Instant::now();
            let status = run(target).await?;
            if status.success() {
                return Ok(());
            }
            tracing::warn!(%status, "the process that relays sessions with the database has ended");
            let is_long = began.elapsed() > WHILE;
            pause = if is_long { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
            sleep(pause).await;
        }
    })
}

async fn run(target: &Target) -> io::Result<ExitStatus> {
    let mut command = Command::new(env::current_exe()?);
    command
        .args(target.words())
        .arg("--work")
        .stdin(Stdio::inherit())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    command.spawn()?.wait().await
}

/// Has this process pay no attention to signals that are meant for the server.
fn deaf() -> io::Result<Vec<Signal>> {
    [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
        .into_iter()
        .map(signal)
        .collect()
}

/// The process that works: opens sessions as it is asked, until nobody can ask any more.
pub fn work(target: Target) -> io::Result<()> {
    die_with_parent();
    let socket = Socket::from(io::stdin().as_fd().try_clone_to_owned()?);
    socket.set_nonblocking(true)?;
    Builder::new_current_thread().enable_all().build()?.block_on(async {
        let _deaf = deaf()?;
        serve(UnixStream::from_std(socket)?, target).await
    })
}

async fn serve(control: UnixStream, target: Target) -> io::Result<()> {
    let control = Arc::new(control);
    let gateway = Arc::new(Gateway::new(target));
    let places = Arc::new(Semaphore::new(MOST));
    let mut sessions = JoinSet::new();
    while let Some(id) = request(&control).await? {
        let (gateway, places, control) =
            (Arc::clone(&gateway), Arc::clone(&places), Arc::clone(&control));
        sessions.spawn(async move {
            if let Err(error) = answer(id, &gateway, &places, &control).await {
                tracing::debug!(%error, "a session has ended");
            }
        });
        while sessions.try_join_next().is_some() {}
    }
    let _ = timeout(PARTING, async { while sessions.join_next().await.is_some() {} }).await;
    Ok(())
}

/// Opens a session, hands it over and relays it.
async fn answer(
    id: u64,
    gateway: &Gateway,
    places: &Semaphore,
    control: &UnixStream,
) -> io::Result<()> {
    let Ok(_place) = places.try_acquire() else {
        let full = Error::new(Kind::Full, format!("there are {MOST} sessions already"));
        return send(control, id, &Answer::Failed(full), None).await;
    };
    let session = match gateway.open().await {
        Ok(session) => session,
        Err(error) => return send(control, id, &Answer::Failed(error), None).await,
    };
    let (near, far) = UnixStream::pair()?;
    send(control, id, &Answer::Open {}, Some(near.as_fd())).await?;
    drop(near);
    session.relay(far).await
}

/// The next number that the server sends; None at the end.
async fn request(from: &UnixStream) -> io::Result<Option<u64>> {
    let (mut number, mut have) = ([0; 8], 0);
    while let Some(rest) = number.get_mut(have..).filter(|rest| !rest.is_empty()) {
        from.readable().await?;
        match from.try_read(rest) {
            Ok(0) => return Ok(None),
            Ok(read) => have += read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(u64::from_be_bytes(number)))
}
