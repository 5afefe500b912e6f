//! A client that knows lines and JSON and nothing of the protocol: what a test sends is what the
//! server gets, byte for byte.

use std::io::Read;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use pif_domain::{BuiltIn, Toolset};
use serde_json::{Value, json};

use super::binary;
use super::folder::{Folder, cache};
use super::memory;
use super::pipe::Pipe;

/// The tools that are there by default, in the order in which they are listed.
#[must_use]
pub fn built_in() -> Vec<&'static str> {
    let others = Toolset::OTHERS;
    let offered = BuiltIn::ALL.iter().filter(|tool| !others.contains(&tool.set()));
    offered.map(|tool| tool.name()).collect()
}

/// When a test that waits gives up. No test expects anything of time itself.
const DEADLINE: Duration = Duration::from_mins(1);

/// What a request of the stateless protocol says of its client.
const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The command that starts the server, with an environment that holds nothing of ours.
pub fn command(folder: &Folder) -> Result<Command> {
    let mut command = Command::new(binary::path()?);
    command.env_clear().env("HOME", folder.path()).env("MCP_PIF_CACHE", cache());
    Ok(command)
}

/// A server under test, and the pipes to it.
#[derive(Debug)]
pub struct Client {
    pipe: Pipe,
    /// Begins when the first line is read: before that the server's output waits in its pipe.
    lines: Option<Receiver<String>>,
    errors: Option<JoinHandle<String>>,
    /// Messages that were passed over while another one was waited for.
    seen: Vec<Value>,
    last_id: u64,
    _home: Option<Folder>,
}

impl Client {
    /// Starts a server; no session is begun.
    pub fn start(arguments: &[&str]) -> Result<Self> {
        Self::start_in(&[], arguments)
    }

    /// Starts a server with variables in its environment.
    pub fn start_in(variables: &[(&str, &str)], arguments: &[&str]) -> Result<Self> {
        let home = Folder::new()?;
        let mut command = command(&home)?;
        Self::spawn(command.args(arguments).envs(variables.iter().copied()), Some(home))
    }

    /// Starts the server of a command; no session is begun.
    pub fn of(command: &mut Command) -> Result<Self> {
        Self::spawn(command, None)
    }

    fn spawn(command: &mut Command, home: Option<Folder>) -> Result<Self> {
        let mut pipe = Pipe::open(command.stderr(Stdio::piped()))?;
        let errors = pipe.child().stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut text = Vec::new();
                // What was read until then is still worth showing.
                let _ = stderr.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        Ok(Self { pipe, lines: None, errors, seen: Vec::new(), last_id: 0, _home: home })
    }

    /// Starts a server and a session of the older protocol.
    pub fn legacy() -> Result<Self> {
        Self::legacy_with(&[])
    }

    /// The same with flags.
    pub fn legacy_with(arguments: &[&str]) -> Result<Self> {
        let mut client = Self::start(arguments)?;
        client.initialize()?;
        Ok(client)
    }

    /// Begins a session of the older protocol, and gives the answer.
    pub fn initialize(&mut self) -> Result<Value> {
        let answer = self.request("initialize", &initialize())?;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(answer)
    }

    /// Sends a line.
    pub fn send(&mut self, line: impl AsRef<[u8]>) -> Result<()> {
        let mut line = line.as_ref().to_vec();
        line.push(b'\n');
        self.send_raw(&line)
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.pipe.write_lines(bytes)
    }

    /// The input, for a thread that writes while others read.
    pub fn take_input(&mut self) -> Result<ChildStdin> {
        self.pipe.take_input()
    }

    /// The next message, whatever it is.
    pub fn next_message(&mut self) -> Result<Value> {
        self.receive()?.context("the server closed its output")
    }

    fn receive(&mut self) -> Result<Option<Value>> {
        self.receive_line()?.map(|line| message(&line)).transpose()
    }

    /// The next line as it was written.
    pub fn next_line(&mut self) -> Result<String> {
        self.receive_line()?.context("the server closed its output")
    }

