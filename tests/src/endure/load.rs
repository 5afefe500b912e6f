//! A server under load over its pipes: evolves and runs, several on their way at once, each
//! with a number of its own, and a note of what was answered.

use crate::generate::Random;
use crate::server::client::{Client, Ending, initialize, request};
use crate::server::pipe::{Output, Pipe};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{ChildStdin, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Calls on their way at most.
const WINDOW: usize = 12;

/// Tools that are changed again and again.
const TOOLS: usize = 24;

/// A call, told by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Makes or changes the tool of this number.
    Evolve(usize),
    /// Runs a term.
    Run,
    /// Runs the tool of this number, or finds that there is none.
    Use(usize),
}

/// The name of a tool.
#[must_use]
pub fn name(tool: usize) -> String {
    format!("tool_{tool}")
}

/// The term that a call with this number makes or runs, as the server keeps it.
#[must_use]
pub fn canonical(call: Call, number: u64) -> String {
    match call {
        Call::Evolve(_) => {
            format!(r#"{{"body":{{"add":[{{"var":"x"}},{number}]}},"lam":"x"}}"#)
        }
        Call::Run | Call::Use(_) => format!(r#"{{"add":[{number},1]}}"#),
    }
}

/// Calls that were sent, and what is known of them.
#[derive(Debug, Default)]
pub struct Notes {
    /// All that was sent.
    pub sent: BTreeMap<u64, Call>,
    /// What was acknowledged: of an evolve its revision, else an empty text.
    pub done: BTreeMap<u64, String>,
    /// The first answer that is none of those that may come.
    wrong: Option<String>,
}

/// A server under load.
#[derive(Debug)]
pub struct Server {
    pipe: Pipe,
    notes: Arc<Mutex<Notes>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Result<()>>>,
}

impl Server {
    /// Starts a server and goes on sending calls, whose numbers begin with this one.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub fn start(command: &mut Command, first: u64, seed: u64) -> Result<Self> {
        let mut pipe = Pipe::open(command)?;
        let (input, output) = (pipe.take_input()?, pipe.take_output()?);
        let (notes, stop) = (Arc::<Mutex<Notes>>::default(), Arc::<AtomicBool>::default());
        let (answered, answers) = channel();
        let writer = {
            let (notes, stop) = (Arc::clone(&notes), Arc::clone(&stop));
            thread::spawn(move || {
                write(input, &answers, &notes, &stop, Calls { number: first, seed });
                Ok(())
            })
        };
        let reader = {
            let notes = Arc::clone(&notes);
            thread::spawn(move || read(output, &answered, &notes))
        };
        Ok(Self { pipe, notes, stop, threads: vec![writer, reader] })
    }

    /// Kills the server at once.
    ///
    /// # Errors
    ///
    /// It had ended before, or answered what it must not.
    pub fn kill(self) -> Result<Notes> {
        self.pipe.kill()?;
        finish(&self.notes, &self.stop, self.threads)
    }

    /// Sends no more, and waits for all answers and for the end of the server.
    ///
    /// # Errors
    ///
    /// It fails, or leaves a call without an answer.
    pub fn end(self) -> Result<Notes> {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.pipe.finish();
        let notes = finish(&self.notes, &self.stop, self.threads)?;
        ended?;
        let open = notes.sent.keys().find(|number| !notes.done.contains_key(number));
        ensure!(open.is_none(), "call {open:?} was not answered");
        Ok(notes)
    }

    /// How many calls have been answered so far.
    #[must_use]
    pub fn answered(&self) -> usize {
        lock(&self.notes).done.len()
    }
}

/// What is known when nothing is sent or answered any more.
fn finish(
    notes: &Mutex<Notes>,
    stop: &AtomicBool,
    threads: Vec<JoinHandle<Result<()>>>,
) -> Result<Notes> {
    stop.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().map_err(|_| anyhow::anyhow!("a thread died"))??;
    }
    let notes = std::mem::take(&mut *lock(notes));
    if let Some(wrong) = &notes.wrong {
        bail!("an answer that must not be: {wrong}");
    }
    Ok(notes)
}

