//! A server, and one call at a time.

use anyhow::{Result, ensure};
use pif_tests::server::folder::cache;
use pif_tests::server::memory;
use pif_tests::server::pipe::Pipe;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

pub(crate) struct Server(Pipe);

impl Server {
    /// Starts a server and waits until it has begun a session.
    pub(crate) fn start(binary: &Path, arguments: &[&str]) -> Result<Self> {
        let mut command = Command::new(binary);
        command.env_clear().env("MCP_PIF_CACHE", cache()).args(arguments);
        Ok(Self(Pipe::start(&mut command)?))
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

    /// KiB of memory at the highest point; 0 where the system does not tell.
    pub(crate) fn peak_memory(&self) -> Result<u64> {
        memory::peak(self.0.process())
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
        let (id, line) = self.0.line(method, params);
        let start = Instant::now();
        self.0.write_lines(&line)?;
        let answer = self.0.read()?;
        let time = start.elapsed();
        ensure!(answer.contains(&format!(r#""id":{id}"#)), "not the answer to {id}: {answer}");
        Ok((answer, time))
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
                lines.push_str(&self.0.line("tools/call", &params).1);
            }
            self.0.write_lines(&lines)?;
            let answer = self.0.read()?;
            ensure!(answer.contains(r#""isError":false"#), "{tool} {arguments}: {answer}");
        }
        Ok(start.elapsed())
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.0.finish()
    }
}
