//! Ending a run from outside: by a notification in both eras, by going away, by a signal. It stops,
//! its place is free, nothing more is heard of it, and others do not notice.

use crate::client::{Client, call, modern, request};
use crate::text::{FOREVER, OMEGA};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};

/// Cancellations to a test.
const TIMES: usize = 20;

/// Far beyond what is promised, for machines that do much else. `cargo x cancel` tells the figures.
const LATE: Duration = Duration::from_secs(5);

/// A server with so many places, in which nothing ends by itself.
fn settings(places: &'static str) -> Vec<&'static str> {
    [&["--concurrency", places, "--patience", "1h"], FOREVER].concat()
}

/// A request in one of the two eras, whose progress is reported under its id.
fn run(id: &Value, arguments: &Value, is_modern: bool) -> Result<String> {
    let meta = json!({"progressToken": id});
    let params = json!({"name": "run", "arguments": arguments, "_meta": meta});
    if !is_modern {
        return Ok(request(id, "tools/call", &params));
    }
    let mut line: Value = serde_json::from_str(&modern(id, "tools/call", params)?)?;
    line["params"]["_meta"]["progressToken"] = id.clone();
    Ok(line.to_string())
}

fn cancel(client: &mut Client, id: &Value) -> Result<()> {
    let params = json!({"requestId": id, "reason": "a test"});
    let cancelled = "notifications/cancelled";
    client.send(json!({"jsonrpc": "2.0", "method": cancelled, "params": params}).to_string())
}

fn answer(client: &mut Client, id: &Value, is_modern: bool) -> Result<()> {
    client.send(run(id, &json!({"code": {"add": [40, 2]}}), is_modern)?)?;
    let answer = client.answer(id)?;
    ensure!(answer["result"]["structuredContent"]["value"] == 42, "{answer}");
    Ok(())
}

fn endless_tool(client: &mut Client) -> Result<()> {
    let code = json!({"lam": "x", "body": {"continue": {"input": {"var": "x"}}}});
    let params = json!({"name": "evolve", "arguments":
        {"name": "endless", "description": "Never comes to an end", "code": code}});
    client.modern("tools/call", params).map(drop)
}

/// Nothing that was left unread is an answer to one of these, or its progress.
fn ensure_silence(client: Client, ids: &[Value]) -> Result<()> {
    let ending = client.finish()?;
    for message in &ending.rest {
        let id = message.get("id").unwrap_or(&message["params"]["progressToken"]);
        ensure!(!ids.contains(id), "a late message: {message}");
    }
    ensure!(ending.status.success() && ending.errors.is_empty(), "{ending:?}");
    Ok(())
}

/// There is one place, and whoever answers next has got it.
fn cancel_within_a_step(is_modern: bool) -> Result<()> {
    let mut client = Client::start(&settings("1"))?;
    if !is_modern {
        client.initialize()?;
    }
    let omega: Value = serde_json::from_str(&OMEGA)?;
    let mut times = Vec::new();
    let mut cancelled = Vec::new();
    for round in 0..TIMES {
        let id = json!(format!("omega {round}"));
        client.send(run(&id, &omega, is_modern)?)?;
        // Before it begins, and while it runs.
        thread::sleep(Duration::from_millis(if round % 2 == 0 { 0 } else { 10 }));
        let start = Instant::now();
        cancel(&mut client, &id)?;
        answer(&mut client, &json!(round), is_modern)?;
        times.push(start.elapsed());
        cancelled.push(id);
    }
    times.sort();
    println!(
        "cancelled within a step: median {:?}, worst {:?}",
        times[TIMES / 2],
        times[TIMES - 1]
    );
    ensure!(times[TIMES / 2] < LATE, "{times:?}");
    ensure_silence(client, &cancelled)
}

#[test]
fn the_older_protocol_cancels_within_a_step() -> Result<()> {
    cancel_within_a_step(false)
}

#[test]
fn the_stateless_protocol_cancels_within_a_step() -> Result<()> {
    cancel_within_a_step(true)
}

/// Each step is short: the run is stopped between two of them, or while one is set up. Progress
/// that was on its way is held back too.
#[test]
fn a_driven_continuation_is_cancelled_between_its_steps() -> Result<()> {
    for is_modern in [false, true] {
        let mut client = Client::start(&settings("1"))?;
        if !is_modern {
            client.initialize()?;
        }
        endless_tool(&mut client)?;
        let mut cancelled = Vec::new();
        for round in 0..TIMES / 2 {
            let id = json!(format!("steps {round}"));
            let endless = json!({"tool": "endless", "input": 0, "max_steps": 1_000_000});
            client.send(run(&id, &endless, is_modern)?)?;
            let progress = client.find(|it| it["params"]["progressToken"] == id)?;
            ensure!(progress["method"] == "notifications/progress", "{progress}");
            ensure!(progress["params"]["progress"].as_f64() >= Some(1.0), "{progress}");
            cancel(&mut client, &id)?;
            answer(&mut client, &json!(round), is_modern)?;
            // What was read so far may have been written before the server heard of it.
            while client.try_find(|it| it["params"]["progressToken"] == id).is_some() {}
            cancelled.push(id);
        }
        ensure_silence(client, &cancelled)?;
    }
    Ok(())
}

/// Runs at the same time give what they give alone.
#[test]
fn other_calls_are_not_disturbed() -> Result<()> {
    let mut client = Client::legacy_with(&settings("2"))?;
    let sum = json!({"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}});
    let code = json!({"fold": [sum, 0, (0..20_000).collect::<Vec<u32>>()]});
    let alone = client.call("run", &json!({"code": code}))?;
    for round in 0..TIMES {
        let id = json!(format!("omega {round}"));
        client.send(call(&id, "run", &OMEGA))?;
        client.send(call(&json!(round), "run", &json!({"code": code}).to_string()))?;
        cancel(&mut client, &id)?;
        let answer = client.answer(&json!(round))?;
        ensure!(answer["result"] == alone, "{answer}");
    }
    ensure_silence(client, &[])
}

/// Examples are runs too, and a change whose examples are cancelled is none.
#[test]
fn a_change_is_cancelled_while_its_examples_run() -> Result<()> {
    let mut client = Client::legacy_with(&settings("1"))?;
    let mut omega: Value = serde_json::from_str(&OMEGA)?;
    let arguments = json!({
        "name": "omega", "description": "Never ends",
        "code": omega["code"].take(), "examples": [{"output": 1}],
    });
    let id = json!("evolve");
    client.send(call(&id, "evolve", &arguments.to_string()))?;
    cancel(&mut client, &id)?;
    answer(&mut client, &json!(1), false)?;
    let info = client.call("server_info", &json!({}))?;
    ensure!(info["structuredContent"]["tools"] == 0, "{info}");
    ensure_silence(client, &[id])
}

/// Neither end of the pipes is left: there is nobody to wait for.
#[cfg(unix)]
#[test]
fn a_client_that_is_gone_takes_its_runs_with_it() -> Result<()> {
    // After this the component is compiled, which takes its time once.
    Client::legacy_with(&settings("1"))?.ping()?;
    // Nothing is read, so that closing the output leaves no other reader.
    let mut client = Client::start(&settings("1"))?;
    client.send(run(&json!("omega"), &serde_json::from_str(&OMEGA)?, true)?)?;
    thread::sleep(Duration::from_millis(100));
    let start = Instant::now();
    client.vanish();
    ensure!(client.wait()?.success(), "it fails");
    println!("gone {:?} after its client", start.elapsed());
    ensure!(start.elapsed() < LATE, "{:?}", start.elapsed());
    Ok(())
}

/// The caller is told, once, and the process is gone soon after.
#[cfg(unix)]
#[test]
fn signals_stop_runs_and_then_the_process() -> Result<()> {
    for signal in ["TERM", "INT"] {
        let mut client = Client::legacy_with(&settings("1"))?;
        client.send(call(&json!("omega"), "run", &OMEGA))?;
        client.ping()?;
        let start = Instant::now();
        let kill = format!("kill -{signal} {}", client.process());
        let killed = std::process::Command::new("sh").args(["-c", &kill]).status()?;
        ensure!(killed.success(), "`{kill}` fails");
        ensure!(client.wait()?.success(), "{signal}: it fails");
        println!("{signal}: gone after {:?}", start.elapsed());
        let ending = client.finish()?;
        ensure!(ending.errors.is_empty() && ending.rest.len() <= 1, "{signal}: {ending:?}");
        for answer in &ending.rest {
            let code = &answer["result"]["structuredContent"]["code"];
            ensure!(answer["id"] == "omega" && code == "cancelled", "{signal}: {answer}");
        }
    }
    Ok(())
}

/// A subscription is a request too: cancelled, it is heard of no more.
#[test]
fn a_subscription_is_cancelled() -> Result<()> {
    let mut client = Client::start(&[])?;
    let id = json!("listener");
    let filter = json!({"notifications": {"toolsListChanged": true}});
    client.send(modern(&id, "subscriptions/listen", filter)?)?;
    client.notification("notifications/subscriptions/acknowledged")?;
    cancel(&mut client, &id)?;
    answer(&mut client, &json!(1), true)?;
    endless_tool(&mut client)?;
    let rest = client.finish()?.rest;
    ensure!(rest.is_empty(), "{rest:?}");
    Ok(())
}

#[test]
fn progress_is_told_only_to_those_who_ask() -> Result<()> {
    let mut client = Client::legacy_with(&["--concurrency", "1"])?;
    endless_tool(&mut client)?;
    let id = json!("steps");
    let arguments = json!({"tool": "endless", "input": 0, "max_steps": 200});
    client.send(call(&id, "run", &arguments.to_string()))?;
    let answer = client.answer(&id)?;
    ensure!(answer["result"]["structuredContent"]["steps"] == 200, "{answer}");
    client.send(run(&json!("asked"), &arguments, false)?)?;
    client.answer(&json!("asked"))?;
    let ending = client.finish()?;
    let progress: Vec<_> =
        ending.rest.iter().filter(|it| it["method"] == "notifications/progress").collect();
    for message in &progress {
        ensure!(message["params"]["progressToken"] == "asked", "{message}");
    }
    progress.first().context("no progress for who asked").map(drop)
}
