//! Many calls over the pipe, and what they cost beside what the called server takes by itself. To see
//! the figures: `cargo test --workspace --test broker -- --nocapture cost`.

use super::shop::{Running, Shop};
use anyhow::{Context, Result, ensure};
use pif_tests::processes::written;
use pif_tests::tell;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often to measure each thing.
const ROUNDS: usize = 20;

/// Calls in a row, in one run.
const IN_A_ROW: u32 = 1_000;

fn tools() -> Value {
    json!([{"name": "echo", "annotations": {"readOnlyHint": true}, "does": {"echo": true}}])
}

fn median(mut times: Vec<Duration>) -> u128 {
    times.sort();
    times.get(times.len() / 2).map_or(0, Duration::as_micros)
}

/// Microseconds of one call of the server by itself.
fn alone() -> Result<u128> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_upstream"))
        .arg(json!({"tools": tools()}).to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().context("no input")?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?);
    let mut times = Vec::new();
    for n in 0..ROUNDS {
        let params = json!({"name": "echo", "arguments": {"n": n}});
        let request = json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params});
        let start = Instant::now();
        writeln!(input, "{request}")?;
        let mut line = String::new();
        lines.read_line(&mut line)?;
        times.push(start.elapsed());
        let answer: Value = serde_json::from_str(&line)?;
        ensure!(answer["result"]["structuredContent"] == json!({"n": n}), "{answer}");
    }
    drop(input);
    child.wait()?;
    Ok(median(times))
}

/// Microseconds of a run.
fn of_run(running: &mut Running, code: &str, value: &Value, rounds: usize) -> Result<u128> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        let told = running.call("run", &json!({ "code": code }))?;
        times.push(start.elapsed());
        ensure!(told["value"] == *value, "{code}: {told}");
    }
    Ok(median(times))
}

#[test]
fn a_thousand_calls_in_a_row_and_fifty_at_once() -> Result<()> {
    let shop = Shop::of(&tools())?;
    let flags =
        ["serve", "--wall-clock", "1m", "--upstream-calls", "1000", "--upstream-wall-clock", "5m"];
    let mut running = Running::start(&shop, &flags)?;
    let alone = alone()?;
    let (one, nothing) = ("call(\"s.echo\", {n: 7}).n", "7");
    of_run(&mut running, one, &json!(7), 3)?;
    let nothing = of_run(&mut running, nothing, &json!(7), ROUNDS)?;
    let one = of_run(&mut running, one, &json!(7), ROUNDS)?.saturating_sub(nothing);
    let many = "calls(range(50).map(n => ({tool: \"s.echo\", args: {n}})), {at_most: 32}).map(r => r.value.n).sum()";
    let many = of_run(&mut running, many, &json!(1_225), 3)?.saturating_sub(nothing);
    let row = format!("range({IN_A_ROW}).map(n => call(\"s.echo\", {{n}}).n).sum()");
    let row = of_run(&mut running, &row, &json!(499_500), 1)?.saturating_sub(nothing);
    tell("microseconds, medians");
    tell(&format!("a call of the server by itself       {alone:>8}"));
    tell(&format!("a run that calls nobody              {nothing:>8}"));
    tell(&format!("one call, beyond such a run          {one:>8}"));
    tell(&format!("50 at once, at most 32 at a time     {many:>8}  {} a call", many / 50));
    tell(&format!(
        "{IN_A_ROW} in a row                        {row:>8}  {} a call",
        row / u128::from(IN_A_ROW)
    ));
    Ok(())
}

/// Bytes that the server writes for each of so many calls in a row, to its files and its pipes. None:
/// the system does not tell.
fn bytes_of_each(running: &mut Running, tool: &str, calls: u64) -> Result<Option<u64>> {
    let code = format!("range({calls}).map(n => call(\"{tool}\", {{n}}).n).sum()");
    let id = running.child.id();
    let Some(before) = written(id) else { return Ok(None) };
    let told = running.call("run", &json!({ "code": code }))?;
    ensure!(told["value"] == calls * (calls - 1) / 2, "{told}");
    Ok(written(id).map(|after| (after - before) / calls))
}

/// What a run writes down before its calls leave grows with their number, and not with its square.
/// Calls that only read leave without being written down first.
#[test]
fn many_calls_write_no_more_for_each_than_few() -> Result<()> {
    let shop = Shop::of(&json!([
        {"name": "read", "annotations": {"readOnlyHint": true}, "does": {"echo": true}},
        {"name": "write", "does": {"echo": true}},
    ]))?;
    let flags = ["serve", "--wall-clock", "1m", "--upstream-calls", "1000"];
    let mut running = Running::start(&shop, &flags)?;
    // Nobody knows what a tool does before its server was asked for the first time.
    let told = running.call("run", &json!({"code": "call(\"s.read\", {n: 7}).n"}))?;
    ensure!(told["value"] == 7, "{told}");
    let mut measure = |tool, calls| bytes_of_each(&mut running, tool, calls);
    let (few, many) = (measure("s.write", 100)?, measure("s.write", 500)?);
    let reads = measure("s.read", 500)?;
    let (Some(few), Some(many), Some(reads)) = (few, many, reads) else {
        pif_tests::skip("the system does not tell what a process writes")?;
        return Ok(());
    };
    tell(&format!(
        "bytes for each of 100 writes {few}, of 500 writes {many}, of 500 reads {reads}"
    ));
    ensure!(many < few * 3 / 2, "{few} for each of 100 writes, {many} for each of 500");
    ensure!(reads < few / 3, "{reads} for each read, {few} for each write");
    Ok(())
}
