//! A server over HTTP, and a client that knows heads, bodies and JSON: what a test sends is what the
//! server gets, byte for byte.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::client;
pub use super::connection::{Connection, Head, Reply};
use super::folder::Folder;

/// When a test that waits gives up. No test expects anything of time itself.
const DEADLINE: Duration = Duration::from_mins(1);

/// The principals of tests: a name and its scopes.
pub const PEOPLE: [(&str, &str); 5] = [
    ("reader", "read"),
    ("runner", "run"),
    ("other", "read,run"),
    ("maker", "evolve"),
    ("boss", "admin"),
];

/// The token of a principal.
#[must_use]
pub fn token(name: &str) -> String {
    format!("{name}-{}", "x".repeat(40))
}

/// The line of a file of tokens.
#[must_use]
pub fn token_line(name: &str, scopes: &str) -> String {
    format!("{name} {scopes} {}\n", digest(&token(name)))
}

/// What stands for a token in a file of tokens.
#[must_use]
pub fn digest(token: &str) -> String {
    Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A server over HTTP.
#[derive(Debug)]
pub struct Web {
    child: Child,
    /// Its address.
    pub address: String,
    log: Arc<Mutex<String>>,
    folder: Folder,
}

impl Web {
    /// Starts a server that the user of this machine reaches.
    pub fn start(arguments: &[&str]) -> Result<Self> {
        Self::start_in(Folder::new()?, arguments)
    }

    /// Starts a server with tokens for all [`PEOPLE`].
    pub fn with_tokens(arguments: &[&str]) -> Result<Self> {
        let folder = Folder::new()?;
        let lines: String = PEOPLE.iter().map(|(name, scopes)| token_line(name, scopes)).collect();
        let file = folder.path().join("tokens");
        fs::write(&file, lines)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
        let file = file.to_str().context("a path")?.to_owned();
        Self::start_in(folder, &[&["--tokens", &file], arguments].concat())
    }

    /// Starts a server with its store in a folder.
    pub fn start_in(folder: Folder, arguments: &[&str]) -> Result<Self> {
        let mut command = client::command(&folder)?;
        command.args(["serve", "--http", "127.0.0.1:0", "--data"]).arg(folder.path().join("data"));
        Self::of(command.args(arguments), folder)
    }

    /// Starts the server of a command, and waits until it is ready.
    pub fn of(command: &mut Command, folder: Folder) -> Result<Self> {
        let web = Self::begin(command, folder)?;
        web.wait_for("ready", || Ok(web.get("/ready", "")?.status == 200))?;
        Ok(web)
    }

    /// Starts the server of a command. It may speak TLS, or listen at a socket.
    pub fn begin(command: &mut Command, folder: Folder) -> Result<Self> {
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut errors = BufReader::new(child.stderr.take().context("no standard error")?);
        let log = Arc::<Mutex<String>>::default();
        let mut first = String::new();
        errors.read_line(&mut first)?;
        let written = Arc::clone(&log);
        thread::spawn(move || {
            let mut line = String::new();
            while errors.read_line(&mut line).is_ok_and(|length| length > 0) {
                written.lock().unwrap_or_else(PoisonError::into_inner).push_str(&line);
                line.clear();
            }
        });
        let Some((_, place)) = first.trim().split_once(" serves at ") else {
            thread::sleep(Duration::from_millis(100));
            let rest = log.lock().unwrap_or_else(PoisonError::into_inner).clone();
            bail!("the server does not start: {first}{rest}");
        };
        let address = place.split_once("://").map_or(place, |(_, place)| place);
        let address = address.trim_end_matches("/mcp").to_owned();
        Ok(Self { child, address, log, folder })
    }

    /// What the server has written to standard error.
    #[must_use]
    pub fn log(&self) -> String {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The folder with its data and its tokens.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The file of tokens.
    #[must_use]
    pub fn tokens(&self) -> PathBuf {
        self.folder.path().join("tokens")
    }

    /// The id of its process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits until something holds.
    pub fn wait_for(&self, what: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
        let start = Instant::now();
        while !holds()? {
            ensure!(start.elapsed() < DEADLINE, "{what} in vain: {}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Opens a connection.
    pub fn connect(&self) -> Result<Connection> {
        Connection::open(&self.address, DEADLINE)
    }

    /// Gets a page.
    pub fn get(&self, path: &str, headers: &str) -> Result<Reply> {
        self.connect()?.send("GET", path, headers, "")
    }

    /// Posts a message to `/mcp` with headers, each with its line end.
    pub fn post(&self, headers: &str, body: &str) -> Result<Reply> {
        self.connect()?.post(headers, body)
    }

    /// Sends a request of the stateless protocol, with the token of a principal or none.
    pub fn modern(&self, name: &str, method: &str, params: Value) -> Result<Value> {
        let body = client::modern(&json!(1), method, params.clone())?;
        let headers = modern_headers(name, method, &params);
        let reply = self.post(&headers, &body)?;
        ensure!(reply.status == 200, "{method}: {} {}", reply.status, reply.text());
        reply.answer()
    }

    /// Calls a tool in the stateless protocol. Gives the result.
    pub fn call(&self, name: &str, tool: &str, arguments: &Value) -> Result<Value> {
        let params = json!({"name": tool, "arguments": arguments});
        client::result(&self.modern(name, "tools/call", params)?)
    }

    /// Begins a session of the older protocol.
    pub fn session(&self, name: &str) -> Result<Session<'_>> {
        let body = client::request(&json!(0), "initialize", &client::initialize());
        let authorization = authorization(name);
        let reply = self.post(&authorization, &body)?;
        ensure!(reply.status == 200, "initialize: {} {}", reply.status, reply.text());
        let id = reply.headers.get("mcp-session-id").context("no session")?.clone();
        let headers =
            format!("{authorization}mcp-session-id: {id}\r\nmcp-protocol-version: 2025-11-25\r\n");
        let session = Session { web: self, id, headers };
        let body = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        ensure!(session.post(&body)?.status == 202, "initialized");
        Ok(session)
    }

    /// Sends a signal.
    pub fn signal(&self, signal: &str) -> Result<()> {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status()?;
        ensure!(status.success(), "kill {signal}");
        Ok(())
    }

    /// Waits for the end of the server.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            ensure!(start.elapsed() < DEADLINE, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills the server, and gives its folder for another one.
    pub fn kill(mut self) -> Result<Folder> {
        self.child.kill()?;
        self.child.wait()?;
        let empty = Folder::new()?;
        Ok(std::mem::replace(&mut self.folder, empty))
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The header with the token of a principal; nothing without a name.
#[must_use]
pub fn authorization(name: &str) -> String {
    if name.is_empty() {
        return String::new();
    }
    format!("authorization: Bearer {}\r\n", token(name))
}

/// The headers of a request of the stateless protocol.
#[must_use]
pub fn modern_headers(name: &str, method: &str, params: &Value) -> String {
    let subject = params["name"].as_str().or(params["uri"].as_str());
    let subject = subject.map_or_else(String::new, |name| format!("mcp-name: {name}\r\n"));
    format!(
        "{}mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{subject}",
        authorization(name)
    )
}

/// A session of the older protocol.
#[derive(Debug)]
pub struct Session<'a> {
    web: &'a Web,
    /// Its id.
    pub id: String,
    /// The headers of its requests.
    pub headers: String,
}

impl Session<'_> {
    /// Posts a message.
    pub fn post(&self, body: &str) -> Result<Reply> {
        self.web.post(&self.headers, body)
    }

    /// Sends a request. Gives the answer.
    pub fn request(&self, id: u64, method: &str, params: &Value) -> Result<Value> {
        self.post(&client::request(&json!(id), method, params))?.answer()
    }

    /// Calls a tool. Gives the result.
    pub fn call(&self, id: u64, tool: &str, arguments: &Value) -> Result<Value> {
        let params = json!({"name": tool, "arguments": arguments});
        client::result(&self.request(id, "tools/call", &params)?)
    }
}
