//! The layers that a client meets: of the language, of the gate, and of what is taken in and given
//! out. The server is the real one, and all layers but the one in question are out of reach.

use crate::client::{Client, call, request, text};
use crate::text::{OMEGA, identity};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A server none of whose limits is met, but for those that are set after.
fn server(own: &[&str]) -> Result<Client> {
    let mut settings = Vec::new();
    for (flag, value) in [
        ("--fuel", "1000000G"),
        ("--fuel-ceiling", "1000000G"),
        ("--wall-clock", "1h"),
        ("--patience", "1h"),
    ] {
        if !own.contains(&flag) {
            settings.extend([flag, value]);
        }
    }
    settings.extend(own);
    Client::legacy_with(&settings)
}

/// The fault is the work of this limit, and says so in figures and in words.
fn ensure_limit(fault: &Value, code: &str, name: &str, used: &Value, limit: &Value) -> Result<()> {
    ensure!(fault["code"] == code, "{fault}");
    ensure!(fault["limit"] == json!({"name": name, "used": used, "limit": limit}), "{fault}");
    let words = format!("[{name}: {used} of {limit}]");
    ensure!(fault["message"].as_str().is_some_and(|it| it.ends_with(&words)), "{fault}");
    Ok(())
}

fn recursion(levels: u32) -> Value {
    let again = json!({"app": {
        "func": {"var": "go"},
        "args": [{"var": "go"}, {"sub": [{"var": "n"}, 1]}],
    }});
    let test = json!({"cond": {"eq": [{"var": "n"}, 0]}, "then": 0, "else": {"add": [1, again]}});
    let go = json!({"lam": ["go", "n"], "body": {"if": test}});
    json!({"let": {"go": go}, "in": {"app": {"func": {"var": "go"}, "args": [{"var": "go"}, levels]}}})
}

#[test]
fn language_fuel_stops_a_run() -> Result<()> {
    let mut client = server(&["--fuel", "12345"])?;
    let fault = client.fault("run", &serde_json::from_str(&OMEGA)?)?;
    ensure_limit(&fault, "out-of-fuel", "fuel", &json!(12_345), &json!(12_345))?;
    let own = json!({"code": {"add": [1, 2]}, "fuel": 2});
    ensure_limit(&client.fault("run", &own)?, "out-of-fuel", "fuel", &json!(2), &json!(2))
}

#[test]
fn language_depth_stops_a_run() -> Result<()> {
    let mut client = server(&["--depth", "5000"])?;
    let fault = client.fault("run", &json!({"code": recursion(100_000)}))?;
    ensure_limit(&fault, "too-deep", "depth", &json!(5_000), &json!(5_000))?;
    ensure!(client.text("run", &json!({"code": recursion(500)}))? == "500");
    Ok(())
}

#[test]
fn language_memory_stops_a_run() -> Result<()> {
    let mut client = server(&["--memory", "2MiB"])?;
    let fault = client.fault("run", &json!({"code": list(10_000_000)}))?;
    let used = fault["limit"]["used"].clone();
    ensure_limit(&fault, "too-large", "memory", &used, &json!(2 << 20))?;
    ensure!(used.as_u64() <= Some(2 << 20), "{fault}");
    // Data that does not fit never becomes a machine.
    let data: Vec<[u32; 3]> = (0..100_000).map(|n| [n, n, n]).collect();
    let fault = client.fault("run", &json!({"code": identity(), "data": data}))?;
    ensure!(fault["limit"]["name"] == "memory", "{fault}");
    Ok(())
}

/// The length of a list of so many numbers, all of which are alive at once.
fn list(length: u32) -> Value {
    let rest = json!([
        {"var": "go"},
        {"sub": [{"var": "n"}, 1]},
        {"cons": {"head": {"var": "n"}, "tail": {"var": "l"}}},
    ]);
    let test = json!({
        "cond": {"eq": [{"var": "n"}, 0]},
        "then": {"length": {"var": "l"}},
        "else": {"app": {"func": {"var": "go"}, "args": rest}},
    });
    let go = json!({"lam": ["go", "n", "l"], "body": {"if": test}});
    let start = json!([{"var": "go"}, length, []]);
    json!({"let": {"go": go}, "in": {"app": {"func": {"var": "go"}, "args": start}}})
}

