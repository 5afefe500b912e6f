//! A client's end of a connection of HTTP: it writes what it is given, and reads heads, chunks and
//! events.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// What the client accepts, and what it sends.
const TYPES: &str =
    "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";

/// A connection.
#[derive(Debug)]
pub struct Connection {
    reader: BufReader<TcpStream>,
    host: String,
    patience: Duration,
}

impl Connection {
    /// Opens a connection to an address. A read or a write gives up after `patience`.
    pub fn open(address: &str, patience: Duration) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(Self { reader: BufReader::new(stream), host: address.to_owned(), patience })
    }

    /// Writes bytes as they are.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.reader.get_mut().write_all(bytes)?)
    }

    /// The socket.
    #[must_use]
    pub fn stream(&self) -> &TcpStream {
        self.reader.get_ref()
    }

    /// Sends a request with a body and reads the reply.
    pub fn send(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Result<Reply> {
        self.begin(method, path, headers, body)?;
        self.reply()
    }

    /// Sends a request and reads nothing.
    pub fn begin(&mut self, method: &str, path: &str, headers: &str, body: &str) -> Result<()> {
        let host = if format!("\n{}", headers.to_lowercase()).contains("\nhost:") {
            String::new()
        } else {
            format!("host: {}\r\n", self.host)
        };
        let length = body.len();
        self.write(
            format!(
                "{method} {path} HTTP/1.1\r\n{host}{headers}content-length: {length}\r\n\r\n{body}"
            )
            .as_bytes(),
        )
    }

    /// Posts a message to `/mcp`.
    pub fn post(&mut self, headers: &str, body: &str) -> Result<Reply> {
        self.send("POST", "/mcp", &format!("{TYPES}{headers}"), body)
    }

    /// Opens a stream of events.
    pub fn listen(&mut self, headers: &str) -> Result<Head> {
        self.begin("GET", "/mcp", &format!("accept: text/event-stream\r\n{headers}"), "")?;
        self.head()
    }

    /// Reads the head of a reply.
    pub fn head(&mut self) -> Result<Head> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.with_context(|| format!("no reply of HTTP: {first:?}"))?;
        let mut headers = HashMap::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok(Head { status, headers });
            }
            let (name, value) = line.split_once(':').context("a header")?;
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }

    /// Reads a reply to its end.
    pub fn reply(&mut self) -> Result<Reply> {
        let Head { status, headers } = self.head()?;
        let mut body = Vec::new();
        if let Some(length) = headers.get("content-length") {
            body.resize(length.parse()?, 0);
            self.reader.read_exact(&mut body)?;
        } else if headers.get("transfer-encoding").is_some_and(|it| it == "chunked") {
            while let Some(chunk) = self.chunk()? {
                body.extend(chunk);
            }
        }
        Ok(Reply { status, headers, body })
    }

    /// Reads a chunk of a reply; None at the end.
    pub fn chunk(&mut self) -> Result<Option<Vec<u8>>> {
        let line = self.line()?;
        let length = usize::from_str_radix(&line, 16).with_context(|| format!("{line:?}"))?;
        let mut chunk = vec![0; length];
        self.reader.read_exact(&mut chunk)?;
        self.line()?;
        Ok((length > 0).then_some(chunk))
    }

    /// Reads the next message of a stream of events. Comments that keep the stream alive do not
    /// prolong the wait.
    pub fn event(&mut self) -> Result<Value> {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < self.patience, "the stream goes on, and tells nothing");
            let chunk = self.chunk()?.context("the stream has ended")?;
            let text = String::from_utf8(chunk)?;
            if let Some(message) = messages(&text)?.into_iter().next() {
                return Ok(message);
            }
        }
    }

    /// Whether the server has closed the connection; it waits for that.
    pub fn is_closed(&mut self) -> bool {
        let mut byte = [0; 1];
        matches!(self.reader.read(&mut byte), Ok(0))
            || self
                .reader
                .read(&mut byte)
                .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.reader.read_line(&mut line)? > 0, "the connection is closed");
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// The head of a reply.
#[derive(Debug)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// The headers, in lowercase.
    pub headers: HashMap<String, String>,
}

/// A reply.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers, in lowercase.
    pub headers: HashMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The messages in the body.
    pub fn messages(&self) -> Result<Vec<Value>> {
        match self.headers.get("content-type").map(String::as_str) {
            Some("application/json") => Ok(vec![serde_json::from_slice(&self.body)?]),
            Some("text/event-stream") => messages(&self.text()),
            other => bail!("{other:?}: {}", self.text()),
        }
    }

    /// The answer in the body: its last message.
    pub fn answer(&self) -> Result<Value> {
        self.messages()?.pop().context("no message")
    }

    /// The text of the answer in the body, as it was sent.
    pub fn raw_answer(&self) -> Result<String> {
        let text = self.text();
        let is_json = self.headers.get("content-type").is_some_and(|it| it == "application/json");
        if is_json {
            return Ok(text.trim().to_owned());
        }
        let lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let last = lines.map(str::trim).rfind(|data| !data.is_empty());
        last.map(str::to_owned).context("no message")
    }

    /// Expects a JSON-RPC error with a status and an id. Gives its message.
    pub fn refusal(&self, status: u16, id: &Value) -> Result<String> {
        let text = self.text();
        ensure!(self.status == status, "{} instead of {status}: {text}", self.status);
        let answer = self.answer()?;
        ensure!(answer["jsonrpc"] == "2.0" && answer["error"]["code"].is_i64(), "{text}");
        ensure!(answer.get("id").unwrap_or(&Value::Null) == id, "another id: {text}");
        Ok(answer["error"]["message"].as_str().context("a message")?.to_owned())
    }
}

fn messages(events: &str) -> Result<Vec<Value>> {
    let data = events.lines().filter_map(|line| line.strip_prefix("data:"));
    let data = data.map(str::trim).filter(|data| !data.is_empty());
    data.map(|data| serde_json::from_str(data).context("an event that is no JSON")).collect()
}
