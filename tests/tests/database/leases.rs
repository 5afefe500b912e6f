//! Servers of one database that are silent, killed or stopped: others go on with what they have left. And a
//! database that is away: the registry is still shown.

use super::servers::Site;
use anyhow::{Context as _, Result, ensure};
use pif_tests::server::client::{Client, call};
use pif_tests::server::text::OMEGA;
use serde_json::{Value, json};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

const FLAGS: [&str; 10] = [
    "--toolsets",
    "core,state,sessions,staging,work",
    "--fuel",
    "1000G",
    "--fuel-ceiling",
    "1000G",
    "--wall-clock",
    "60s",
    "--lease",
    "2s",
];

/// A program that takes a while.
const LONG_SUM: &str = "range(0, 40000).map(a => range(0, 2500).map(b => a * b).sum()).sum()";

/// How long a test waits for something.
const PATIENCE: Duration = Duration::from_mins(1);

fn signal(client: &Client, name: &str) -> Result<()> {
    let process = client.process().to_string();
    ensure!(Command::new("kill").args([name, &process]).status()?.success(), "{name}");
    Ok(())
}

/// Calls until the call succeeds. What was told before.
fn until(client: &mut Client, tool: &str, arguments: &Value) -> Result<(Value, Vec<Value>)> {
    let (begun, mut before) = (Instant::now(), Vec::new());
    loop {
        let answer = client.call(tool, arguments)?;
        let told = answer["structuredContent"].clone();
        if answer["isError"] == false {
            return Ok((told, before));
        }
        ensure!(begun.elapsed() < PATIENCE, "{tool}: {told}");
        before.push(told["code"].clone());
        sleep(Duration::from_millis(20));
    }
}

/// Waits until a run is done. What it came to.
fn done(client: &mut Client, run: &Value) -> Result<Value> {
    let begun = Instant::now();
    loop {
        let told = client.call("run", &json!({"resume": run, "wait": 5}))?;
        let told = told["structuredContent"].clone();
        if told["status"] == "done" {
            return Ok(told);
        }
        ensure!(begun.elapsed() < PATIENCE, "{told}");
        sleep(Duration::from_millis(50));
    }
}

