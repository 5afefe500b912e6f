//! Measures the server over HTTP: requests a second and their times at several numbers of connections,
//! beside an echo on the same HTTP library and beside a server of the Python SDK, in turns; and the memory of the
//! server while it answers very many requests.

mod echo;
mod load;

use anyhow::{Context, Result, ensure};
use pif_tests::sdk::environment;
use pif_tests::server::folder::{Folder, cache};
use pif_tests::server::web::{Web, modern_headers};
use pif_tests::server::{binary, client, memory};
use serde_json::{Value, json};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use self::load::{Loaded, Sent};

/// Numbers of connections.
const CONNECTIONS: [usize; 3] = [1, 16, 256];

/// Points of the curve of memory.
const POINTS: u64 = 10;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Seconds for each measure
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// How often each server has its turn
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Send so many requests instead, and watch the memory of the server
    #[arg(long)]
    soak: Option<u64>,
    /// Measure the debug build, to try this chore
    #[arg(long)]
    debug: bool,
}

/// Measures.
pub(crate) fn run(options: &Options) -> Result<()> {
    let binary = match options.debug {
        true => binary::path()?.to_owned(),
        false => binary::for_release()?,
    };
    let web = start(&binary)?;
    if let Some(requests) = options.soak {
        return soak(&web, requests);
    }
    let echo = echo::start()?;
    let python = Python::start()?;
    let calls = [
        ("an echo", Sent::new(&echo, &message("", "run", &json!({"code": "1 + 2"}))?)),
        ("a run", Sent::new(&web.address, &message("", "run", &json!({"code": "1 + 2"}))?)),
        (
            "a look at the memory",
            Sent::new(&web.address, &message("", "memory_retrieve", &json!({"key": "k"}))?),
        ),
        (
            "the Python SDK adds",
            Sent::new(&python.address, &message("", "add", &json!({"a": 1, "b": 2}))?),
        ),
    ];
    println!(
        "{:24} {:>11} {:>11} {:>9} {:>9}",
        "", "connections", "requests/s", "p50 ms", "p99 ms"
    );
    for connections in CONNECTIONS {
        let mut all: Vec<Loaded> = calls.iter().map(|_| Loaded::default()).collect();
        for _ in 0..options.rounds {
            for ((_, sent), loaded) in calls.iter().zip(&mut all) {
                loaded.add(load::drive(sent, connections, Duration::from_secs(options.seconds))?);
            }
        }
        for ((name, _), loaded) in calls.iter().zip(&mut all) {
            println!(
                "{name:24} {connections:11} {:11.0} {:9.2} {:9.2}",
                loaded.rate(),
                loaded.percentile(50),
                loaded.percentile(99),
            );
        }
    }
    Ok(())
}

fn start(binary: &Path) -> Result<Web> {
    let folder = Folder::new()?;
    let mut command = Command::new(binary);
    command.env_clear().env("HOME", folder.path()).env("MCP_PIF_CACHE", cache());
    command.args(["serve", "--http", "127.0.0.1:0", "--data"]).arg(folder.path().join("data"));
    Web::of(&mut command, folder)
}

/// The head and the body of a call in the stateless protocol.
fn message(name: &str, tool: &str, arguments: &Value) -> Result<(String, String)> {
    let params = json!({"name": tool, "arguments": arguments});
    let body = client::modern(&json!(1), "tools/call", params.clone())?;
    Ok((modern_headers(name, "tools/call", &params), body))
}

/// Sends many requests of several kinds.
fn soak(web: &Web, requests: u64) -> Result<()> {
    let kinds = [
        message("", "run", &json!({"code": "1 + 2"}))?,
        message("", "run", &json!({"code": "range(0, 1000).map(x => x * x).sum()"}))?,
        message("", "memory_store", &json!({"key": "k", "value": {"a": [1, 2, 3]}}))?,
        message("", "memory_retrieve", &json!({"key": "k"}))?,
        message("", "list", &json!({}))?,
        message("", "run", &json!({"code": "fail('no')"}))?,
    ];
    let kinds = kinds.map(|message| Sent::new(&web.address, &message));
    let start = Instant::now();
    let mut sent = 0;
    let mut first = None;
    for point in 1..=POINTS {
        let share = requests / POINTS / kinds.len() as u64;
        for kind in &kinds {
            sent += load::send(kind, 16, share)?;
        }
        let kibibytes = memory::resident(web.process())?;
        println!(
            "{sent:9} requests, {:6.0} s: {:7.1} MiB",
            start.elapsed().as_secs_f64(),
            mebibytes(kibibytes)
        );
        // The first points fill caches.
        if point == 3 {
            first = Some(kibibytes);
        }
        ensure!(
            first.is_none_or(|first| kibibytes < first + first / 2 + (32 << 10)),
            "the memory of the server grows"
        );
    }
    println!("{:.0} requests a second", sent as f64 / start.elapsed().as_secs_f64());
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with a digit")]
fn mebibytes(kibibytes: u64) -> f64 {
    kibibytes as f64 / 1_024.0
}

/// A server of the Python SDK, without sessions, that answers with JSON.
struct Python {
    child: Child,
    address: String,
}

impl Python {
    fn start() -> Result<Self> {
        let sources = crate::tasks::root().join("tests/clients/python");
        let requirements = sources.join("requirements.txt");
        let python = environment::python(&binary::target()?, "python-clients", &requirements)?;
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        drop(listener);
        let child = Command::new(python)
            .arg(sources.join("adder.py"))
            .arg(address.port().to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("the Python SDK does not start")?;
        let python = Self { child, address: address.to_string() };
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            ensure!(start.elapsed() < Duration::from_secs(30), "the Python SDK does not listen");
            thread::sleep(Duration::from_millis(50));
        }
        Ok(python)
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
