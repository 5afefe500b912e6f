//! A server, and one call at a time.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Server {
    /// Starts a server and waits until it has begun a session.
    pub(crate) fn start(binary: &Path, cache: &Path, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(binary);
        command.env_clear().env("MCP_PIF_CACHE", cache).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("the server does not start")?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let mut server = Self { child, input, output, last_id: 0 };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "state", "version": "1"}});
        server.request("initialize", &params)?;
        Ok(server)
    }

    /// The time until the answer to a call, which must succeed.
    pub(crate) fn time(&mut self, tool: &str, arguments: &Value) -> Result<Duration> {
        let (answer, time) = self.call(tool, arguments)?;
        ensure!(!answer.contains(r#""isError":true"#), "{tool} {arguments}: {answer}");
        Ok(time)
    }

    /// The same of a call that must give this value.
    pub(crate) fn value(
        &mut self,
        tool: &str,
        arguments: &Value,
        value: &Value,
    ) -> Result<Duration> {
        let (answer, time) = self.call(tool, arguments)?;
        let told: Value = serde_json::from_str(&answer)?;
        ensure!(told["result"]["structuredContent"]["value"] == *value, "{tool}: {answer}");
        Ok(time)
    }

    /// Bytes of memory at the highest point, where the system tells.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    }

    /// The same of a call that must be refused.
    pub(crate) fn fail(&mut self, tool: &str, arguments: &Value) -> Result<Duration> {
        let (answer, time) = self.call(tool, arguments)?;
        ensure!(answer.contains(r#""isError":true"#), "{tool} {arguments}: {answer}");
        Ok(time)
    }

    pub(crate) fn evolve(&mut self, name: &str, code: &Value) -> Result<Duration> {
        let description = format!("Adds, as {name} does");
        self.time("evolve", &json!({"name": name, "description": description, "code": code}))
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<(String, Duration)> {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The time until the answer to a request, which must be no error.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Duration> {
        let (answer, time) = self.send(method, params)?;
        ensure!(answer.contains(r#""result":"#), "{method} {params}: {answer}");
        Ok(time)
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<(String, Duration)> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let line = format!("{request}\n");
        let start = Instant::now();
        self.input.write_all(line.as_bytes())?;
        let (id, mut answer) = (format!(r#""id":{id}"#), String::new());
        // Notifications may come in between.
        while !answer.contains(&id) {
            answer.clear();
            ensure!(self.output.read_line(&mut answer)? > 0, "the server closed its output");
        }
        Ok((answer, start.elapsed()))
    }

    /// The time of so many calls that must succeed, of which some are under way at once.
    pub(crate) fn many(
        &mut self,
        tool: &str,
        arguments: &Value,
        calls: usize,
        at_once: usize,
    ) -> Result<Duration> {
        let params = json!({"name": tool, "arguments": arguments});
        let mut sent = 0;
        let start = Instant::now();
        for answered in 0..calls {
            let mut lines = String::new();
            while sent < calls.min(answered + at_once) {
                sent += 1;
                self.last_id += 1;
                let id = self.last_id;
                let request =
                    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
                lines.push_str(&request.to_string());
                lines.push('\n');
            }
            self.input.write_all(lines.as_bytes())?;
            let mut answer = String::new();
            ensure!(self.output.read_line(&mut answer)? > 0, "the server closed its output");
            ensure!(answer.contains(r#""isError":false"#), "{tool} {arguments}: {answer}");
        }
        Ok(start.elapsed())
    }

    pub(crate) fn finish(self) -> Result<()> {
        let Self { mut child, input, .. } = self;
        drop(input);
        ensure!(child.wait()?.success(), "the server fails");
        Ok(())
    }
}
