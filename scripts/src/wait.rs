//! How long a client waits for what takes no time: for `initialize`, of many servers that start at
//! once with nothing compiled yet; and for calls that run nothing, while all places of a server are
//! taken by runs of five seconds.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The most that a client may wait.
const MOST_INITIALIZE: Duration = Duration::from_secs(1);
const MOST_LOOK: Duration = Duration::from_millis(50);

/// Looks of each kind.
const LOOKS: usize = 5;

/// Measures; the argument is the number of servers that start at once.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let servers: usize = arguments.first().map_or(Ok(12), |n| n.parse())?;
    let binary = crate::clients::server_for_release()?.1;
    let cache = crate::tasks::target()?.join("wait");
    let _ = fs::remove_dir_all(&cache);
    let started = thread::scope(|scope| {
        let start = || scope.spawn(|| Server::start(&binary, &cache));
        let started: Vec<_> = (0..servers).map(|_| start()).collect();
        let join = |it: thread::ScopedJoinHandle<'_, Result<Server>>| match it.join() {
            Ok(server) => server,
            Err(_) => bail!("it panicked"),
        };
        started.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    let slowest = started.iter().map(|it| it.waited).max().unwrap_or_default();
    println!("initialize of {servers} servers that start at once: {slowest:?} at most");
    drop(started);
    let looks = looks(&binary, &cache)?;
    let _ = fs::remove_dir_all(&cache);
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
    let mut server = Server::start(binary, cache)?;
    let twice = json!({"lam": "x", "body": {"app": {"func": {"var": "x"}, "arg": {"var": "x"}}}});
    let endless =
        json!({"code": {"app": {"func": twice, "arg": twice}}, "fuel": 1_000_000_000_000_u64});
    server.call("run", &json!({"code": 1}))?;
    server.call("memory_store", &json!({"key": "k", "value": 1}))?;
    for id in 0..thread::available_parallelism()?.get() {
        server.send(&json!(format!("run {id}")), "run", &endless)?;
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
            (0..LOOKS).map(|_| server.call(tool, &arguments)).collect::<Result<Vec<_>>>()?;
        worst.push((tool, times.into_iter().max().unwrap_or_default()));
    }
    Ok(worst)
}

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// For the answer to `initialize`, from its start on.
    waited: Duration,
}

impl Server {
    fn start(binary: &Path, cache: &Path) -> Result<Self> {
        let start = Instant::now();
        let mut server = Command::new(binary);
        server.args(["--ephemeral", "--fuel-ceiling", "1000000G", "--cache"]).arg(cache);
        let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, output) = (input.context("no input")?, output.context("no output")?);
        let waited = Duration::ZERO;
        let mut server = Self { child, input, output: BufReader::new(output), waited };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "wait", "version": "1"}});
        let id = json!("initialize");
        server.write(
            &json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params}),
        )?;
        server.answer(&id)?;
        server.waited = start.elapsed();
        server.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}").and_then(|()| self.input.flush()).context("it is gone")
    }

    fn send(&mut self, id: &Value, tool: &str, arguments: &Value) -> Result<()> {
        let params = json!({"name": tool, "arguments": arguments});
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    /// Waits for an answer, before which there may be notifications and no other answer.
    fn answer(&mut self, id: &Value) -> Result<()> {
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server closed its output");
            let message: Value = serde_json::from_str(&line)?;
            if message.get("method").is_none() {
                ensure!(message["id"] == *id, "not the answer to {id}: {message}");
                ensure!(message["result"]["isError"] != true, "{message}");
                return Ok(());
            }
        }
    }

    /// How long a call takes.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Duration> {
        let start = Instant::now();
        let id = json!(tool);
        self.send(&id, tool, arguments)?;
        self.answer(&id)?;
        Ok(start.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its runs do not end by themselves.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