/// Running, checking and evolving are all covered.
#[test]
fn wasmtime_fuel_stops_what_language_fuel_does_not() -> Result<()> {
    let own = ["--wasmtime-fuel", "1", "--wasmtime-fuel-per-unit", "0", "--memory", "1MiB"];
    let mut client = server(&own)?;
    for (tool, arguments) in [
        ("run", serde_json::from_str(&OMEGA)?),
        ("check", json!({"code": 1})),
        ("evolve", json!({"name": "one", "description": "", "code": 1})),
    ] {
        let fault = client.fault(tool, &arguments)?;
        let all = fault["limit"]["limit"].clone();
        ensure_limit(&fault, "internal", "wasmtime_fuel", &all, &all).context(tool)?;
    }
    Ok(())
}

/// The evaluator is refused the memory that its own accounting would allow.
#[test]
fn the_memory_ceiling_stops_what_language_memory_does_not() -> Result<()> {
    let mut client = server(&["--instance-memory", "8MiB", "--memory", "512MiB"])?;
    let fault = client.fault("run", &json!({"code": list(10_000_000)}))?;
    let used = fault["limit"]["used"].clone();
    let code = fault["code"].as_str().context("a code")?.to_owned();
    ensure!(["internal", "too-large"].contains(&code.as_str()), "{fault}");
    ensure_limit(&fault, &code, "instance_memory", &used, &json!(8 << 20))?;
    ensure!(used.as_u64() > Some(8 << 20), "{fault}");
    ensure!(client.text("run", &json!({"code": {"add": [1, 2]}}))? == "3");
    Ok(())
}

#[test]
fn the_deadline_stops_a_run() -> Result<()> {
    let mut client = server(&["--wall-clock", "60ms"])?;
    let fault = client.fault("run", &serde_json::from_str(&OMEGA)?)?;
    let used = fault["limit"]["used"].clone();
    ensure_limit(&fault, "timeout", "wall_clock_ms", &used, &json!(60))?;
    ensure!(used.as_u64() >= Some(60), "{fault}");
    Ok(())
}

/// Starts a run that does not end, and waits until it has its place.
pub(crate) fn start_endless(client: &mut Client, id: &Value) -> Result<()> {
    let again = json!({"lam": "x", "body": {"continue": {"input": {"var": "x"}}}});
    client.evolve("endless", "Never comes to an end", &again)?;
    let arguments = json!({"tool": "endless", "input": 0, "max_steps": 1_000_000});
    let params = json!({"name": "run", "arguments": arguments, "_meta": {"progressToken": id}});
    client.send(request(id, "tools/call", &params))?;
    client.find(|it| {
        it["method"] == "notifications/progress" && it["params"]["progressToken"] == *id
    })?;
    Ok(())
}

#[test]
fn the_gate_lets_in_as_many_as_there_are_places() -> Result<()> {
    let mut client = server(&["--concurrency", "2", "--patience", "20ms"])?;
    start_endless(&mut client, &json!("first"))?;
    ensure!(client.text("run", &json!({"code": {"add": [1, 2]}}))? == "3");
    start_endless_again(&mut client, "second")?;
    let fault = client.fault("run", &json!({"code": {"add": [1, 2]}}))?;
    ensure_limit(&fault, "busy", "patience_ms", &json!(20), &json!(20))
}

fn start_endless_again(client: &mut Client, id: &str) -> Result<()> {
    let arguments = json!({"tool": "endless", "input": 0, "max_steps": 1_000_000});
    let params = json!({"name": "run", "arguments": arguments, "_meta": {"progressToken": id}});
    client.send(request(&json!(id), "tools/call", &params))?;
    client.find(|it| it["params"]["progressToken"] == id).map(drop)
}

