//! The round trips of which figures of the original are on record: registered tools, run through a
//! server over its pipes, with the journal on disk but where a line says otherwise. The original's
//! figures are of another day and machine, so the factor tells its size and no more.

use crate::bench::{Bench, Input, median, read};
use crate::state::fill;
use crate::state::server::Server;
use anyhow::{Context, Result};
use pif_tests::server::binary;
use pif_tests::server::folder::Folder;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// How often each is called, after a tenth as often to warm up.
const CALLS: [usize; 2] = [1_000, 50];

/// What the factor is to be at least.
const GOAL: f64 = 3.0;

/// A tool, its input and value, and milliseconds of the original.
struct Trip {
    name: &'static str,
    code: Value,
    input: Value,
    value: Value,
    original: f64,
}

/// Measures them and prints a table.
pub(super) fn run() -> Result<()> {
    let (binary, folder) = (binary::for_release()?, Folder::new()?);
    let place = folder.path();
    let few = place.join("few");
    std::fs::create_dir_all(&few)?;
    let many = place.join("many");
    fill::tools(&many, 10_000)?;
    println!("\nround trip over the pipes       median ms   original   factor");
    let start = |data: &Path| {
        let data = data.to_str().context("a path in UTF-8")?;
        Server::start(&binary, &["--data", data])
    };
    pipes()?;
    // The original keeps no journal; from here on ours does.
    let mut server = Server::start(&binary, &["--ephemeral"])?;
    measure(&mut server, &Trip { name: "square, nothing kept", ..square()? })?;
    server.finish()?;
    let mut server = start(&few)?;
    for trip in trips()? {
        measure(&mut server, &trip)?;
    }
    server.finish()?;
    let mut server = start(&many)?;
    let name = "square, among 10,000 tools";
    measure(&mut server, &Trip { name, original: 7.8, ..square()? })?;
    server.finish()
}

/// What the pipes alone take: a line there and back, through a program that does nothing else.
fn pipes() -> Result<()> {
    let mut command = Command::new("cat");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = child.stdin.take().context("standard input")?;
    let mut output = BufReader::new(child.stdout.take().context("standard output")?);
    let line = "x".repeat(120) + "\n";
    let mut times = Vec::new();
    for _ in 0..CALLS[0] {
        let start = Instant::now();
        input.write_all(line.as_bytes())?;
        output.read_line(&mut String::new())?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    drop(input);
    child.wait()?;
    println!("{:30} {:10.3}", "nothing, by `cat`", median(times));
    Ok(())
}

fn measure(server: &mut Server, trip: &Trip) -> Result<()> {
    server.evolve("timed", &trip.code)?;
    let arguments = json!({"tool": "timed", "data": trip.input});
    let calls = CALLS[usize::from(trip.original > 10.0)];
    let mut times = Vec::new();
    for n in 0..calls + calls / 10 {
        let time = server.value("run", &arguments, &trip.value)?;
        if n >= calls / 10 {
            times.push(time.as_secs_f64() * 1e3);
        }
    }
    let (ours, original) = (median(times), trip.original);
    let factor = original / ours;
    let verdict = if factor >= GOAL { "" } else { "  MISSED" };
    println!("{:30} {ours:10.3} {original:10.3} {factor:8.1}{verdict}", trip.name);
    Ok(())
}

fn square() -> Result<Trip> {
    let code = serde_json::from_str(r#"{"lam":"x","body":{"mul":[{"var":"x"},{"var":"x"}]}}"#)?;
    Ok(Trip { name: "square", code, input: json!(7), value: json!(49), original: 0.056 })
}

fn trips() -> Result<Vec<Trip>> {
    let mut all = vec![square()?];
    let benches = read("scripts/peers/workloads.json")?;
    let trip = |name: &'static str, of: &str, original: f64| -> Result<Trip> {
        let bench = benches.iter().find(|it| it.name == of).context("no such program")?;
        let Bench { source, input: Input::Ready(input), value, .. } = bench else {
            anyhow::bail!("{of} has no input of this kind");
        };
        let parse = |text: &str| serde_json::from_str::<Value>(text);
        let (code, input, value) = (parse(source)?, parse(input)?, parse(value)?);
        Ok(Trip { name, code, input, value, original })
    };
    all.push(trip("fib(22)", "fib(22)", 38.0)?);
    let fib = trip("fib(25)", "fib(22)", 149.0)?;
    all.push(Trip { input: json!(25), value: json!(75_025), ..fib });
    all.push(trip("fold over 100,000", "build and fold 10^5", 81.0)?);
    all.push(trip("insertion sort of 200", "insertion sort 200", 16.0)?);
    Ok(all)
}