/// The command that serves a data directory.
#[must_use]
pub fn command(binary: &Path, cache: &Path, data: &Path) -> Command {
    let mut command = Command::new(binary);
    command.env_clear().env("MCP_PIF_CACHE", cache).arg("--data").arg(data);
    command
}

/// Starts a server once and ends it: how many entries its journal has, and what it said on
/// standard error.
///
/// # Errors
///
/// It does not start, or fails.
pub fn visit(command: &mut Command) -> Result<i64> {
    let mut client = Client::of(command)?;
    let info = client.initialize().and_then(|_| client.call("server_info", &json!({})));
    let Ending { status, errors, .. } = client.finish()?;
    ensure!(status.success(), "{status}: {errors}");
    let info = info.with_context(|| errors.clone())?;
    let entries = info["structuredContent"]["journal"]["entries"].as_i64();
    entries.with_context(|| format!("{info}: {errors}"))
}

fn lock(notes: &Mutex<Notes>) -> std::sync::MutexGuard<'_, Notes> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is sent.
struct Calls {
    number: u64,
    seed: u64,
}

/// Sends calls until it is told to stop or nobody reads any more.
fn write(
    mut input: ChildStdin,
    answers: &Receiver<()>,
    notes: &Mutex<Notes>,
    stop: &AtomicBool,
    Calls { mut number, seed }: Calls,
) {
    let mut random = Random::new(seed);
    let mut under_way = 1;
    let mut line = request(&json!("hello"), "initialize", &initialize());
    while writeln!(input, "{line}").is_ok() {
        while under_way >= WINDOW {
            if answers.recv().is_err() {
                return;
            }
            under_way -= 1;
        }
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let call = match random.below(8) {
            0 => Call::Evolve(random.below(TOOLS)),
            1..5 => Call::Run,
            _ => Call::Use(random.below(TOOLS)),
        };
        lock(notes).sent.insert(number, call);
        line = request(&json!(number), "tools/call", &params(call, number));
        (number, under_way) = (number + 1, under_way + 1);
    }
}

fn params(call: Call, number: u64) -> Value {
    let body = json!({"add": [{"var": "x"}, number]});
    match call {
        Call::Evolve(tool) => json!({"name": "evolve", "arguments": {"name": name(tool),
            "description": "Adds", "code": {"lam": "x", "body": body}}}),
        Call::Run => json!({"name": "run", "arguments": {"code": {"add": [number, 1]}}}),
        Call::Use(tool) => {
            json!({"name": "run", "arguments": {"tool": name(tool), "data": number}})
        }
    }
}

/// Takes answers until the server is gone.
fn read(mut output: Output, answered: &Sender<()>, notes: &Mutex<Notes>) -> Result<()> {
    while let Some(line) = output.line()? {
        // A server that was killed may have left half a line.
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if message.get("method").is_some() {
            continue;
        }
        if let Some(number) = message["id"].as_u64() {
            let mut notes = lock(notes);
            let call = *notes.sent.get(&number).context("an answer nobody asked for")?;
            match judge(call, number, &message) {
                Some(revision) => drop(notes.done.insert(number, revision)),
                None => notes.wrong = notes.wrong.take().or(Some(line)),
            }
        }
        // The writer may have ended.
        let _ = answered.send(());
    }
    Ok(())
}

/// What was acknowledged; None if that may not be answered.
fn judge(call: Call, number: u64, message: &Value) -> Option<String> {
    let content = &message["result"]["structuredContent"];
    match call {
        Call::Evolve(_) => content["revision"].as_str().map(str::to_owned),
        Call::Run => (content["value"] == number + 1).then(String::new),
        // Nobody may have made it yet: that is a refusal, and no run.
        Call::Use(_) => {
            let is_right = content["value"].is_u64() || content["code"] == "unknown-tool";
            is_right.then(String::new)
        }
    }
}
