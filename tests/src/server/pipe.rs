//! A client for programs that measure: one request at a time over the pipes of a server, without a
//! thread between. Tests use [`super::client`], which waits no longer than it has to.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server and the pipes to it. It is killed when this is dropped.
#[derive(Debug)]
pub struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Pipe {
    /// Starts a server and begins a session of the older protocol.
    pub fn start(server: &mut Command) -> Result<Self> {
        let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output = BufReader::new(output.context("no output")?);
        let mut pipe = Self { child, input, output, last_id: 0 };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "pipe", "version": "1"}});
        let id = pipe.request("initialize", &params)?;
        pipe.answer(id)?;
        pipe.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(pipe)
    }

    /// Sends a message.
    pub fn write(&mut self, message: &Value) -> Result<()> {
        self.write_lines(&format!("{message}\n"))
    }

    /// Sends whole lines at once.
    pub fn write_lines(&mut self, lines: &str) -> Result<()> {
        let input = self.input.as_mut().context("the input was closed")?;
        input.write_all(lines.as_bytes()).context("the server is gone")
    }

    /// A request under an id of its own, as a line.
    pub fn line(&mut self, method: &str, params: &Value) -> (u64, String) {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        (id, format!("{request}\n"))
    }

    /// Sends a request; gives its id.
    pub fn request(&mut self, method: &str, params: &Value) -> Result<u64> {
        let (id, line) = self.line(method, params);
        self.write_lines(&line)?;
        Ok(id)
    }

    /// Sends a call of a tool; gives its id.
    pub fn send(&mut self, tool: &str, arguments: &Value) -> Result<u64> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The next answer as a line. Notifications before it are passed over.
    pub fn read(&mut self) -> Result<String> {
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.output.read_line(&mut line)? > 0, "the server closed its output");
            if line.contains(r#""id":"#) {
                return Ok(line);
            }
        }
    }

    /// The next answer, which must be the one to this request.
    pub fn answer(&mut self, id: u64) -> Result<Value> {
        let message: Value = serde_json::from_str(&self.read()?)?;
        ensure!(message["id"] == id, "not the answer to {id}: {message}");
        ensure!(message["error"].is_null(), "{message}");
        Ok(message["result"].clone())
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
        ensure!(self.child.wait()?.success(), "the server fails");
        Ok(())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // Its runs need not end by themselves.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
