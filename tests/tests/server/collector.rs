//! A collector that takes OTLP over HTTP, or that is slow, broken or rude.

use anyhow::{Context, Result};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// An answer that takes everything.
pub(super) const TAKEN: &str = "200 OK\r\ncontent-length: 2\r\n\r\n{}";

/// What a collector does with a request.
#[derive(Clone, Copy)]
pub(super) enum Does {
    /// It answers with these in turn, and then with the last: each from the status on.
    Answers(&'static [&'static str]),
    /// It closes the connection.
    Closes,
}

/// A request that came.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// The first line and the headers, as they were sent.
    pub(super) head: String,
    pub(super) body: String,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    requests: Mutex<Vec<Request>>,
}

/// A collector that listens until the test ends.
pub(super) struct Collector {
    pub(super) address: String,
    seen: Arc<Seen>,
}

impl Collector {
    pub(super) fn start(does: Does) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}/v1/traces", listener.local_addr()?);
        let seen = Arc::<Seen>::default();
        let own = Arc::clone(&seen);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                own.connections.fetch_add(1, Ordering::SeqCst);
                let own = Arc::clone(&own);
                thread::spawn(move || serve(&connection, does, &own));
            }
        });
        Ok(Self { address, seen })
    }

    /// A collector that takes everything.
    pub(super) fn new() -> Result<Self> {
        Self::start(Does::Answers(&[TAKEN]))
    }

    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.seen.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All calls that were sent until now, each with its spans.
    pub(super) fn calls(&self) -> Result<Vec<Vec<Value>>> {
        let mut calls = Vec::new();
        for request in self.requests() {
            let body: Value = serde_json::from_str(&request.body)?;
            for call in body["resourceSpans"].as_array().context("a request of OTLP")? {
                let spans = call["scopeSpans"][0]["spans"].as_array().context("spans")?;
                calls.push(spans.clone());
            }
        }
        Ok(calls)
    }
}

/// Serves one connection after another request, until somebody ends it.
fn serve(connection: &TcpStream, does: Does, seen: &Seen) -> Option<()> {
    let mut reader = BufReader::new(connection);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(told) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = told.trim().parse().ok()?;
            }
            head.push_str(&line);
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = String::new();
        reader.by_ref().take(length).read_to_string(&mut body).ok()?;
        let index = {
            let mut requests = seen.requests.lock().unwrap_or_else(PoisonError::into_inner);
            requests.push(Request { head, body });
            requests.len() - 1
        };
        match does {
            Does::Answers(answers) => {
                let answer = answers.get(index).or(answers.last())?;
                let mut writer = connection;
                writer.write_all(format!("HTTP/1.1 {answer}").as_bytes()).ok()?;
            }
            Does::Closes => return None,
        }
    }
}
