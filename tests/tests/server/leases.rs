//! Several servers of one folder: one that is silent keeps the others out for the length of its lease, and
//! changes nothing afterwards.

use super::bound::{kill, server, turn};
use super::client::{Client, call};
use super::folder::Folder;
use super::session_rules::begin_turn;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

const FLAGS: [&str; 8] =
    ["--fuel", "1000G", "--fuel-ceiling", "1000G", "--wall-clock", "60s", "--lease", "2s"];

/// How long a test waits for something.
const PATIENCE: Duration = Duration::from_secs(30);

fn signal(client: &Client, name: &str) -> Result<()> {
    let process = client.process().to_string();
    ensure!(Command::new("kill").args([name, &process]).status()?.success(), "{name}");
    Ok(())
}

/// Makes a turn as soon as the session is free. How long that took, and what was told before.
fn turn_when_free(client: &mut Client, arguments: &Value) -> Result<(Duration, Value)> {
    let (start, mut told) = (Instant::now(), Value::Null);
    loop {
        let result = client.call("session_eval", arguments)?;
        if result["isError"] == false {
            return Ok((start.elapsed(), told));
        }
        told = result["structuredContent"].clone();
        ensure!(told["code"] == "session-busy" && start.elapsed() < PATIENCE, "{told}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_silent_server_keeps_others_out_so_long() -> Result<()> {
    let folder = Folder::new()?;
    let (mut one, mut other) = (server(folder.path(), &FLAGS)?, server(folder.path(), &FLAGS)?);
    turn(&mut one, &json!({"define": "a", "data": 1}))?;
    let id = begin_turn(&mut one, &folder, &json!("default"))?;
    // One that lives keeps its session however long the turn takes.
    sleep(Duration::from_secs(3));
    let busy = other.fault("session_eval", &json!({"code": "a"}))?;
    assert_eq!(busy["code"], "session-busy", "{busy}");
    let place = format!("process {}", one.process());
    ensure!(busy["message"].to_string().contains(&place), "{busy}");
    signal(&one, "-STOP")?;
    let (took, told) = turn_when_free(&mut other, &json!({"define": "b", "data": 2}))?;
    ensure!(told["code"] == "session-busy", "nobody was kept out: {took:?}");
    ensure!(took > Duration::from_millis(500), "{took:?}");
    // The server that wakes has lost the session: its turn ends and changes nothing.
    signal(&one, "-CONT")?;
    let answer = one.answer(&id)?;
    assert_eq!(answer["result"]["structuredContent"]["code"], "cancelled", "{answer}");
    assert_eq!(turn(&mut other, &json!({"code": "[a, b]"}))?["value"], json!([1, 2]));
    assert_eq!(turn(&mut one, &json!({"code": "[a, b]"}))?["value"], json!([1, 2]));
    Ok(())
}

#[test]
fn a_dead_server_leaves_its_session_when_its_lease_ends() -> Result<()> {
    let folder = Folder::new()?;
    let (mut one, mut other) = (server(folder.path(), &FLAGS)?, server(folder.path(), &FLAGS)?);
    turn(&mut one, &json!({"define": "a", "data": 1}))?;
    begin_turn(&mut one, &folder, &json!("default"))?;
    kill(&mut one)?;
    let (took, _) = turn_when_free(&mut other, &json!({"code": "a"}))?;
    ensure!(took > Duration::from_millis(500), "it did not wait for the lease: {took:?}");
    Ok(())
}

#[test]
fn a_verification_keeps_others_from_its_snapshot() -> Result<()> {
    let folder = Folder::new()?;
    let flags = [&FLAGS[..], &["--toolsets", "core,state,staging"]].concat();
    let (mut one, mut other) = (server(folder.path(), &flags)?, server(folder.path(), &flags)?);
    let forever = json!({"name": "forever", "description": "Does not end",
        "code": "x => x == 0 ? 0 : (f => f(f))(f => f(f))"});
    let staged = one.call("stage", &json!({"operations": [{"evolve": forever}]}))?;
    let snapshot = staged["structuredContent"]["snapshot"].clone();
    ensure!(snapshot.is_u64(), "{staged}");
    let asked =
        json!({"snapshot": snapshot, "tests": [{"tool": "forever", "input": 1, "output": 1}]});
    let id = json!("long");
    one.send(call(&id, "verify", &asked.to_string()))?;
    let discard = json!({ "snapshot": snapshot });
    let more = json!({"name": "more", "description": "One", "code": "x => 1"});
    let more = json!({"snapshot": snapshot, "operations": [{"evolve": more}]});
    let start = Instant::now();
    let busy = loop {
        let told = other.call("stage", &more)?["structuredContent"].clone();
        if told["code"] == "conflict" {
            break told;
        }
        ensure!(told["code"].is_null() && start.elapsed() < PATIENCE, "{told}");
    };
    let place = format!("process {}", one.process());
    ensure!(busy["message"].to_string().contains(&place), "{busy}");
    assert_eq!(other.fault("discard", &discard)?["code"], "conflict");
    kill(&mut one)?;
    let start = Instant::now();
    while other.call("discard", &discard)?["isError"] == true {
        ensure!(start.elapsed() < PATIENCE, "the snapshot is not left");
        sleep(Duration::from_millis(50));
    }
    Ok(())
}

#[test]
fn a_run_of_a_dead_server_goes_on_at_another_one() -> Result<()> {
    let folder = Folder::new()?;
    let flags = [&FLAGS[..], &["--toolsets", "core,state,work"]].concat();
    let (mut one, mut other) = (server(folder.path(), &flags)?, server(folder.path(), &flags)?);
    for (how, is_woken) in [("-KILL", false), ("-STOP", true)] {
        let code = LONG_SUM.replace("SALT", &how.len().to_string());
        let told = one.call("run", &json!({"code": code, "background": true}))?;
        let run = told["structuredContent"]["run"].clone();
        ensure!(run.is_u64(), "{told}");
        signal(&one, how)?;
        let told = other.call("run", &json!({"resume": run, "wait": 1}))?;
        assert_eq!(told["structuredContent"]["status"], "working", "{told}");
        let start = Instant::now();
        let done = loop {
            let told = other.call("run", &json!({"resume": run, "wait": 5}))?;
            let told = told["structuredContent"].clone();
            if told["status"] == "done" {
                break told;
            }
            ensure!(start.elapsed() < PATIENCE * 2, "{told}");
            sleep(Duration::from_millis(50));
        };
        if is_woken {
            signal(&one, "-CONT")?;
            sleep(Duration::from_secs(2));
        }
        // Its end is written once, and says what the run came to.
        let again = other.call("run", &json!({ "resume": run }))?["structuredContent"].clone();
        assert_eq!((&again["value"], &again["fuel"]), (&done["value"], &done["fuel"]));
        let recent = other.call("journal_recent", &json!({"kind": "run", "limit": 50}))?;
        let entries = recent["structuredContent"]["entries"].as_array().context("entries")?;
        let expected = if is_woken { 2 } else { 1 };
        assert_eq!(entries.len(), expected, "{recent}");
        one = server(folder.path(), &flags)?;
    }
    Ok(())
}

/// A program that takes a while.
const LONG_SUM: &str =
    "range(0, 40000).map(a => range(0, 2500).map(b => a * b + SALT).sum()).sum()";