/// Begins a turn that does not end. Another server that asks for the session is told who has it.
fn begin_turn(site: &Site, one: &mut Client, other: &mut Client) -> Result<Value> {
    let id = json!("long");
    one.send(call(&id, "session_eval", &OMEGA))?;
    let begun = Instant::now();
    // Another turn that asked meanwhile would be in its way.
    let running = "SELECT count(*) FROM pif.session WHERE until IS NOT NULL";
    while site.database.query("pif", running)?.trim() != "1" {
        ensure!(begun.elapsed() < PATIENCE, "the turn does not begin");
        sleep(Duration::from_millis(20));
    }
    let told = other.fault("session_eval", &json!({"code": "1"}))?;
    assert_eq!(told["code"], "session-busy", "{told}");
    ensure!(told["message"].to_string().contains(&one.process().to_string()), "{told}");
    Ok(id)
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_session_goes_on_at_another_server_when_its_own_is_silent_or_dead() -> Result<()> {
    let site = Site::open()?;
    let (mut one, mut two) = (site.server_with(1, &FLAGS)?, site.server_with(2, &FLAGS)?);
    let mut three = site.server_with(3, &FLAGS)?;
    // Turn by turn, whichever server has the request.
    for (number, server) in [&mut one, &mut two, &mut three].into_iter().enumerate() {
        server.text("session_eval", &json!({"define": format!("n{number}"), "data": number}))?;
    }
    let id = begin_turn(&site, &mut one, &mut two)?;
    signal(&one, "-STOP")?;
    let all = json!({"code": "[n0, n1, n2]"});
    let (told, before) = until(&mut three, "session_eval", &all)?;
    assert_eq!(told["value"], json!([0, 1, 2]));
    ensure!(before.iter().all(|code| code == "session-busy") && !before.is_empty(), "{before:?}");
    // The server that wakes has lost the session, and works on.
    signal(&one, "-CONT")?;
    let answer = one.answer(&id)?;
    assert_eq!(answer["result"]["structuredContent"]["code"], "cancelled", "{answer}");
    until(&mut one, "session_eval", &all)?;
    begin_turn(&site, &mut two, &mut three)?;
    signal(&two, "-KILL")?;
    let (_, before) = until(&mut one, "session_eval", &all)?;
    ensure!(before.iter().all(|code| code == "session-busy") && !before.is_empty(), "{before:?}");
    ensure!(site.check()?.contains("all as they were written"));
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_run_goes_on_at_one_other_server() -> Result<()> {
    let site = Site::open()?;
    let mut runs = 0;
    for (how, is_woken) in [("-KILL", false), ("-STOP", true), ("-TERM", false)] {
        let mut servers = Vec::new();
        for number in 1..=3 {
            servers.push(site.server_with(number, &FLAGS)?);
        }
        let [one, two, three] = &mut servers[..] else { anyhow::bail!("three servers") };
        let told = one.call("run", &json!({"code": LONG_SUM, "background": true}))?;
        let run = told["structuredContent"]["run"].clone();
        ensure!(run.is_u64(), "{told}");
        let (begun, told) = (Instant::now(), two.call("runs", &json!({}))?);
        assert_eq!(told["structuredContent"]["runs"][0]["status"], "working", "{told}");
        signal(one, how)?;
        let told = done(two, &run)?;
        if is_woken {
            signal(one, "-CONT")?;
            sleep(Duration::from_secs(3));
            // It knows as well what the run came to.
            assert_eq!(done(one, &run)?["value"], told["value"]);
        }
        assert_eq!(done(three, &run)?["fuel"], told["fuel"]);
        pif_tests::tell(&format!("{how}: the run was done after {:?}", begun.elapsed()));
        // Its end is written once, whoever wrote it.
        runs += 1;
        let recent = three.call("journal_recent", &json!({"kind": "run", "limit": 50}))?;
        let entries = recent["structuredContent"]["entries"].as_array().context("entries")?;
        assert_eq!(entries.len(), runs, "{recent}");
    }
    ensure!(site.check()?.contains("all as they were written"));
    Ok(())
}

/// The registry is shown as it was, and nothing is written, until the database is back.
#[test]
#[ignore = "needs PostgreSQL"]
fn the_registry_is_shown_while_the_database_is_away() -> Result<()> {
    let mut site = Site::open()?;
    let (mut one, mut two) = (site.server_with(1, &FLAGS)?, site.server_with(2, &FLAGS)?);
    one.evolve("double", "Doubles a number", &json!("x => x * 2"))?;
    one.evolve("quad", "Doubles a number twice", &json!("x => @double(@double(x))"))?;
    one.evolve("gone", "Is retired", &json!("x => x"))?;
    until(&mut two, "run", &json!({"tool": "gone", "data": 1}))?;
    two.evolve("later", "Comes from the other server", &json!("x => x + 1"))?;
    sleep(Duration::from_secs(2));
    site.database.stop()?;
    let stopped = pif_domain::text::time::now();
    let reads = [
        ("list", json!({}), "later"),
        ("list", json!({"query": "twice"}), "quad"),
        ("inspect", json!({"tool": "quad"}), "@double(@double(x))"),
        ("check", json!({"code": "@quad(1)"}), "the type holds for: quad"),
        ("help", json!({}), "fold"),
    ];
    for server in [&mut one, &mut two] {
        for (tool, arguments, expected) in &reads {
            let answer = server.call(tool, arguments)?;
            ensure!(answer["isError"] == false, "{tool}: {answer}");
            ensure!(answer.to_string().contains(expected), "{tool}: {answer}");
            let told = &answer["structuredContent"];
            let as_of = told["as_of"].as_str().with_context(|| format!("{tool}: {answer}"))?;
            let as_of = pif_domain::text::time::parse(as_of).context("a time")?;
            ensure!((stopped - 5_000..=stopped + 1_000).contains(&as_of), "{as_of} {stopped}");
            ensure!(told["notes"].to_string().contains("the database is away"), "{answer}");
        }
        let listed = server.request("tools/list", &json!({}))?;
        ensure!(listed["_meta"]["mcp-pif/as_of"].is_string(), "{}", listed["_meta"]);
        ensure!(listed["tools"].to_string().contains("\"quad\""));
        for (tool, arguments) in [
            ("run", json!({"tool": "double", "data": 1})),
            ("run", json!({"code": "1", "durable": true})),
            ("evolve", json!({"name": "n", "description": "One", "code": "x => x"})),
            ("memory_store", json!({"key": "a", "value": 1})),
            ("session_eval", json!({"code": "1"})),
            ("stage", json!({"operations": [{"retire": "double"}]})),
        ] {
            let fault = server.fault(tool, &arguments)?;
            assert_eq!(fault["code"], "store-unavailable", "{tool}: {fault}");
        }
    }
    site.database.begin()?;
    for server in [&mut one, &mut two] {
        until(server, "run", &json!({"tool": "quad", "data": 1}))?;
        let told = server.call("list", &json!({}))?["structuredContent"].clone();
        ensure!(told["as_of"].is_null(), "{told}");
    }
    one.evolve("fresh", "Comes afterwards", &json!("x => x"))?;
    until(&mut two, "run", &json!({"tool": "fresh", "data": 1}))?;
    Ok(())
}
