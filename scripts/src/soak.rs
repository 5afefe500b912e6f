//! A long time of mixed calls on one server: values, faults, traps, cancellations, refusals and
//! changes of tools. Every answer is compared with what it must be, every id is answered exactly
//! once (a cancelled one never), and memory must stop growing after the first tenth.

use anyhow::{Context, Result, bail, ensure};
use pif_tests::server::client::request;
use pif_tests::server::pipe::{Output, Pipe};
use pif_tests::server::{binary, memory};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

/// So little wasmtime fuel that a run with much fuel and little memory traps.
const SETTINGS: [&str; 9] = [
    "--ephemeral",
    // It is full soon, and no longer grows.
    "--journal-size",
    "1MiB",
    "--wasmtime-fuel",
    "3M",
    "--wasmtime-fuel-per-unit",
    "0",
    "--wall-clock",
    "60s",
];
/// Requests under way at most.
const WINDOW: usize = 64;
/// Points of the curve of memory.
const POINTS: u64 = 20;
/// What memory may vary by after the first tenth, KiB.
const TOLERANCE: u64 = 8 << 10;

/// What must come of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Value(u64),
    Fault(&'static str),
    Refused(i64),
    Answered,
    Cancelled,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many calls to send
    #[arg(default_value_t = 1_000_000)]
    calls: u64,
}

/// Sends all calls, and compares.
pub(crate) fn run(&Options { calls }: &Options) -> Result<()> {
    let mut server = Pipe::start(Command::new(binary::path()?).args(SETTINGS))?;
    for (name, body) in [
        ("square", json!({"mul": [{"var": "x"}, {"var": "x"}]})),
        ("endless", json!({"continue": {"input": {"var": "x"}}})),
    ] {
        let tool = json!({"name": name, "description": name, "code": {"lam": "x", "body": body}});
        server.call("evolve", &tool)?;
    }
    let output = server.take_output()?;
    let start = Instant::now();
    let (answered, answers) = channel();
    let reader = thread::spawn(move || read(output, &answered, calls));
    let written = write(&mut server, &answers, calls);
    let ended = server.finish();
    let seen = reader.join().map_err(|_| anyhow::anyhow!("the reader died"))??;
    let curve = written?;
    ended?;
    report(calls, start.elapsed().as_secs_f64(), &curve, &seen)
}

/// The call with an id, and what must come of it.
fn call(id: u64) -> (Value, Outcome) {
    let run = |arguments: Value| json!({"name": "run", "arguments": arguments});
    let n = id % 1_000;
    let double = |text: &str| {
        json!({"fold": [{"lam": "p", "body": {"concat":
        [{"fst": {"var": "p"}}, {"fst": {"var": "p"}}]}}, text, vec![0; 40]]})
    };
    let twice = json!({"lam": "x", "body": {"app": {"func": {"var": "x"}, "arg": {"var": "x"}}}});
    let endless = json!({"app": {"func": twice, "arg": twice}});
    match id % 50 {
        0 => {
            let body = json!({"mul": [{"var": "x"}, {"var": "x"}]});
            // History is kept: only so many changes that it does not hide anything else.
            let body = if id.is_multiple_of(10_000) { json!({"add": [body, 0]}) } else { body };
            let tool = json!({"name": "square", "description": "Squares a number",
                "code": {"lam": "x", "body": body}});
            (json!({"name": "evolve", "arguments": tool}), Outcome::Answered)
        }
        1 => (json!({"name": "list", "arguments": {}}), Outcome::Answered),
        2 => (json!({"name": "help", "arguments": {"form": "fold"}}), Outcome::Answered),
        3 => (json!({"name": "check", "arguments": {"code": {"add": [n, 1]}}}), Outcome::Answered),
        4 => (json!({"name": "nobody", "arguments": {}}), Outcome::Refused(-32602)),
        5 => (run(json!({"code": {"sub": [n]}})), Outcome::Fault("malformed")),
        6..10 => (run(json!({"code": {"head": []}})), Outcome::Fault("empty-list")),
        10..13 => (run(json!({"code": endless, "fuel": 2_000})), Outcome::Fault("out-of-fuel")),
        13 => (run(json!({"code": double("ab"), "memory": 2 << 20})), Outcome::Fault("too-large")),
        14 if id % 500 == 14 => {
            let arguments = json!({"code": endless, "memory": 1 << 20, "fuel": 1_000_000_000});
            (run(arguments), Outcome::Fault("internal"))
        }
        16..20 => {
            let arguments = json!({"tool": "endless", "input": 0, "max_steps": 1_000_000});
            (run(arguments), Outcome::Cancelled)
        }
        14..16 | 20..35 => {
            (json!({"name": "square", "arguments": {"input": n}}), Outcome::Value(n * n))
        }
        _ => (run(json!({"code": {"add": [n, 1]}})), Outcome::Value(n + 1)),
    }
}

