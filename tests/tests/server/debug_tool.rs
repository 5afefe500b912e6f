//! `debug`: what the server measures of calls.

use super::client::Client;
use super::text::OMEGA;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

const SETS: [&str; 2] = ["--toolsets", "core,state,debug"];

/// What `debug` shows.
fn debug(client: &mut Client, arguments: &Value) -> Result<Value> {
    let result = client.call("debug", arguments)?;
    ensure!(result["isError"] == false, "{result}");
    Ok(result["structuredContent"].clone())
}

fn of<'a>(stats: &'a Value, tool: &str) -> Result<&'a Value> {
    let mut tools = stats["tools"].as_array().context("tools")?.iter();
    tools.find(|it| it["tool"] == tool).with_context(|| format!("no {tool} in {stats}"))
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().with_context(|| format!("no number: {value}"))
}

#[test]
fn calls_are_rolled_up_by_tool() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    client.evolve("double", "Doubles", &json!("x => x * 2"))?;
    for n in 0..3 {
        client.text("double", &json!({ "data": n }))?;
    }
    client.text("run", &json!({"code": "1 + 1"}))?;
    client.fault("run", &json!({"code": "1 / 0"}))?;
    client.error("tools/call", &json!({"name": "gone", "arguments": {}}))?;
    let stats = debug(&mut client, &json!({"op": "stats"}))?;
    ensure!(stats["calls"] == 7 && stats["errors"] == 2, "{stats}");
    let (double, run) = (of(&stats, "double")?, of(&stats, "run")?);
    ensure!(double["calls"] == 3 && double["errors"] == 0, "{stats}");
    ensure!(run["calls"] == 2 && run["errors"] == 1, "{stats}");
    ensure!(of(&stats, "_unknown")?["errors"] == 1, "{stats}");
    ensure!(double["fuel"].as_u64() > Some(0) && double["memory"].as_u64() > Some(0), "{stats}");
    let ms = &double["ms"];
    let (p50, p95, max) = (number(&ms["p50"])?, number(&ms["p95"])?, number(&ms["max"])?);
    ensure!(0.0 < p50 && p50 <= p95 && p95 <= max, "{stats}");
    assert_eq!(stats["faults"], json!({"-32602": 1, "divide-by-zero": 1}), "{stats}");
    // Nobody was called, so nothing was reduced. Each run had an instance of its own.
    ensure!(stats["reduction"].is_null() && stats["upstream"] == json!([]), "{stats}");
    ensure!(stats["instances"].as_u64() >= Some(5), "{stats}");
    let one = debug(&mut client, &json!({"op": "stats", "tool": "double"}))?;
    ensure!(one["calls"] == 3 && one["tools"].as_array().map(Vec::len) == Some(1), "{one}");
    Ok(())
}

#[test]
fn a_call_is_shown_with_its_parts() -> Result<()> {
    let mut client = Client::legacy_with(&[&SETS[..], &["--fuel", "10M"]].concat())?;
    client.text("run", &json!({"code": "[1, 2, 3].sum()"}))?;
    client.call_text("run", &OMEGA)?;
    let recent = debug(&mut client, &json!({"op": "recent", "tool": "run"}))?;
    let calls = recent["calls"].as_array().context("calls")?;
    let endings: Vec<&Value> = calls.iter().map(|it| &it["ending"]).collect();
    // The latest is the first.
    assert_eq!(endings, ["out-of-fuel", "ok"], "{recent}");
    let id = &calls.last().context("a call")?["id"];
    let full = debug(&mut client, &json!({"op": "get", "id": id}))?;
    let parts = full["parts"].as_array().context("parts")?;
    let names: Vec<&str> = parts.iter().filter_map(|it| it["part"].as_str()).collect();
    assert_eq!(names, ["admission", "instance", "run", "journal"], "{full}");
    let whole = number(&full["ms"])?;
    let (mut before, mut sum) = (0.0, 0.0);
    for it in parts {
        let (from, ms) = (number(&it["from_ms"])?, number(&it["ms"])?);
        // Figures are rounded to microseconds.
        ensure!(before <= from + 0.002 && from + ms <= whole + 0.002, "{full}");
        (before, sum) = (from + ms, sum + ms);
    }
    ensure!(sum <= whole + 0.005 && sum > 0.0, "{full}");
    ensure!(full["entry"].is_u64() && full["fuel"].is_u64() && full["instances"] == 1, "{full}");
    let text = client.text("debug", &json!({"op": "get", "id": id}))?;
    ensure!(text.contains("\ninstance: ") && text.contains("\njournal: "), "{text}");
    Ok(())
}

#[test]
fn nothing_that_programs_compute_is_shown() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    let secret = "swordfish";
    client.text("run", &json!({"code": format!("\"{secret}\" + data"), "data": secret}))?;
    let fault = client.fault("run", &json!({"code": format!("{{}}.{secret}")}))?;
    ensure!(fault.to_string().contains(secret), "{fault}");
    client.error("tools/call", &json!({"name": secret, "arguments": {}}))?;
    let mut shown = String::new();
    for op in ["stats", "recent"] {
        shown += &client.call("debug", &json!({ "op": op }))?.to_string();
    }
    for id in 1..=3 {
        shown += &client.call("debug", &json!({"op": "get", "id": id}))?.to_string();
    }
    ensure!(shown.contains("_unknown") && !shown.contains(secret), "{shown}");
    Ok(())
}

#[test]
fn the_last_calls_are_kept() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    for _ in 0..1_002 {
        client.text("help", &json!({"form": "fold"}))?;
    }
    let stats = debug(&mut client, &json!({"op": "stats"}))?;
    ensure!(stats["calls"] == 1_000, "{stats}");
    // The call of `debug` itself has a number, too.
    client.fault("debug", &json!({"op": "get", "id": 3}))?;
    let known = debug(&mut client, &json!({"op": "get", "id": 900}))?;
    ensure!(known["tool"] == "help", "{known}");
    let recent = debug(&mut client, &json!({"op": "recent", "limit": 2}))?;
    ensure!(recent["calls"][0]["id"] == 1_005, "{recent}");
    ensure!(recent["calls"].as_array().map(Vec::len) == Some(2), "{recent}");
    Ok(())
}

#[test]
fn mistakes_in_asking_have_hints() -> Result<()> {
    let mut client = Client::legacy_with(&SETS)?;
    for (arguments, code, hint) in [
        (json!({"op": "stat"}), "malformed", "did you mean `stats`?"),
        (json!({"op": "everything"}), "malformed", "write one of `stats`, `recent`, `get`"),
        (json!({"op": "get"}), "malformed", "`debug {\"op\": \"recent\"}`"),
        (json!({"op": "get", "id": 77}), "unknown-entry", "`debug {\"op\": \"recent\"}`"),
        (json!({"op": "recent", "limit": 0}), "malformed", "ask for 1 to 100"),
        (json!({}), "malformed", "op"),
    ] {
        let fault = client.fault("debug", &arguments)?;
        ensure!(fault["code"] == code, "{arguments}: {fault}");
        ensure!(fault.to_string().replace("\\\"", "\"").contains(hint), "{arguments}: {fault}");
    }
    Ok(())
}

#[test]
fn nobody_measures_unless_asked() -> Result<()> {
    let mut client = Client::legacy()?;
    let error = client.error("tools/call", &json!({"name": "debug", "arguments": {}}))?;
    ensure!(error["message"].to_string().contains("the toolset `debug`"), "{error}");
    Ok(())
}
