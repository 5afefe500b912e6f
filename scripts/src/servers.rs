//! Servers that others have written, from their registries, listed and called in one run of a program:
//! `tests/clients/servers`. Two of them are killed amid calls, and called again.

mod world;

use anyhow::{Context, Result, ensure};
use pif_tests::server::client::{Client, command};
use pif_tests::server::folder::Folder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use self::world::World;

/// How long servers may take to start, all of them at once.
const STARTS: Duration = Duration::from_mins(3);

/// Until calls that take long are under way, and the time that they would take.
const UNDER_WAY: Duration = Duration::from_secs(2);
const LONG: u64 = 60;

/// What came of a call.
struct Called {
    ms: u64,
    outcome: String,
}

/// Runs it all, and prints a table.
pub(crate) fn run() -> Result<()> {
    let (world, folder) = (World::new()?, Folder::new()?);
    let file = world.configuration()?;
    let mut server = command(&folder)?;
    server.args(["serve", "--toolsets", "core,capabilities,debug", "--capabilities"]).arg(file);
    server.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut client = Client::of(&mut server)?;
    client.initialize()?;
    let mut tools = BTreeMap::new();
    for row in &world.rows {
        tools.insert(row.name, listed(&mut client, row.name)?);
    }
    let program = |rows: &[world::Row]| {
        let calls: Vec<Value> =
            rows.iter().map(|row| json!({"tool": row.tool, "args": row.arguments})).collect();
        json!({"code": "calls(data)", "data": calls})
    };
    let told = client.call("run", &program(&world.rows))?;
    let values = told["structuredContent"]["value"].as_array().context("no values")?.clone();
    let mut calls = made(&mut client)?;
    let lost = restart(&mut client, &world)?;
    // A server that forgot the session refuses one call; the next begins a session anew.
    let mut again = json!(null);
    for _ in 0..2 {
        again = client.call("run", &program(world.restarted()))?;
        calls.extend(made(&mut client)?);
    }

    println!("| server | transport | tools | calls | slowest, ms | outcomes |");
    println!("|---|---|---|---|---|---|");
    for row in &world.rows {
        let own: Vec<&Called> =
            calls.iter().filter(|(tool, _)| tool == row.tool).map(|(_, call)| call).collect();
        let slowest = own.iter().map(|call| call.ms).max().unwrap_or_default();
        let outcomes: Vec<&str> = own.iter().map(|call| call.outcome.as_str()).collect();
        let (name, way, tools) = (row.name, row.transport, tools[row.name]);
        println!(
            "| {name} | {way} | {tools} | {} | {slowest} | {} |",
            own.len(),
            outcomes.join(", ")
        );
    }
    println!("killed amid calls: {}", lost.join(", "));
    for (row, value) in world.rows.iter().zip(&values) {
        ensure!(row.is_right(value), "{} {}: {value}", row.tool, row.arguments);
    }
    ensure!(values.len() == world.rows.len(), "{told}");
    let values = again["structuredContent"]["value"].as_array().context("no values")?;
    ensure!(values.iter().all(|value| value["ok"] == true), "after the restart: {again}");
    Ok(())
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
    let told = client.call("debug", &json!({"op": "get", "id": id}))?;
    let calls = told["structuredContent"]["calls"].as_array().context("no calls")?;
    let read = |call: &Value| {
        let tool = call["tool"].as_str().unwrap_or_default().to_owned();
        let outcome = call["outcome"].as_str().unwrap_or_default().to_owned();
        (tool, Called { ms: call["ms"].as_f64().unwrap_or_default().round() as u64, outcome })
    };
    Ok(calls.iter().map(read).collect())
}

/// Kills servers amid calls that take long, and starts those again that nobody else does. Gives what
/// the program was told of each call.
fn restart(client: &mut Client, world: &World) -> Result<Vec<String>> {
    let calls: Vec<Value> = world
        .restarted()
        .iter()
        .map(|row| {
            let tool = format!("{}.trigger-long-running-operation", row.name);
            json!({"tool": tool, "args": {"duration": LONG, "steps": LONG}})
        })
        .collect();
    let id = client.id();
    let arguments = json!({"code": "calls(data)", "data": calls});
    let params = json!({"name": "run", "arguments": arguments});
    client.send(
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string(),
    )?;
    sleep(UNDER_WAY);
    let start = Instant::now();
    world.kill()?;
    let told = client.answer(&id)?;
    ensure!(start.elapsed().as_secs() < LONG / 2, "the calls went on: {told}");
    let values = told["result"]["structuredContent"]["value"].as_array().context("no values")?;
    let told = |(row, value): (&world::Row, &Value)| {
        let reason = value["reason"].as_str().context(format!("a call ended well: {value}"))?;
        Ok(format!("{} {reason}", row.name))
    };
    world.restarted().iter().zip(values).map(told).collect()
}
