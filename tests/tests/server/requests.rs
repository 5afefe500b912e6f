//! Requests under way: their ids, their cancellation, and more of them than can be served.

use super::client::{Client, call, request};
use super::text::{FOREVER, OMEGA};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::Write;
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A server that runs one thing at a time, and that for ever.
fn patient(more: &[&str]) -> Result<Client> {
    let own = ["--concurrency", "1", "--patience", "1h"];
    Client::legacy_with(&[&own, FOREVER, more].concat())
}

/// Starts a run that does not end and waits until it is under way: it reports progress.
fn start_endless(client: &mut Client, id: &Value) -> Result<()> {
    let again = json!({"lam": "x", "body": {"continue": {"input": {"var": "x"}}}});
    client.evolve("endless", "Never comes to an end", &again)?;
    let arguments = json!({"tool": "endless", "input": 0, "max_steps": 1_000_000});
    let token = json!({"progressToken": id});
    let params = json!({"name": "run", "arguments": arguments, "_meta": token});
    client.send(request(id, "tools/call", &params))?;
    client.find(|it| {
        it["method"] == "notifications/progress" && it["params"]["progressToken"] == *id
    })?;
    Ok(())
}

fn cancel(client: &mut Client, id: &Value) -> Result<()> {
    let params = json!({"requestId": id});
    let cancelled = "notifications/cancelled";
    client.send(json!({"jsonrpc": "2.0", "method": cancelled, "params": params}).to_string())
}

#[test]
fn an_id_in_use_is_refused_and_its_first_request_answered() -> Result<()> {
    let mut client = patient(&[])?;
    let (busy, id) = (json!("busy"), json!(42));
    start_endless(&mut client, &busy)?;
    client.send(call(&id, "run", r#"{"code":{"add":[40,2]}}"#))?;
    client.send(request(&id, "ping", &json!({})))?;
    let refusal = client.answer(&id)?;
    assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&id, &json!(-32600)), "{refusal}");
    cancel(&mut client, &busy)?;
    assert_eq!(client.answer(&id)?["result"]["structuredContent"]["value"], 42);
    client.send(request(&id, "ping", &json!({})))?;
    assert_eq!(client.answer(&id)?["result"], json!({}), "an answered id is free again");
    Ok(())
}

#[test]
fn a_cancelled_run_stops_and_is_not_answered() -> Result<()> {
    let mut client = patient(&[])?;
    let id = json!("endless");
    start_endless(&mut client, &id)?;
    cancel(&mut client, &id)?;
    // There is but one place to run in: it is free again.
    assert_eq!(client.text("run", &json!({"code": {"add": [1, 2]}}))?, "3");
    ensure_unanswered(client)
}

/// Nothing is answered that was not waited for.
fn ensure_unanswered(client: Client) -> Result<()> {
    let ending = client.finish()?;
    let answers: Vec<_> = ending.rest.iter().filter(|it| it.get("id").is_some()).collect();
    ensure!(answers.is_empty(), "{answers:?}");
    Ok(())
}

#[test]
fn a_cancelled_request_that_waits_is_not_answered() -> Result<()> {
    let mut client = patient(&["--queue", "1"])?;
    let [running, waiting, parked] = ["running", "waiting", "parked"].map(|name| json!(name));
    start_endless(&mut client, &running)?;
    for id in [&waiting, &parked] {
        client.send(call(id, "run", r#"{"code":1}"#))?;
    }
    for id in [&parked, &waiting, &running] {
        cancel(&mut client, id)?;
    }
    assert_eq!(client.text("run", &json!({"code": {"add": [1, 2]}}))?, "3");
    ensure_unanswered(client)
}

#[test]
fn a_request_of_the_stateless_protocol_is_cancelled_alike() -> Result<()> {
    let mut client =
        Client::start(&[&["--concurrency", "1", "--patience", "1h"], FOREVER].concat())?;
    let id = json!(1);
    let arguments: Value = serde_json::from_str(&OMEGA)?;
    let params = json!({"name": "run", "arguments": arguments});
    client.send(super::client::modern(&id, "tools/call", params)?)?;
    cancel(&mut client, &id)?;
    let params = json!({"name": "run", "arguments": {"code": {"add": [1, 2]}}});
    assert_eq!(client.modern("tools/call", params)?["structuredContent"]["value"], 3);
    ensure_unanswered(client)
}

#[test]
fn progress_grows_and_belongs_to_its_request() -> Result<()> {
    let mut client = patient(&[])?;
    let id = json!("steps");
    start_endless(&mut client, &id)?;
    let progress = |message: &Value| message["method"] == "notifications/progress";
    let mut last = 0.0;
    for _ in 0..3 {
        let now = client.find(progress)?["params"]["progress"].as_f64().context("a number")?;
        ensure!(now > last, "{now} after {last}");
        last = now;
    }
    cancel(&mut client, &id)
}

#[test]
fn a_busy_server_says_so() -> Result<()> {
    let own = ["--concurrency", "1", "--patience", "1ms"];
    let mut client = Client::legacy_with(&[&own, FOREVER].concat())?;
    start_endless(&mut client, &json!("endless"))?;
    assert_eq!(client.fault("run", &json!({"code": 1}))?["code"], "busy");
    Ok(())
}

#[test]
fn calls_at_the_same_time_do_not_mix() -> Result<()> {
    let mut client = Client::legacy()?;
    client.evolve("square", "Squares", &json!({"mul": [{"var": "x"}, {"var": "x"}]}))?;
    for id in 0..200 {
        let arguments = json!({"tool": "square", "input": id}).to_string();
        client.send(call(&json!(id), "run", &arguments))?;
    }
    for id in 0..200_u64 {
        let answer = client.answer(&json!(id))?;
        assert_eq!(answer["result"]["structuredContent"]["value"], json!(id * id));
    }
    Ok(())
}

/// More than any queue holds, with answers that fill the pipe at once.
#[test]
#[ignore = "long"]
fn requests_of_a_client_that_does_not_read_are_held_back() -> Result<()> {
    const REQUESTS: usize = 20_000;
    let mut client = Client::start(&[])?;
    let mut input = client.take_input()?;
    let written = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&written);
    let writer = thread::spawn(move || -> Result<ChildStdin> {
        let first = request(&json!("first"), "initialize", &super::client::initialize());
        writeln!(input, "{first}")?;
        for id in 0..REQUESTS {
            let line = match id % 10 {
                0 => request(&json!(id), "tools/list", &json!({})),
                _ => call(&json!(id), "run", r#"{"code":{"add":[40,2]}}"#),
            };
            writeln!(input, "{line}")?;
            counter.store(id, Ordering::Relaxed);
        }
        Ok(input)
    });
    assert!(settle(&written)? < REQUESTS - 1, "all requests were taken in");

    let mut ids = HashSet::new();
    while ids.len() < REQUESTS {
        let answer = client.next_message()?;
        ensure!(answer.get("error").is_none(), "{answer}");
        if let Some(id) = answer["id"].as_u64() {
            ensure!(ids.insert(id), "{id} was answered twice");
        }
    }
    // The end of input would end the server, and with it the account of its memory.
    let _input = writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))??;
    #[cfg(target_os = "linux")]
    {
        let peak = client.peak_memory()?;
        assert!(peak < 200 << 10, "{} MiB at the peak", peak >> 10);
    }
    Ok(())
}

