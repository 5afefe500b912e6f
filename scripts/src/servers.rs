//! Servers that others have written, from their registries, listed and called in one run of a program:
//! `tests/clients/servers`. Two of them are killed amid calls, and called again.

mod world;

use anyhow::{Context, Result, ensure};
use pif_tests::server::client::{Client, command};
use pif_tests::server::folder::Folder;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

use self::world::{Row, World};

/// How long servers may take to start, all of them at once.
const STARTS: Duration = Duration::from_mins(3);

/// Until calls that take long are under way, and the time that they would take.
const UNDER_WAY: Duration = Duration::from_secs(2);
const LONG: u64 = 60;

/// What came of a call.
struct Called {
    ms: f64,
    outcome: String,
}

/// Runs it all, and prints a table.
pub(crate) fn run() -> Result<()> {
    let world = World::new()?;
    let folder = Folder::new()?;
    let file = world.configuration()?;
    let mut server = command(&folder)?;
    server.args(["serve", "--toolsets", "core,capabilities,debug", "--capabilities"]).arg(file);
    server.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut client = Client::of(&mut server)?;
    client.initialize()?;
    let mut tools = Vec::new();
    for row in &world.rows {
        tools.push(listed(&mut client, row.text("name"))?);
    }
    let values = values(&client.call("run", &program(world.rows.iter().map(Row::call)))?)?;
    let mut calls = made(&mut client)?;
    let lost = restart(&mut client, &world)?;
    // A server that forgot the session refuses one call; the next begins a session anew.
    let mut again = Vec::new();
    for _ in 0..2 {
        let killed = world.rows.iter().filter(|row| row.is_killed());
        again = self::values(&client.call("run", &program(killed.map(Row::call)))?)?;
        calls.extend(made(&mut client)?);
    }
    print(&world, &tools, &calls);
    println!("killed amid calls: {}", lost.join(", "));
    ensure!(values.len() == world.rows.len(), "{values:?}");
    for (row, value) in world.rows.iter().zip(&values) {
        ensure!(row.is_right(value), "{}: {value}", row.call());
    }
    ensure!(again.iter().all(|value| value["ok"] == true), "after the restart: {again:?}");
    Ok(())
}

/// The arguments of a run that makes calls at once.
fn program(calls: impl Iterator<Item = Value>) -> Value {
    json!({"code": "calls(data)", "data": calls.collect::<Vec<_>>()})
}

/// What came of the calls of such a run.
fn values(told: &Value) -> Result<Vec<Value>> {
    let values = told["structuredContent"]["value"].as_array();
    Ok(values.with_context(|| format!("the run has no value: {told}"))?.clone())
}

fn print(world: &World, tools: &[usize], calls: &[(String, Called)]) {
    println!("| server | transport | tools | calls | slowest, ms | outcomes |");
    println!("|---|---|---|---|---|---|");
    for (row, tools) in world.rows.iter().zip(tools) {
        let own = calls.iter().filter(|(tool, _)| *tool == row.text("tool")).map(|(_, call)| call);
        let own: Vec<&Called> = own.collect();
        let slowest = own.iter().map(|call| call.ms).fold(0.0, f64::max);
        let outcomes: Vec<&str> = own.iter().map(|call| call.outcome.as_str()).collect();
        let name = row.text("name");
        let way = row.text("transport");
        let made = own.len();
        let outcomes = outcomes.join(", ");
        println!("| {name} | {way} | {tools} | {made} | {slowest:.0} | {outcomes} |");
    }
}

/// The number of tools that a server offers. It may still be starting.
fn listed(client: &mut Client, name: &str) -> Result<usize> {
    let start = Instant::now();
    loop {
        let told = client.call("capabilities", &json!({"upstream": name}))?;
        let record = &told["structuredContent"];
        if let Some(tools) = record["tools"].as_array().filter(|tools| !tools.is_empty()) {
            let more = record["truncated"].as_u64().unwrap_or_default();
            return Ok(tools.len() + usize::try_from(more)?);
        }
        ensure!(start.elapsed() < STARTS, "{name} does not start: {told}");
        sleep(Duration::from_millis(200));
    }
}

/// The calls that the last run made, as the server has measured them.
fn made(client: &mut Client) -> Result<Vec<(String, Called)>> {
    let recent = client.call("debug", &json!({"op": "recent", "tool": "run", "limit": 1}))?;
    let id = &recent["structuredContent"]["calls"][0]["id"];
    let reply = client.call("debug", &json!({"op": "get", "id": id}))?;
    let calls = reply["structuredContent"]["calls"].as_array().context("no calls")?;
    let read = |call: &Value| {
        let tool = call["tool"].as_str().unwrap_or_default().to_owned();
        let outcome = call["outcome"].as_str().unwrap_or_default().to_owned();
        (tool, Called { ms: call["ms"].as_f64().unwrap_or_default(), outcome })
    };
    Ok(calls.iter().map(read).collect())
}

/// Kills servers amid calls that take long, and starts those again that nobody else does. Gives what
/// the program was told of each call.
fn restart(client: &mut Client, world: &World) -> Result<Vec<String>> {
    let killed = || world.rows.iter().filter(|row| row.is_killed());
    let long = |row: &Row| {
        let tool = format!("{}.trigger-long-running-operation", row.text("name"));
        json!({"tool": tool, "args": {"duration": LONG, "steps": LONG}})
    };
    let id = client.id();
    let params = json!({"name": "run", "arguments": program(killed().map(long))});
    client.send(
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string(),
    )?;
    sleep(UNDER_WAY);
    let start = Instant::now();
    world.kill()?;
    let answer = client.answer(&id)?;
    ensure!(start.elapsed().as_secs() < LONG / 2, "the calls went on: {answer}");
    let describe = |(row, value): (&Row, &Value)| {
        let reason = value["reason"].as_str().context(format!("a call ended well: {value}"))?;
        Ok(format!("{} {reason}", row.text("name")))
    };
    killed().zip(&values(&answer["result"])?).map(describe).collect()
}
