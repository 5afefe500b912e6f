//! How long a client waits for what takes no time: for `initialize`, of many servers that start at
//! once with nothing compiled yet; and for calls that run nothing, while all places of a server are
//! taken by runs of five seconds.

use anyhow::{Result, bail, ensure};
use pif_tests::server::binary;
use pif_tests::server::folder::Folder;
use pif_tests::server::pipe::Pipe;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The most that a client may wait.
const MOST_INITIALIZE: Duration = Duration::from_secs(1);
const MOST_LOOK: Duration = Duration::from_millis(50);

/// Looks of each kind.
const LOOKS: usize = 5;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many servers to start at once
    #[arg(default_value_t = 12)]
    servers: usize,
}

/// Measures.
pub(crate) fn run(&Options { servers }: &Options) -> Result<()> {
    let binary = binary::for_release()?;
    let folder = Folder::new()?;
    let cache = folder.path();
    let started = thread::scope(|scope| {
        let begin = || scope.spawn(|| start(&binary, cache));
        let started: Vec<_> = (0..servers).map(|_| begin()).collect();
        let join = |it: thread::ScopedJoinHandle<'_, Result<(Pipe, Duration)>>| match it.join() {
            Ok(server) => server,
            Err(_) => bail!("it panicked"),
        };
        started.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    let slowest = started.iter().map(|(_, waited)| *waited).max().unwrap_or_default();
    println!("initialize of {servers} servers that start at once: {slowest:?} at most");
    drop(started);
    let looks = looks(&binary, cache)?;
    let worst = looks.iter().map(|(_, waited)| *waited).max().unwrap_or_default();
    for (tool, waited) in looks {
        println!("{tool:16} {:6.1} ms at most under full load", waited.as_secs_f64() * 1e3);
    }
    ensure!(slowest <= MOST_INITIALIZE, "`initialize` takes more than {MOST_INITIALIZE:?}");
    ensure!(worst <= MOST_LOOK, "a look takes more than {MOST_LOOK:?}");
    Ok(())
}

/// The longest that each kind of look took, while all places are taken.
fn looks(binary: &Path, cache: &Path) -> Result<Vec<(&'static str, Duration)>> {
    let (mut server, _) = start(binary, cache)?;
    let twice = json!({"lam": "x", "body": {"app": {"func": {"var": "x"}, "arg": {"var": "x"}}}});
    let endless =
        json!({"code": {"app": {"func": twice, "arg": twice}}, "fuel": 1_000_000_000_000_u64});
    server.call("run", &json!({"code": 1}))?;
    server.call("memory_store", &json!({"key": "k", "value": 1}))?;
    for _ in 0..thread::available_parallelism()?.get() {
        server.send("run", &endless)?;
    }
    thread::sleep(Duration::from_millis(300));
    let kinds = [
        ("memory_retrieve", json!({"key": "k"})),
        ("check", json!({"code": {"add": [1, 2]}})),
        ("help", json!({"form": "fold"})),
        ("journal_recent", json!({})),
        ("evolve", json!({"name": "t", "description": "A tool", "code": 1})),
    ];
    let mut worst = Vec::new();
    for (tool, arguments) in kinds {
        let times =
            (0..LOOKS).map(|_| time(&mut server, tool, &arguments)).collect::<Result<Vec<_>>>()?;
        worst.push((tool, times.into_iter().max().unwrap_or_default()));
    }
    Ok(worst)
}

/// Starts a server; gives how long `initialize` took, from its start on.
fn start(binary: &Path, cache: &Path) -> Result<(Pipe, Duration)> {
    let start = Instant::now();
    let mut server = Command::new(binary);
    server.args(["--ephemeral", "--fuel-ceiling", "1000000G", "--cache"]).arg(cache);
    Ok((Pipe::start(&mut server)?, start.elapsed()))
}

/// How long a call takes that succeeds.
fn time(server: &mut Pipe, tool: &str, arguments: &Value) -> Result<Duration> {
    let start = Instant::now();
    let result = server.call(tool, arguments)?;
    let time = start.elapsed();
    ensure!(result["isError"] == false, "{tool}: {result}");
    Ok(time)
}
