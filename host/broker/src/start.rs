//! How the server gets its broker: it starts one before it seals itself. Secrets that the
//! environment holds are the broker's alone: to lose them, the server becomes itself once more
//! without them, and takes over the pipes.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use pif_system::variable;
use rustix::io::{FdFlags, fcntl_setfd};

use super::order::Outstanding;
use super::protocol::{FromBroker, Greeting, PROTOCOL, ToBroker, frame, read_frame};

/// Where the server's broker comes from.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The pipes of a broker that runs already.
    pub pipes: Option<Pipes>,
    /// The file that names the servers whose tools programs may call.
    pub file: Option<PathBuf>,
    /// Where the broker keeps approvals: beside the store.
    pub state: Option<PathBuf>,
}

/// The numbers of open pipes: from the broker, and to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pipes {
    /// What the broker says.
    pub from: u32,
    /// What the broker hears.
    pub to: u32,
}

/// The server's ends of the pipes, and what the broker has said.
#[derive(Debug)]
pub struct Link {
    pub(super) from: OwnedFd,
    pub(super) to: OwnedFd,
    /// What the broker said first.
    pub greeting: Greeting,
}

impl Link {
    /// The broker of this origin; None: there is nothing to call. `once` says whether this process
    /// keeps its environment: else it may become itself once more.
    pub fn open(origin: &Origin, once: bool) -> Result<Option<Self>> {
        if let Some(pipes) = origin.pipes {
            return Ok(Some(Self::greet(adopt(pipes)?)?));
        }
        let Some(file) = &origin.file else { return Ok(None) };
        let link = Self::greet(start(file, origin.state.as_deref(), !once)?)?;
        let variables = &link.greeting.variables;
        if !once && variables.iter().any(|name| variable(name).is_some()) {
            return Err(link.become_again().into());
        }
        Ok(Some(link))
    }

    fn greet((from, to): (OwnedFd, OwnedFd)) -> Result<Self> {
        let (mut from, mut to) = (File::from(from), File::from(to));
        to.write_all(&frame(&ToBroker::Hello { protocol: PROTOCOL })?)?;
        let first = read_frame(&mut from).context("the broker cannot be read")?;
        let first = first.context("the broker has ended before it said anything")?;
        match Outstanding::default().accept(&first)? {
            FromBroker::Hello(greeting) => Ok(Self { from: from.into(), to: to.into(), greeting }),
            FromBroker::Refused { message } => bail!("{message}"),
            _ => bail!("the broker does not begin with a hello"),
        }
    }

    /// Starts this program again in this process, without secrets and with the pipes.
    fn become_again(self) -> io::Error {
        let kept = [&self.from, &self.to].map(|pipe| fcntl_setfd(pipe, FdFlags::empty()));
        if let Some(Err(error)) = kept.into_iter().find(Result::is_err) {
            return error.into();
        }
        let again = |program| {
            let mut command = Command::new(program);
            self.greeting.variables.iter().for_each(|name| {
                command.env_remove(name);
            });
            let mut words = env::args_os();
            command.arg0(words.next().unwrap_or_else(|| OsString::from("mcp-pif")));
            let pipes = format!("{},{}", self.from.as_raw_fd(), self.to.as_raw_fd());
            command.arg("--broker").arg(pipes).args(words).exec()
        };
        env::current_exe().map_or_else(|error| error, again)
    }
}

/// Starts a broker with one end of two pipes.
fn start(file: &Path, state: Option<&Path>, serves: bool) -> Result<(OwnedFd, OwnedFd)> {
    let (heard, to) = io::pipe()?;
    let (from, told) = io::pipe()?;
    let mut command = Command::new(env::current_exe()?);
    command.args(["broker", "supervise", "--file"]).arg(file);
    if let Some(state) = state {
        command.arg("--state").arg(state);
    }
    if serves {
        command.arg("--serves");
    }
    let started = command.stdin(Stdio::from(heard)).stdout(Stdio::from(told)).spawn();
    started.context("the broker cannot be started")?;
    Ok((from.into(), to.into()))
}

/// The pipes that this process has had in its former life.
fn adopt(Pipes { from, to }: Pipes) -> Result<(OwnedFd, OwnedFd)> {
    let open = |number: u32, writing: bool| -> io::Result<OwnedFd> {
        let name = format!("/dev/fd/{number}");
        let file = File::options().read(!writing).write(writing).open(name)?;
        Ok(file.into())
    };
    let pipes = open(from, false).and_then(|from| Ok((from, open(to, true)?)));
    pipes.context("the pipes of the broker cannot be taken over: is /proc there?")
}
