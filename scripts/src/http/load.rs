//! Clients that send a request again and again, each as soon as its answer has come.

use anyhow::{Context, Result, ensure};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A request, and where it is sent.
pub(super) struct Sent {
    address: String,
    bytes: Vec<u8>,
}

impl Sent {
    /// A request with further headers and a body.
    pub(super) fn new(address: &str, (headers, body): &(String, String)) -> Self {
        let length = body.len();
        let text = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
        );
        Self { address: address.to_owned(), bytes: text.into_bytes() }
    }
}

/// How long requests took.
#[derive(Default)]
pub(super) struct Loaded {
    times: Vec<Duration>,
    elapsed: Duration,
}

impl Loaded {
    pub(super) fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.elapsed += other.elapsed;
    }

    /// Requests a second.
    #[expect(clippy::cast_precision_loss, reason = "it is shown without digits")]
    pub(super) fn rate(&self) -> f64 {
        self.times.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The time within which so many of a hundred requests were answered, in milliseconds.
    pub(super) fn percentile(&mut self, percent: usize) -> f64 {
        self.times.sort_unstable();
        let index = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        self.times.get(index).copied().unwrap_or_default().as_secs_f64() * 1_000.0
    }
}

/// Sends requests on so many connections for some time.
pub(super) fn drive(sent: &Sent, connections: usize, time: Duration) -> Result<Loaded> {
    let start = Instant::now();
    let goes_on = || start.elapsed() < time;
    let times = at_once(sent, connections, &goes_on)?;
    Ok(Loaded { times, elapsed: start.elapsed() })
}

/// Sends so many requests on so many connections. Gives their number.
pub(super) fn send(sent: &Sent, connections: usize, requests: u64) -> Result<u64> {
    let left = AtomicU64::new(requests);
    let take = |n: u64| n.checked_sub(1);
    let goes_on = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
    Ok(u64::try_from(at_once(sent, connections, &goes_on)?.len())?)
}

fn at_once(
    sent: &Sent,
    connections: usize,
    goes_on: &(impl Fn() -> bool + Sync),
) -> Result<Vec<Duration>> {
    thread::scope(|scope| {
        let clients: Vec<_> =
            (0..connections).map(|_| scope.spawn(|| client(sent, goes_on))).collect();
        let mut times = Vec::new();
        for client in clients {
            let done = client.join().map_err(|_| anyhow::anyhow!("a client panicked"))?;
            times.extend(done?);
        }
        Ok(times)
    })
}

fn client(sent: &Sent, goes_on: &impl Fn() -> bool) -> Result<Vec<Duration>> {
    let stream = TcpStream::connect(&sent.address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut stream = BufReader::new(stream);
    let mut times = Vec::new();
    let mut line = String::new();
    let mut body = Vec::new();
    while goes_on() {
        let start = Instant::now();
        stream.get_mut().write_all(&sent.bytes)?;
        answer(&mut stream, &mut line, &mut body)?;
        times.push(start.elapsed());
    }
    Ok(times)
}

/// Reads an answer, which has to be one of 200 with a length.
fn answer(stream: &mut BufReader<TcpStream>, line: &mut String, body: &mut Vec<u8>) -> Result<()> {
    let mut length = None;
    let mut is_first = true;
    loop {
        line.clear();
        ensure!(stream.read_line(line)? > 0, "the connection is closed");
        if is_first {
            ensure!(line.contains(" 200 "), "{line}");
            is_first = false;
        }
        let header = line.trim_end();
        if header.is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = Some(value.trim().parse::<usize>()?);
        }
    }
    body.resize(length.context("an answer without a length")?, 0);
    stream.read_exact(body)?;
    Ok(())
}
