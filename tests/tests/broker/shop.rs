//! What the tests share: a configuration with scripted servers, and the command line on it.

use super::client::command;
use super::folder::Folder;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A configuration in a folder of its own.
pub(super) struct Shop {
    pub(super) folder: Folder,
    variables: Vec<(String, String)>,
    unset: Vec<String>,
}

/// What a command has said.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) ok: bool,
    pub(super) output: String,
    pub(super) errors: String,
}

impl Shop {
    pub(super) fn new(config: &Value) -> Result<Self> {
        let shop = Self { folder: Folder::new()?, variables: Vec::new(), unset: Vec::new() };
        shop.write(config)?;
        Ok(shop)
    }

    /// A shop with one server that offers these tools, all of which are granted.
    pub(super) fn of(tools: &Value) -> Result<Self> {
        Self::new(&json!({"mcpServers": {"s": server(&json!({"tools": tools}))}}))
    }

    pub(super) fn write(&self, config: &Value) -> Result<()> {
        let file = self.file("capabilities.json");
        fs::write(&file, config.to_string())?;
        Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o600))?)
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Takes a variable away that commands have otherwise.
    pub(super) fn unset(&mut self, name: &str) {
        self.unset.push(name.to_owned());
    }

    /// The real binary with this configuration.
    pub(super) fn command(&self, words: &[&str]) -> Result<Command> {
        let mut command = command(&self.folder)?;
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("MCP_PIF_CAPABILITIES", self.file("capabilities.json"));
        command.env("MCP_PIF_DATA", self.file("data"));
        for name in &self.unset {
            command.env_remove(name);
        }
        command.args(words);
        Ok(command)
    }

    pub(super) fn say(&self, words: &[&str]) -> Result<Said> {
        let Output { status, stdout, stderr } = self.command(words)?.output()?;
        Ok(Said {
            ok: status.success(),
            output: String::from_utf8_lossy(&stdout).trim().to_owned(),
            errors: String::from_utf8_lossy(&stderr).trim().to_owned(),
        })
    }

    /// Calls a tool that has to have a value.
    pub(super) fn value(&self, tool: &str, arguments: &str) -> Result<String> {
        let said = self.say(&["capability", "call", tool, arguments])?;
        ensure!(said.ok, "{tool}: {said:?}");
        Ok(said.output)
    }

    /// Calls a tool that has no value, and gives what is said.
    pub(super) fn complaint(&self, tool: &str, arguments: &str) -> Result<String> {
        let said = self.say(&["capability", "call", tool, arguments])?;
        ensure!(!said.ok, "{tool}: {said:?}");
        let mut lines = said.errors.lines().skip_while(|line| !line.starts_with("mcp-pif: "));
        let first = lines.next().and_then(|line| line.strip_prefix("mcp-pif: "));
        // The log goes to the same stream. A hint is indented.
        let hints = lines.take_while(|line| line.starts_with("  "));
        let told: Vec<&str> = first.into_iter().chain(hints).collect();
        ensure!(!told.is_empty(), "{said:?}");
        Ok(told.join("\n"))
    }
}

/// A server that behaves as a script says, all of whose tools are granted.
pub(super) fn server(script: &Value) -> Value {
    json!({"command": env!("CARGO_BIN_EXE_upstream"), "args": [script.to_string()], "grants": "allow"})
}

/// A server that has more to say in the configuration.
pub(super) fn server_with(script: &Value, more: &Value) -> Value {
    let mut server = server(script);
    for (name, value) in more.as_object().into_iter().flatten() {
        server[name] = value.clone();
    }
    server
}

/// Waits until something is so.
pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) -> Result<()> {
    let start = Instant::now();
    while !is_so() {
        ensure!(start.elapsed() < Duration::from_secs(20), "it never came about that {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// A server that runs on a configuration.
pub(super) struct Running {
    pub(super) child: Child,
    lines: BufReader<ChildStdout>,
}

impl Running {
    pub(super) fn start(shop: &Shop, words: &[&str]) -> Result<Self> {
        let mut command = shop.command(words)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        Self::of(command.spawn()?)
    }

    /// Begins a session with a server that has been started.
    pub(super) fn of(mut child: Child) -> Result<Self> {
        let lines = BufReader::new(child.stdout.take().context("no output")?);
        let mut running = Self { child, lines };
        let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        running.ask("initialize", &begin)?;
        Ok(running)
    }

    /// Ends the input, and waits for the end of the server.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait()?;
        ensure!(status.success(), "{status}");
        Ok(())
    }

    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.send(method, params)?;
        self.receive()
    }

    /// Sends a request. Somebody else waits for the answer.
    pub(super) fn send(&mut self, method: &str, params: &Value) -> Result<()> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let input = self.child.stdin.as_mut().context("no input")?;
        writeln!(input, "{request}")?;
        Ok(())
    }

    /// Sends a notification.
    pub(super) fn notify(&mut self, method: &str, params: &Value) -> Result<()> {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        let input = self.child.stdin.as_mut().context("no input")?;
        writeln!(input, "{message}")?;
        Ok(())
    }

    /// The next message.
    pub(super) fn receive(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.lines.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let mut answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        // Changes of lists are told before the answer.
        while answer["method"].is_string() && answer["id"].is_null() {
            answer = self.receive()?;
        }
        Ok(answer["result"]["structuredContent"].clone())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
