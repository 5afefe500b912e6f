//! A collector that takes OTLP over HTTP, or that is slow, broken or rude.

use anyhow::{Context, Result};
use pif_tests::server::endpoint;
use serde_json::Value;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
        let seen = Arc::<Seen>::default();
        let own = Arc::clone(&seen);
        let address = endpoint::listen(move |connection| {
            own.connections.fetch_add(1, Ordering::SeqCst);
            serve(connection, does, &own);
        })?;
        Ok(Self { address: format!("http://{address}/v1/traces"), seen })
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

/// Answers one request of a connection after another.
fn serve(connection: &TcpStream, does: Does, seen: &Seen) {
    endpoint::exchange(connection, |request| {
        let body = String::from_utf8(request.body).ok()?;
        let mut requests = seen.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.push(Request { head: request.head, body });
        let index = requests.len() - 1;
        match does {
            Does::Answers(answers) => {
                let answer = answers.get(index).or(answers.last())?;
                Some(format!("HTTP/1.1 {answer}").into_bytes())
            }
            Does::Closes => None,
        }
    });
}