/// Sends everything and measures memory from time to time.
fn write(server: &mut Pipe, answers: &Receiver<()>, calls: u64) -> Result<Vec<(u64, u64)>> {
    let mut curve = Vec::new();
    let mut under_way = 0;
    for id in 1..=calls {
        let (params, outcome) = call(id);
        server.write_lines(request(&json!(id), "tools/call", &params) + "\n")?;
        if outcome == Outcome::Cancelled {
            server.write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": id}}))?;
        } else {
            under_way += 1;
        }
        while under_way >= WINDOW {
            answers.recv()?;
            under_way -= 1;
        }
        if id.is_multiple_of((calls / POINTS).max(1)) {
            curve.push((id, memory::resident(server.process())?));
        }
    }
    Ok(curve)
}

/// Takes all answers until the server is done; how often each id was answered.
fn read(mut output: Output, answered: &Sender<()>, calls: u64) -> Result<Vec<u8>> {
    let mut seen = vec![0_u8; usize::try_from(calls)? + 1];
    while let Some(line) = output.answer()? {
        let message: Value = serde_json::from_str(&line)?;
        let id = message["id"].as_u64().context("an id that is no number")?;
        judge(id, &message)?;
        *seen.get_mut(usize::try_from(id)?).context("an id nobody sent")? += 1;
        // The writer may have failed; then nobody waits any more.
        if answered.send(()).is_err() {
            break;
        }
    }
    Ok(seen)
}

fn judge(id: u64, message: &Value) -> Result<()> {
    let content = &message["result"]["structuredContent"];
    let error = message["result"]["isError"] == true;
    let right = match call(id).1 {
        Outcome::Value(n) => content["value"] == n,
        Outcome::Fault(code) => error && content["code"] == code,
        Outcome::Refused(code) => message["error"]["code"] == code,
        Outcome::Answered => message.get("result").is_some() && !error,
        Outcome::Cancelled => false,
    };
    ensure!(right, "{:?} was expected of {id}: {message}", call(id).1);
    Ok(())
}

fn report(calls: u64, seconds: f64, curve: &[(u64, u64)], seen: &[u8]) -> Result<()> {
    let mut counts = [0_u64; 5];
    for id in 1..=calls {
        let outcome = call(id).1;
        let wanted = u8::from(outcome != Outcome::Cancelled);
        let times = seen.get(usize::try_from(id)?).copied().unwrap_or_default();
        ensure!(times == wanted, "{id} ({outcome:?}) was answered {times} times");
        counts[match outcome {
            Outcome::Value(_) => 0,
            Outcome::Fault("internal") => 1,
            Outcome::Fault(_) | Outcome::Refused(_) => 2,
            Outcome::Answered => 3,
            Outcome::Cancelled => 4,
        }] += 1;
    }
    let [values, traps, faults, others, cancelled] = counts;
    println!("{calls} calls in {seconds:.0} s: {values} values, {faults} faults, {traps} traps,");
    println!("{others} other tools, {cancelled} cancelled; every id answered exactly once,");
    println!("the cancelled never. Resident memory, KiB:");
    for (id, kib) in curve {
        println!("{id:9} {kib:7}");
    }
    let settled = curve.iter().filter(|(id, _)| id * 10 >= calls).map(|(_, kib)| *kib);
    let least = settled.clone().min();
    let most = settled.max();
    let (Some(least), Some(most)) = (least, most) else { bail!("too few calls for a curve") };
    ensure!(most - least <= TOLERANCE, "memory is not flat: {least} to {most} KiB");
    println!("flat after the first tenth: {least} to {most} KiB");
    Ok(())
}
