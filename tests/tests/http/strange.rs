//! Servers that a test makes up: each answers as a function says, and remembers what it was asked.

use anyhow::Result;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// An answer of HTTP.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    head: String,
    body: String,
}

impl Answer {
    pub(crate) fn new(status: u16, kind: &str, body: &str) -> Self {
        let head = format!("HTTP/1.1 {status} Strange\r\nContent-Type: {kind}\r\n");
        Self { head, body: body.to_owned() }
    }

    /// With another header.
    pub(crate) fn with(mut self, header: &str) -> Self {
        self.head = format!("{}{header}\r\n", self.head);
        self
    }
}

/// A request that came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The method of JSON-RPC, or that of HTTP without a body.
    pub(crate) name: String,
    pub(crate) body: String,
}

/// A server. It ends with the process of the test.
#[derive(Debug)]
pub(crate) struct Strange {
    address: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Strange {
    /// Starts a server. The function gets the method, the head and the body of a request.
    pub(crate) fn start(
        answer: impl Fn(&str, &str, &Value) -> Answer + Send + Sync + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let seen = Arc::<Mutex<Vec<Request>>>::default();
        let (answer, noted) = (Arc::new(answer), Arc::clone(&seen));
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (answer, noted) = (Arc::clone(&answer), Arc::clone(&noted));
                thread::spawn(move || {
                    let mut reader = BufReader::new(connection);
                    // Whoever asked may be gone.
                    while serve(&mut reader, &*answer, &noted).is_some() {}
                });
            }
        });
        Ok(Self { address, seen })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The requests that came.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Answers the next request of a connection.
fn serve(
    reader: &mut BufReader<TcpStream>,
    answer: &dyn Fn(&str, &str, &Value) -> Answer,
    seen: &Mutex<Vec<Request>>,
) -> Option<()> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(told) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = told.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).ok()?;
    let method = head.split(' ').next()?.to_owned();
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let name = message["method"].as_str().unwrap_or(&method).to_owned();
    let Answer { head, body } = {
        let answer = answer(&method, &head, &message);
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(Request { name, body });
        answer
    };
    let length = body.len();
    let answer = format!("{head}Content-Length: {length}\r\n\r\n{body}");
    reader.get_mut().write_all(answer.as_bytes()).ok()
}
