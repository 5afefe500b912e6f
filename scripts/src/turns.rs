//! Measures turns of sessions: what bound data costs beside data that is passed, what many turns
//! leave behind, and how many turns come of many sessions and of two servers at once.

use anyhow::{Context, Result, ensure};
use pif_tests::server::folder::{Folder, cache};
use pif_tests::server::pipe::Pipe;
use pif_tests::server::{binary, memory};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Turns and runs that are compared in pairs.
const PAIRS: usize = 30;

/// Sizes of bound data, in bytes.
const SIZES: [usize; 3] = [0, 1 << 20, 6_000_000];

/// Points of the curve of memory.
const POINTS: u64 = 5;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Turns in one session
    #[arg(long, default_value_t = 10_000)]
    turns: u64,
    /// Sessions at once
    #[arg(long, default_value_t = 64)]
    sessions: usize,
    /// Seconds for each measure of many sessions
    #[arg(long, default_value_t = 10)]
    seconds: u64,
}

/// Measures.
pub(crate) fn run(options: &Options) -> Result<()> {
    let binary = binary::for_release()?;
    for bytes in SIZES {
        compare(&binary, bytes)?;
    }
    last(&binary, options.turns)?;
    let time = Duration::from_secs(options.seconds);
    at_once(&binary, options.sessions, 1, time)?;
    at_once(&binary, options.sessions, 2, time)
}

fn serve(binary: &Path, data: &Path) -> Result<Pipe> {
    let mut command = Command::new(binary);
    command.env_clear().env("MCP_PIF_CACHE", cache()).arg("--data").arg(data);
    Pipe::start(&mut command)
}

/// A list of records of about so many bytes of JSON.
fn data(bytes: usize) -> Value {
    let row = |at: usize| json!({"id": at, "region": "north", "qty": at % 9, "price": 250});
    (0..bytes / 50).map(row).collect()
}

/// The median of a turn that reads bound data, beside that of a run which is given the data.
fn compare(binary: &Path, bytes: usize) -> Result<()> {
    let folder = Folder::new()?;
    let mut server = serve(binary, folder.path())?;
    let data = data(bytes);
    answer(&mut server, "session_eval", &json!({"define": "rows", "data": data}))?;
    let code = "length(rows)";
    let turn = json!({ "code": code });
    let run = json!({"code": "length(data)", "data": data});
    let bare = json!({"code": "1 + 1"});
    let mut turns = Vec::new();
    let mut runs = Vec::new();
    let mut unused = Vec::new();
    for _ in 0..PAIRS {
        turns.push(time(&mut server, "session_eval", &turn)?);
        runs.push(time(&mut server, "run", &run)?);
        unused.push(time(&mut server, "session_eval", &bare)?);
    }
    server.finish()?;
    let [turn, run, unused] = [turns, runs, unused].map(median);
    println!(
        "{:8} bytes bound: turn {:7.2} ms, the run given that data {:7.2} ms, ratio {:.2}; a turn that does not name it {:.2} ms",
        bytes,
        milliseconds(turn),
        milliseconds(run),
        turn.as_secs_f64() / run.as_secs_f64(),
        milliseconds(unused),
    );
    Ok(())
}

/// Many turns in one session: memory of the server, and what each leaves in the store.
fn last(binary: &Path, turns: u64) -> Result<()> {
    let folder = Folder::new()?;
    let mut server = serve(binary, folder.path())?;
    answer(&mut server, "session_eval", &json!({"define": "n", "data": 0}))?;
    let turn = json!({"define": "n", "code": "n + 1"});
    let before = store_size(folder.path())?;
    let start = Instant::now();
    let mut curve: Vec<u64> = Vec::new();
    for number in 1..=turns {
        let told = answer(&mut server, "session_eval", &turn)?;
        ensure!(told["value"] == number, "{told}");
        if number % (turns / POINTS).max(1) == 0 {
            curve.push(memory::resident(server.process())?);
        }
    }
    let spent = start.elapsed();
    let after = store_size(folder.path())?;
    server.finish()?;
    println!(
        "{turns} turns in one session: {:.2} ms each; the server has {curve:?} KiB; the store grows by {} bytes a turn, the journal's entries included",
        milliseconds(spent) / turns as f64,
        after.saturating_sub(before) / turns,
    );
    Ok(())
}

/// Turns a second, of many sessions that servers of one store share among them.
fn at_once(binary: &Path, sessions: usize, servers: usize, time: Duration) -> Result<()> {
    let folder = Folder::new()?;
    let mut all = (0..servers).map(|_| serve(binary, folder.path())).collect::<Result<Vec<_>>>()?;
    let mut names = Vec::new();
    for at in 0..sessions {
        let server = all.get_mut(at % servers).context("a server")?;
        let started = answer(server, "session_start", &json!({}))?;
        let name = started["session"].clone();
        answer(server, "session_eval", &json!({"session": name, "define": "n", "data": 0}))?;
        names.push(name);
    }
    let turned = std::thread::scope(|scope| {
        let drive = |(at, server)| {
            let own: Vec<Value> = names.iter().skip(at).step_by(servers).cloned().collect();
            scope.spawn(move || drive(server, &own, time))
        };
        let threads: Vec<_> = all.into_iter().enumerate().map(drive).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<u64>>| {
            thread.join().map_err(|_| anyhow::anyhow!("a thread died"))?
        };
        threads.into_iter().map(join).sum::<Result<u64>>()
    })?;
    println!(
        "{sessions} sessions at once, {servers} server(s) of one store: {:.0} turns a second",
        turned as f64 / time.as_secs_f64()
    );
    Ok(())
}

/// Keeps a turn under way in each session. Gives how many ended in time.
fn drive(mut server: Pipe, names: &[Value], time: Duration) -> Result<u64> {
    let turn = |name: &Value| json!({"session": name, "define": "n", "code": "n + 1"});
    let mut owners = std::collections::HashMap::new();
    for name in names {
        owners.insert(server.send("session_eval", &turn(name))?, name);
    }
    let start = Instant::now();
    let mut ended = 0;
    while let Some(name) = {
        let message: Value = serde_json::from_str(&server.read()?)?;
        ensure!(message["result"]["isError"] == false, "{message}");
        let id = message["id"].as_u64().context("an id")?;
        owners.remove(&id).filter(|_| start.elapsed() < time)
    } {
        ended += 1;
        owners.insert(server.send("session_eval", &turn(name))?, name);
    }
    for _ in 0..owners.len() {
        server.read()?;
    }
    server.finish()?;
    Ok(ended)
}

fn answer(server: &mut Pipe, tool: &str, arguments: &Value) -> Result<Value> {
    let result = server.call(tool, arguments)?;
    ensure!(result["isError"] == false, "{tool}: {result}");
    Ok(result["structuredContent"].clone())
}

fn time(server: &mut Pipe, tool: &str, arguments: &Value) -> Result<Duration> {
    let start = Instant::now();
    answer(server, tool, arguments)?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn store_size(data: &Path) -> Result<u64> {
    let files: Vec<PathBuf> =
        std::fs::read_dir(data)?.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    files.iter().map(|file| Ok(file.metadata()?.len())).sum()
}