/// The run holds the one place, one request waits, the others are not even read.
#[test]
fn a_full_queue_stops_the_reading() -> Result<()> {
    const LINES: usize = 20_000;
    let own = ["--concurrency", "1", "--queue", "1"];
    let mut client = server(&own)?;
    start_endless(&mut client, &json!("endless"))?;
    let mut input = client.take_input()?;
    let written = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&written);
    // It ends with the server.
    thread::spawn(move || {
        let padding = "x".repeat(500);
        for id in 0..LINES {
            let line = call(&json!(id), "run", &format!(r#"{{"code":"\"{padding}\""}}"#));
            if writeln!(input, "{line}").is_err() {
                return;
            }
            counter.store(id + 1, Ordering::Relaxed);
        }
    });
    let mut before = 0;
    for _ in 0..600 {
        thread::sleep(Duration::from_millis(100));
        let now = written.load(Ordering::Relaxed);
        if now > 0 && now == before {
            break;
        }
        before = now;
    }
    println!("{before} of {LINES} lines were taken");
    ensure!((1..LINES / 2).contains(&before), "{before} of {LINES} lines were taken");
    Ok(())
}

#[test]
fn a_line_over_its_cap_is_refused() -> Result<()> {
    let mut client = server(&["--max-line", "1000"])?;
    let line = call(&json!("long"), "run", &format!("{{\"code\":\"{}\"}}", "x".repeat(5_000)));
    client.send(&line)?;
    // The line was not read, so nobody knows its id.
    let error =
        client.find(|it| it["error"].is_object() && it.get("id").is_none())?["error"].clone();
    ensure!(error["code"] == -32600, "{error}");
    let limit = json!({"name": "line", "used": line.len(), "limit": 1_000});
    ensure!(error["data"]["limit"] == limit, "{error}");
    Ok(())
}

#[test]
fn nesting_over_its_cap_is_refused() -> Result<()> {
    let mut client = server(&["--max-nesting", "20"])?;
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    client.send(call(&json!("deep"), "run", &format!("{{\"code\":{}}}", nested(21))))?;
    let error = client.answer(&json!("deep"))?["error"].clone();
    ensure!(error["code"] == -32600, "{error}");
    ensure!(
        error["data"]["limit"] == json!({"name": "nesting", "used": 21, "limit": 20}),
        "{error}"
    );
    ensure!(client.call_text("run", &format!("{{\"code\":{}}}", nested(20)))?["isError"] == false);
    ensure!(client.text("run", &json!({"code": nested(5_000)}))? == nested(5_000));
    Ok(())
}

#[test]
fn code_and_data_over_their_caps_are_refused() -> Result<()> {
    let mut client = server(&["--max-code", "100", "--max-data", "200"])?;
    let long = "x".repeat(300);
    for (arguments, name, used, limit) in [
        (json!({"code": format!("\"{long}\"")}), "code", 302, 100),
        (json!({"code": identity(), "data": long}), "data", 302, 200),
        (json!({"code": identity(), "input": long}), "data", 302, 200),
        (json!({"code": 1, "context": {"x": long}}), "data", 308, 200),
    ] {
        let fault = client.fault("run", &arguments)?;
        ensure_limit(&fault, "too-large", name, &json!(used), &json!(limit))?;
    }
    Ok(())
}

#[test]
fn a_result_over_its_cap_is_absent() -> Result<()> {
    let mut client = server(&["--max-result", "100"])?;
    let result = client.call("run", &json!({"code": identity(), "data": "é".repeat(101)}))?;
    let record = &result["structuredContent"];
    ensure!(record["truncated"] == true && record["size"] == 101, "{result}");
    ensure!(record["limit"] == json!({"name": "result", "used": 101, "limit": 100}), "{result}");
    ensure!(record["hint"].as_str().is_some_and(|it| it.contains("`take`")), "{result}");
    ensure!(record.get("value").is_none() && record.get("exact").is_none(), "{result}");
    ensure!(!text(&result)?.contains('é'), "a part of it is shown: {result}");
    Ok(())
}

/// Fail fast: each flag and variable that makes no sense stops the start, by its name.
#[test]
fn nonsense_stops_the_start() -> Result<()> {
    for (flag, value) in [
        ("--fuel", "0"),
        ("--depth", "deep"),
        ("--memory", "1k"),
        ("--wasmtime-fuel", "0"),
        ("--instance-memory", "1"),
        ("--instance-memory", "8GiB"),
        ("--wall-clock", "soon"),
        ("--concurrency", "0"),
        ("--queue", "0"),
        ("--patience", "0s"),
        ("--max-line", "0"),
        ("--max-nesting", "0"),
        ("--max-code", "x"),
        ("--max-data", "1.5"),
        ("--max-result", "0"),
        ("--profile", "loud"),
    ] {
        let mut client = Client::start(&[flag, value])?;
        ensure!(!client.wait()?.success(), "{flag} {value}");
        let said = client.finish()?.errors;
        ensure!(said.contains(flag), "{flag} {value}: {said}");
    }
    Ok(())
}

/// A step may use one tool of any size, but not several that are too long together.
#[test]
fn the_sources_of_a_run_are_bounded() -> Result<()> {
    const LENGTH: usize = 3 << 20;
    let mut client = server(&[])?;
    let names = ["first", "second", "third"];
    for name in names {
        let text = json!(name.repeat(LENGTH / name.len()));
        client.evolve(name, "A long text", &json!(text.to_string()))?;
    }
    let lengths = |names: &[&str]| -> Vec<Value> {
        names.iter().map(|name| json!({"length": {"tool": name}})).collect()
    };
    client.text("run", &json!({"code": lengths(&names[..2])}))?;
    let fault = client.fault("run", &json!({"code": lengths(&names)}))?;
    let used = &fault["limit"]["used"];
    ensure!(used.as_u64() > Some(8 << 20), "{fault}");
    ensure_limit(&fault, "too-large", "sources", used, &json!(8 << 20))
}