/// Requests with long answers, none of which is read: what waits to be written is bounded by its
/// bytes.
#[test]
#[ignore = "long"]
#[cfg(target_os = "linux")]
fn long_answers_that_nobody_reads_take_little_memory() -> Result<()> {
    let long = json!({"code": {"repeat": ["x", 40_000]}});
    let big = Value::from("x".repeat(1_000_000));
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "run", "arguments": long})),
        ("tools/call", json!({"name": "list", "arguments": {}})),
        ("tools/call", json!({"name": "memory_retrieve", "arguments": {"tags": [], "limit": 100}})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "pif://tool/big"})),
        ("resources/read", json!({"uri": "pif://language"})),
    ] {
        let mut client = Client::legacy()?;
        for index in 0..110 {
            client.evolve(&format!("tool_{index}"), &"é".repeat(1_000), &json!(index))?;
        }
        client.evolve("big", "", &big)?;
        client.call("memory_store", &json!({"key": "k", "value": "x".repeat(40_000)}))?;
        let mut input = client.take_input()?;
        let written = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&written);
        let line = |id: usize| request(&json!(id), method, &params);
        let lines: Vec<String> = (0..20_000).map(line).collect();
        thread::spawn(move || {
            for (id, line) in lines.iter().enumerate() {
                if writeln!(input, "{line}").is_err() {
                    break;
                }
                counter.store(id, Ordering::Relaxed);
            }
        });
        settle(&written)?;
        let peak = client.peak_memory()?;
        assert!(peak < 256 << 10, "{method} {params}: {} MiB at the peak", peak >> 10);
    }
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_is_asked_nothing_takes_no_time_of_the_processor() -> Result<()> {
    let mut client = Client::legacy()?;
    for n in 0..100 {
        let answer = client.call("run", &json!({"code": n}))?;
        assert_eq!(answer["structuredContent"]["value"], n);
    }
    thread::sleep(Duration::from_millis(100));
    let before = time_taken(client.process())?;
    thread::sleep(Duration::from_secs(1));
    let taken = time_taken(client.process())?.saturating_sub(before);
    assert!(taken < Duration::from_millis(200), "{taken:?} of a second");
    Ok(())
}

/// How long the thread that answers had a processor so far.
#[cfg(target_os = "linux")]
fn time_taken(process: u32) -> Result<Duration> {
    let told = std::fs::read_to_string(format!("/proc/{process}/schedstat"))?;
    let taken = told.split_whitespace().next().context("no time")?;
    Ok(Duration::from_nanos(taken.parse()?))
}

/// Waits until a count stands still: how many lines a server takes that nobody reads from.
fn settle(written: &AtomicUsize) -> Result<usize> {
    /// More lines than fit into a pipe whose other end is not read yet.
    const STARTED: usize = 1_000;
    let mut before = 0;
    for _ in 0..120 {
        thread::sleep(Duration::from_millis(500));
        let now = written.load(Ordering::Relaxed);
        if now > STARTED && now == before {
            return Ok(now);
        }
        before = now;
    }
    anyhow::bail!("no stop after {before} lines")
}