    fn receive_line(&mut self) -> Result<Option<String>> {
        if self.lines.is_none() {
            let mut output = self.pipe.take_output()?;
            let (sender, lines) = channel();
            thread::spawn(move || {
                let lines = std::iter::from_fn(|| output.line().ok().flatten());
                lines.into_iter().try_for_each(|line| sender.send(line))
            });
            self.lines = Some(lines);
        }
        let lines = self.lines.as_ref().context("the output was closed")?;
        match lines.recv_timeout(DEADLINE) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => bail!("no message in {DEADLINE:?}"),
        }
    }

    /// The next message that fits; the ones before it are kept.
    pub fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        if let Some(index) = self.seen.iter().position(&fits) {
            return Ok(self.seen.remove(index));
        }
        loop {
            let message = self.next_message().with_context(|| format!("seen: {:?}", self.seen))?;
            if fits(&message) {
                return Ok(message);
            }
            self.seen.push(message);
        }
    }

    /// A message that was passed over before and fits.
    pub fn try_find(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let index = self.seen.iter().position(fits)?;
        Some(self.seen.remove(index))
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: &Value) -> Result<Value> {
        self.find(|message| message.get("id") == Some(id))
    }

    /// The next notification of this method.
    pub fn notification(&mut self, method: &str) -> Result<Value> {
        self.find(|message| message["method"] == method)
    }

    /// An id that was not used before.
    pub fn id(&mut self) -> Value {
        self.last_id += 1;
        json!(format!("request {}", self.last_id))
    }

    /// Sends a request of the older protocol and gives its result.
    pub fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.id();
        self.send(request(&id, method, params))?;
        result(&self.answer(&id)?)
    }

    /// Sends a request that is refused, and gives the error.
    pub fn error(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.id();
        self.send(request(&id, method, params))?;
        let answer = self.answer(&id)?;
        ensure!(answer["error"].is_object(), "it is not refused: {answer}");
        Ok(answer["error"].clone())
    }

    /// The same in the stateless protocol.
    pub fn modern(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.id();
        self.send(modern(&id, method, params)?)?;
        result(&self.answer(&id)?)
    }

    /// Calls a tool and gives its result.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool with arguments as text, and gives the whole answer as text.
    pub fn call_text(&mut self, tool: &str, arguments: &str) -> Result<Value> {
        let id = self.id();
        self.send(call(&id, tool, arguments))?;
        result(&self.answer(&id)?)
    }

    /// Calls a tool that has to succeed, and gives the text of its result.
    pub fn text(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let result = self.call(tool, arguments)?;
        ensure!(result["isError"] == false, "{tool} {arguments} fails: {result}");
        Ok(text(&result)?.to_owned())
    }

    /// Calls a tool that has to be refused, and gives its structured fault.
    pub fn fault(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let result = self.call(tool, arguments)?;
        ensure!(result["isError"] == true, "{tool} {arguments} succeeds: {result}");
        Ok(result["structuredContent"].clone())
    }

    /// Makes a tool.
    pub fn evolve(&mut self, name: &str, description: &str, code: &Value) -> Result<String> {
        self.text("evolve", &json!({"name": name, "description": description, "code": code}))
    }

    /// Waits until everything sent before has been looked at.
    pub fn ping(&mut self) -> Result<()> {
        self.request("ping", &json!({})).map(drop)
    }

    /// Closes both pipes, as the end of the client's process does. Nothing may have been read.
    pub fn vanish(&mut self) {
        drop((self.pipe.take_input(), self.pipe.take_output()));
    }

    /// The process's id.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.pipe.process()
    }

    /// The most memory that the process had in use, in KiB; 0 where the system does not tell.
    pub fn peak_memory(&self) -> Result<u64> {
        memory::peak(self.process())
    }

    /// Ends the input and waits for the server to end: how it ended, what it still said on
    /// standard output, and all it wrote to standard error.
    pub fn finish(mut self) -> Result<Ending> {
        drop(self.pipe.take_input());
        let mut rest = std::mem::take(&mut self.seen);
        while let Some(message) = self.receive()? {
            rest.push(message);
        }
        let status = self.wait()?;
        let errors = self.errors.take().context("standard error was read before")?;
        let errors = errors.join().map_err(|_| anyhow::anyhow!("standard error is unreadable"))?;
        Ok(Ending { status, rest, errors })
    }

    /// Waits for the server to end by itself.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        let start = Instant::now();
        while start.elapsed() < DEADLINE {
            if let Some(status) = self.pipe.child().try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        bail!("the server does not end")
    }
}

/// How a server ended.
#[derive(Debug)]
pub struct Ending {
    /// Its exit code, or the signal.
    pub status: ExitStatus,
    /// Messages that no one waited for.
    pub rest: Vec<Value>,
    /// What it wrote to standard error.
    pub errors: String,
}

/// A line of standard output, which holds nothing but messages.
fn message(line: &str) -> Result<Value> {
    let message: Value = serde_json::from_str(line)
        .with_context(|| format!("no JSON on standard output: {line}"))?;
    let is_message = message["jsonrpc"] == "2.0"
        && ["result", "error", "method"].iter().filter(|part| message.get(part).is_some()).count()
            == 1;
    ensure!(is_message, "no message of JSON-RPC on standard output: {line}");
    Ok(message)
}

/// The result of an answer that has to have one.
pub fn result(answer: &Value) -> Result<Value> {
    ensure!(answer.get("error").is_none(), "an error: {answer}");
    Ok(answer["result"].clone())
}

/// The parameters of `initialize`.
#[must_use]
pub fn initialize() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    })
}

/// A request.
#[must_use]
pub fn request(id: &Value, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// A request of the stateless protocol.
pub fn modern(id: &Value, method: &str, mut params: Value) -> Result<String> {
    params["_meta"] = serde_json::from_str(META)?;
    Ok(request(id, method, &params))
}

/// A call whose arguments are text.
#[must_use]
pub fn call(id: &Value, tool: &str, arguments: &str) -> String {
    let tool = Value::from(tool);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{tool},"arguments":{arguments}}}}}"#
    )
}

/// The text of a tool's result.
pub fn text(result: &Value) -> Result<&str> {
    result["content"][0]["text"].as_str().with_context(|| format!("no text: {result}"))
}
