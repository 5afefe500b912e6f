//! A server under load over its pipes: evolves and runs, several on their way at once, each
//! with a number of its own, and a note of what was answered.

use crate::generate::Random;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
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
    child: Child,
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
        let mut child = spawn(command)?;
        let input = child.stdin.take().context("no input")?;
        let output = child.stdout.take().context("no output")?;
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
        Ok(Self { child, notes, stop, threads: vec![writer, reader] })
    }

    /// Kills the server at once.
    ///
    /// # Errors
    ///
    /// It had ended before, or answered what it must not.
    pub fn kill(mut self) -> Result<Notes> {
        ensure!(self.child.try_wait()?.is_none(), "the server ended by itself");
        self.child.kill()?;
        self.child.wait()?;
        self.finish()
    }

    /// Sends no more, and waits for all answers and for the end of the server.
    ///
    /// # Errors
    ///
    /// It fails, or leaves a call without an answer.
    pub fn end(mut self) -> Result<Notes> {
        self.stop.store(true, Ordering::Relaxed);
        let status = self.child.wait()?;
        let notes = self.finish()?;
        ensure!(status.success(), "the server fails: {status}");
        let open = notes.sent.keys().find(|number| !notes.done.contains_key(number));
        ensure!(open.is_none(), "call {open:?} was not answered");
        Ok(notes)
    }

    /// How many calls have been answered so far.
    #[must_use]
    pub fn answered(&self) -> usize {
        lock(&self.notes).done.len()
    }

    fn finish(&mut self) -> Result<Notes> {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.join().map_err(|_| anyhow::anyhow!("a thread died"))??;
        }
        let notes = std::mem::take(&mut *lock(&self.notes));
        if let Some(wrong) = &notes.wrong {
            bail!("an answer that must not be: {wrong}");
        }
        Ok(notes)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
    let mut child = spawn(command.stderr(Stdio::piped()))?;
    let mut input = child.stdin.take().context("no input")?;
    let hello = hello();
    let ask = json!({"jsonrpc": "2.0", "id": "info", "method": "tools/call",
        "params": {"name": "server_info", "arguments": {}}});
    // If it does not read this it has ended, and says why.
    let _ = writeln!(input, "{hello}\n{ask}").and_then(|()| input.flush());
    drop(input);
    let output = child.wait_with_output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {errors}", output.status);
    let lines = String::from_utf8(output.stdout)?;
    let last: Value = serde_json::from_str(lines.lines().last().context("no answer")?)?;
    let entries = last["result"]["structuredContent"]["journal"]["entries"].as_i64();
    entries.with_context(|| format!("{last}: {errors}"))
}

fn spawn(command: &mut Command) -> Result<Child> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn().context("the server does not start")
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params":
        {"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "load", "version": "1"}}})
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
    let mut message = hello();
    while writeln!(input, "{message}").and_then(|()| input.flush()).is_ok() {
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
        message = json!({"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": params(call, number)});
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
fn read(output: ChildStdout, answered: &Sender<()>, notes: &Mutex<Notes>) -> Result<()> {
    for line in BufReader::new(output).lines() {
        let line = line?;
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
