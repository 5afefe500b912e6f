//! The process of a server: in a group of its own, with nothing of our environment but what every
//! program needs and what is configured.

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pif_domain::text;
use pif_system::common_environment;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::super::config::{Isolation, Secrets, Template, fill};
use super::super::launch::Launch;
use super::super::reap::AwaitedChild;
use super::wall::SandboxedCommand;

/// Bytes that are kept of what a server writes to standard error: the last.
const MOST_ERRORS: usize = 8 << 10;

/// Lines of them that are told.
const MOST_WORDS: usize = 3;

/// How long a server may take to end after its input has, and then after it was told to.
const GRACE: Duration = Duration::from_millis(500);
const PARTING: Duration = Duration::from_secs(2);

/// How long to wait for the end of its standard error once it has ended: a process that it left
/// behind may hold it open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The last lines of standard error.
#[derive(Debug, Clone, Default)]
struct Errors(Arc<Mutex<VecDeque<u8>>>);

impl Errors {
    /// The last lines of words, on one line.
    fn last_words(&self) -> Option<String> {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<u8> = bytes.iter().copied().collect();
        let all = String::from_utf8_lossy(&all);
        let lines: Vec<&str> = all.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines.get(lines.len().saturating_sub(MOST_WORDS)..).unwrap_or_default();
        let told: Vec<String> = last.iter().map(|line| text::line(line, 300)).collect();
        (!told.is_empty()).then(|| told.join(" / "))
    }

    async fn collect(self, mut from: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 4 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(buffer.get(..count).unwrap_or_default());
            let excess = kept.len().saturating_sub(MOST_ERRORS);
            kept.drain(..excess);
        }
    }
}

/// How a process is started.
pub(super) struct Start<'a> {
    pub(super) command: &'a str,
    pub(super) args: &'a [String],
    pub(super) env: &'a [(String, Template)],
    pub(super) cwd: Option<&'a PathBuf>,
    pub(super) isolation: &'a Isolation,
}

/// A process that runs.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    _known: Option<AwaitedChild>,
    errors: Errors,
    collected: JoinHandle<()>,
}

impl Start<'_> {
    /// Starts the process.
    pub(super) fn start(
        &self,
        secrets: &Secrets,
    ) -> io::Result<(Process, ChildStdout, ChildStdin)> {
        let mut command = Command::new(env::current_exe()?);
        command.args(self.words()).env_clear().envs(common_environment());
        command.envs(self.env.iter().map(|(name, text)| (name, fill(text, secrets))));
        if let Some(cwd) = self.cwd {
            command.current_dir(cwd);
        }
        #[cfg(unix)]
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn()?;
        let taken = child.stdout.take().zip(child.stdin.take()).zip(child.stderr.take());
        let ((output, input), errors) = taken.ok_or(io::ErrorKind::BrokenPipe)?;
        let kept = Errors::default();
        let collected = tokio::spawn(kept.clone().collect(errors));
        let known = child.id().map(AwaitedChild::new);
        let process = Process { child, _known: known, errors: kept, collected };
        Ok((process, output, input))
    }

    /// The arguments of our own program, which makes the process what it has to be and then becomes it.
    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["broker".into(), "launch".into()];
        if let Isolation::Landlock { read, write } = self.isolation {
            words.push("--walled".into());
            let pairs =
                read.iter().map(|it| ("--read", it)).chain(write.iter().map(|it| ("--write", it)));
            words.extend(pairs.flat_map(|(flag, path)| [flag.into(), path.into()]));
        }
        words.push("--".into());
        let Self { command, env, isolation, .. } = *self;
        words.extend(SandboxedCommand { command, env, isolation }.words());
        words.extend(self.args.iter().map(Into::into));
        words
    }
}

impl Process {
    /// Whether the program was never started.
    pub(super) fn has_failed(&mut self) -> bool {
        let status = self.child.try_wait().ok().flatten();
        status.and_then(|it| it.code()) == Some(i32::from(Launch::FAILED))
    }

    /// The last lines that it wrote to standard error, on one line. Call it when it has ended.
    pub(super) async fn last_words(&mut self) -> Option<String> {
        let _ = timeout(LAST_WORDS, &mut self.collected).await;
        self.errors.last_words()
    }

    /// Ends the process and all in its group: its input has ended, then it is told, then killed.
    pub(super) async fn end(&mut self) {
        let Some(id) = self.child.id() else { return };
        if timeout(GRACE, self.child.wait()).await.is_err() {
            signal_group(id, Signal::Term);
            let _ = timeout(PARTING, self.child.wait()).await;
        }
        // Others of its group may be there when it has gone.
        signal_group(id, Signal::Kill);
        let _ = timeout(PARTING, self.child.wait()).await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(id) = self.child.id() {
            signal_group(id, Signal::Kill);
        }
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Term,
    Kill,
}

#[cfg(unix)]
fn signal_group(id: u32, signal: Signal) {
    use rustix::process::{Pid, Signal as Number, kill_process_group};
    let number = match signal {
        Signal::Term => Number::TERM,
        Signal::Kill => Number::KILL,
    };
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // It may be gone already.
        let _ = kill_process_group(group, number);
    }
}

#[cfg(not(unix))]
fn signal_group(_id: u32, _signal: Signal) {}
