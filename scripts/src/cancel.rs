//! How long a cancelled run goes on. The server has one place to run in; a run is started in it and
//! cancelled, and the next call waits for that place. What is measured is the time from the
//! cancellation to the answer of that call, less what such a call takes by itself.

use anyhow::{Result, ensure};
use pif_tests::server::binary;
use pif_tests::server::pipe::Pipe;
use serde_json::{Value, json};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Settings under which nothing ends by itself.
const SETTINGS: [&str; 13] = [
    "--ephemeral",
    "--concurrency",
    "1",
    "--patience",
    "1h",
    "--wall-clock",
    "1h",
    "--fuel",
    "1000000G",
    "--fuel-ceiling",
    "1000000G",
    "--memory",
    "512MiB",
];

/// How long a run goes on before it is cancelled, one after the other.
const HEAD_STARTS: [u64; 5] = [0, 1, 3, 7, 20];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How often to cancel each kind of run
    #[arg(default_value_t = 300)]
    times: usize,
}

/// Measures.
pub(crate) fn run(&Options { times }: &Options) -> Result<()> {
    let mut server = Pipe::start(Command::new(binary::path()?).args(SETTINGS))?;
    let code = json!({"lam": "x", "body": {"continue": {"input": {"var": "x"}}}});
    server
        .call("evolve", &json!({"name": "endless", "description": "Never ends", "code": code}))?;
    let mut alone = (0..times).map(|_| next_call(&mut server)).collect::<Result<Vec<_>>>()?;
    alone.sort();
    println!("{times} cancellations of each kind, milliseconds until the place is free\n");
    println!("run                             median     p99   worst");
    tell("(a call by itself)", &alone);
    let mut worst = Duration::ZERO;
    for (name, arguments) in kinds()? {
        let mut late = Vec::new();
        for round in 0..times {
            late.push(cancel(&mut server, &arguments, HEAD_STARTS[round % HEAD_STARTS.len()])?);
        }
        late.sort();
        worst = worst.max(late.last().copied().unwrap_or_default());
        tell(name, &late);
    }
    server.finish()?;
    ensure!(worst < Duration::from_millis(50), "the worst is {worst:?}, more than 50 ms");
    Ok(())
}

fn tell(name: &str, sorted: &[Duration]) {
    let at = |share: usize| {
        let index = (sorted.len() * share / 100).min(sorted.len().saturating_sub(1));
        sorted.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    println!("{name:30} {:7.2} {:7.2} {:7.2}", at(50), at(99), at(100));
}

/// Runs that do not end, each at something else.
fn kinds() -> Result<Vec<(&'static str, Value)>> {
    let call = |f: Value, arg: Value| json!({"app": {"func": f, "arg": arg}});
    let var = |name: &str| json!({"var": name});
    let twice = json!({"lam": "x", "body": call(var("x"), var("x"))});
    // go go state = go go (step state): what is live grows or not, as the step has it.
    let again = |step: Value| {
        let rest = json!({"app": {"func": var("go"), "args": [var("go"), step]}});
        let go = json!({"lam": ["go", "s"], "body": rest});
        move |start: Value| {
            json!({"code": {"let": {"go": go},
            "in": {"app": {"func": {"var": "go"}, "args": [{"var": "go"}, start]}}}})
        }
    };
    let cons = json!({"cons": {"head": 1, "tail": var("s")}});
    let square = json!({"mod": [{"mul": [var("s"), var("s")]}, 7_919]});
    let large: Value = serde_json::from_str(&"9".repeat(20_000))?;
    let product = json!({"fst": {"pair": [var("s"), {"mul": [var("s"), var("s")]}]}});
    let nested = format!("[{}1]", "[1,2,3],".repeat(400_000));
    Ok(vec![
        ("a loop", json!({"code": call(twice.clone(), twice)})),
        ("a loop with arithmetic", again(square)(json!(3))),
        ("a list that grows", again(cons)(json!([]))),
        ("products of 20,000 digits", again(product)(large)),
        (
            "a continuation, step by step",
            json!({"tool": "endless", "input": 0, "max_steps": 1_000_000}),
        ),
        ("reading 3 MB of code", json!({"code": nested})),
    ])
}

/// How long a short call takes.
fn next_call(server: &mut Pipe) -> Result<Duration> {
    let start = Instant::now();
    let result = server.call("run", &json!({"code": {"add": [40, 2]}}))?;
    ensure!(result["structuredContent"]["value"] == 42, "{result}");
    Ok(start.elapsed())
}

/// Starts a run, cancels it so many milliseconds later, and waits for its place.
fn cancel(server: &mut Pipe, arguments: &Value, head_start: u64) -> Result<Duration> {
    let id = server.send("run", arguments)?;
    thread::sleep(Duration::from_millis(head_start));
    let params = json!({"requestId": id});
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    let start = Instant::now();
    server.write(&notice)?;
    next_call(server)?;
    Ok(start.elapsed())
}
