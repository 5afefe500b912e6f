//! The server's end: it asks for sessions. It works in a sealed process, which receives sockets and
//! makes none.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Socket;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex as Lock, PoisonError};
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::error::{Error, Kind};
use super::passing::{Answer, Answers};
use super::target::Target;

/// How much longer than a session an answer may take.
const GRACE: Duration = Duration::from_secs(1);

/// Asks a process that has started before this one was sealed.
#[derive(Debug)]
pub(super) struct Relay {
    /// The end of the pair, until somebody asks within a runtime.
    socket: Lock<Option<Socket>>,
    asking: Mutex<Option<Conversation>>,
    deadline: Duration,
}

/// The conversation. One asks at a time.
#[derive(Debug)]
struct Conversation {
    stream: UnixStream,
    answers: Answers,
    latest: u64,
}

impl Relay {
    /// Starts the process that relays sessions. It connects when it is asked.
    pub(super) fn start(program: &Path, target: &Target) -> io::Result<Self> {
        let (socket, other) = Socket::pair()?;
        let mut command = Command::new(program);
        command.args(target.words());
        // It must not hold what a client waits for the end of.
        command.stdin(Stdio::from(OwnedFd::from(other))).stdout(Stdio::null());
        command.spawn()?;
        Ok(Self {
            socket: Lock::new(Some(socket)),
            asking: Mutex::new(None),
            deadline: target.deadline,
        })
    }

    /// A session. Its client logs in by no password, and whatever name.
    pub(super) async fn connect(&self) -> Result<UnixStream, Error> {
        let ended = |reason: &io::Error| {
            let message = format!(
                "the process that relays sessions with the database has ended ({reason}): restart \
                 the server"
            );
            Error::new(Kind::Ended, message)
        };
        let mut asking = self.asking.lock().await;
        if asking.is_none() {
            let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner).take();
            let socket = socket.ok_or(io::ErrorKind::BrokenPipe.into());
            *asking = Some(socket.and_then(Conversation::new).map_err(|error| ended(&error))?);
        }
        let Some(asking) = asking.as_mut() else {
            return Err(ended(&io::ErrorKind::BrokenPipe.into()));
        };
        match timeout(self.deadline.saturating_add(GRACE), asking.ask()).await {
            Ok(Ok(answered)) => answered,
            Ok(Err(error)) => Err(ended(&error)),
            Err(_) => {
                let message = "the process that relays sessions with the database does not answer";
                Err(Error::new(Kind::Unreachable, message))
            }
        }
    }
}

impl Conversation {
    fn new(socket: Socket) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        let stream = UnixStream::from_std(socket)?;
        Ok(Self { stream, answers: Answers::new(), latest: 0 })
    }

    async fn ask(&mut self) -> io::Result<Result<UnixStream, Error>> {
        self.latest += 1;
        self.request().await?;
        loop {
            let answer = self.answers.next(&self.stream).await?;
            let (id, answer, socket) = answer.ok_or(io::ErrorKind::UnexpectedEof)?;
            // Nobody waits for earlier answers any more.
            if id != self.latest {
                continue;
            }
            return Ok(match (answer, socket) {
                (Answer::Failed(error), _) => Err(error),
                (Answer::Open {}, Some(socket)) => {
                    let socket = Socket::from(socket);
                    socket.set_nonblocking(true)?;
                    Ok(UnixStream::from_std(socket)?)
                }
                (Answer::Open {}, None) => return Err(io::ErrorKind::InvalidData.into()),
            });
        }
    }

    /// Writes the number in one piece, so that who gives up leaves no part of it.
    async fn request(&self) -> io::Result<()> {
        let number = self.latest.to_be_bytes();
        loop {
            self.stream.writable().await?;
            match self.stream.try_write(&number) {
                Ok(written) if written == number.len() => return Ok(()),
                Ok(_) => return Err(io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}
