//! The pipes to a server: messages go in and come out as lines. Programs that measure use it as it is,
//! without a thread between; [`super::client`] adds what tests need.

use super::client::{initialize, request};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server and the pipes to it. It is killed when this is dropped.
#[derive(Debug)]
pub struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<Output>,
    last_id: u64,
}

/// The output of a server, for a thread that reads.
#[derive(Debug)]
pub struct Output(Lines<BufReader<ChildStdout>>);

impl Output {
    /// The next line without its end; None after the last.
    pub fn line(&mut self) -> Result<Option<String>> {
        Ok(self.0.next().transpose()?)
    }

    /// The next answer as a line; None after the last. Notifications before it are passed over.
    pub fn answer(&mut self) -> Result<Option<String>> {
        while let Some(line) = self.line()? {
            if line.contains(r#""id":"#) {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }
}

impl Pipe {
    /// Starts a server; no session is begun.
    pub fn open(server: &mut Command) -> Result<Self> {
        let server = server.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = server.spawn().context("the server does not start")?;
        let input = child.stdin.take();
        let output = child.stdout.take().map(|output| Output(BufReader::new(output).lines()));
        Ok(Self { child, input, output, last_id: 0 })
    }

    /// Starts a server and begins a session of the older protocol.
    pub fn start(server: &mut Command) -> Result<Self> {
        let mut pipe = Self::open(server)?;
        pipe.begin()?;
        Ok(pipe)
    }

    /// Begins a session of the older protocol, and gives the answer.
    pub fn begin(&mut self) -> Result<Value> {
        let answer = self.ask("initialize", &initialize())?;
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(answer)
    }

    /// The process.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The input, for a thread that writes while others read.
    pub fn take_input(&mut self) -> Result<ChildStdin> {
        self.input.take().context("the input was closed")
    }

    /// The output, for a thread that reads while others write.
    pub fn take_output(&mut self) -> Result<Output> {
        self.output.take().context("the output was closed")
    }

    /// Sends a message.
    pub fn write(&mut self, message: &Value) -> Result<()> {
        self.write_lines(format!("{message}\n"))
    }

    /// Sends whole lines at once.
    pub fn write_lines(&mut self, lines: impl AsRef<[u8]>) -> Result<()> {
        let input = self.input.as_mut().context("the input was closed")?;
        input
            .write_all(lines.as_ref())
            .and_then(|()| input.flush())
            .context("the server does not read")
    }

    /// A request under an id of its own, as a line.
    pub fn line(&mut self, method: &str, params: &Value) -> (u64, String) {
        self.last_id += 1;
        let id = self.last_id;
        (id, request(&id.into(), method, params) + "\n")
    }

    /// Sends a call of a tool; gives its id.
    pub fn send(&mut self, tool: &str, arguments: &Value) -> Result<u64> {
        let (id, line) = self.line("tools/call", &json!({"name": tool, "arguments": arguments}));
        self.write_lines(line)?;
        Ok(id)
    }

    /// The next answer as a line. Notifications before it are passed over.
    pub fn read(&mut self) -> Result<String> {
        let output = self.output.as_mut().context("the output was closed")?;
        output.answer()?.context("the server closed its output")
    }

    /// The next answer, which must be the one to this request.
    pub fn answer(&mut self, id: u64) -> Result<Value> {
        let message: Value = serde_json::from_str(&self.read()?)?;
        ensure!(message["id"] == id, "not the answer to {id}: {message}");
        ensure!(message["error"].is_null(), "{message}");
        Ok(message["result"].clone())
    }

    /// Sends a request and waits for its result.
    pub fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        let (id, line) = self.line(method, params);
        self.write_lines(line)?;
        self.answer(id)
    }

    /// Calls a tool and waits for its result.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let id = self.send(tool, arguments)?;
        self.answer(id)
    }

    /// The process's id.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends the input, and waits until the server has ended well.
    pub fn finish(mut self) -> Result<()> {
        drop(self.input.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "the server fails: {status}");
        Ok(())
    }

    /// Kills the server, which must not have ended by itself.
    pub fn kill(mut self) -> Result<()> {
        ensure!(self.child.try_wait()?.is_none(), "the server ended by itself");
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
