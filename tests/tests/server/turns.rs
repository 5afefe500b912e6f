//! One thread reads, runs and answers: what takes long must not hold up what does not.

use super::client::{Client, call};
use super::folder::Folder;
use super::text::{FOREVER, OMEGA};
use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use serde_json::{Value, json};

const SUM: &str = r#"{"code":{"add":[40,2]}}"#;

#[test]
fn a_store_that_another_process_holds_delays_only_the_run() -> Result<()> {
    let folder = Folder::new()?;
    let data = folder.path().join("data");
    let mut client = Client::legacy_with(&["--data", data.to_str().context("UTF-8")?])?;
    let other = Connection::open(data.join("mcp-pif.db"))?;
    other.execute_batch("BEGIN IMMEDIATE")?;
    let id = json!("waits");
    client.send(call(&id, "run", SUM))?;
    client.ping()?;
    other.execute_batch("ROLLBACK")?;
    let answer = client.answer(&id)?;
    ensure!(answer["result"]["structuredContent"]["value"] == 42, "{answer}");
    let entries = client.text("journal_recent", &json!({"kind": "run"}))?;
    ensure!(entries.lines().count() >= 1, "{entries}");
    Ok(())
}

#[test]
fn a_long_run_delays_no_other() -> Result<()> {
    let mut client = Client::legacy_with(&[FOREVER, &["--concurrency", "2"]].concat())?;
    let id = json!("endless");
    client.send(call(&id, "run", &OMEGA))?;
    for n in 0..20 {
        client.ping()?;
        let value = client.text("run", &json!({"code": {"add": [n, 1]}}))?;
        ensure!(value == (n + 1).to_string(), "{value}");
    }
    client.send(
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id}})
        .to_string(),
    )?;
    // Its place is free again.
    client.text("run", &json!({"code": {"add": [1, 1]}}))?;
    Ok(())
}

/// All places are taken, by runs that do not end.
#[test]
fn what_runs_nothing_does_not_wait_for_runs() -> Result<()> {
    let mut client = Client::legacy_with(&[FOREVER, &["--concurrency", "1"]].concat())?;
    client.evolve("first", "A tool", &json!(1))?;
    client.evolve("first", "A tool", &json!(2))?;
    let id = json!("endless");
    client.send(call(&id, "run", &OMEGA))?;
    for (tool, arguments) in [
        ("help", json!({"form": "fold"})),
        ("list", json!({"query": "first"})),
        ("inspect", json!({"tool": "first"})),
        ("check", json!({"code": {"add": [1, 2]}})),
        ("memory_store", json!({"key": "k", "value": [1, 2]})),
        ("memory_retrieve", json!({"key": "k"})),
        ("journal_recent", json!({})),
        ("server_info", json!({})),
        ("evolve", json!({"name": "second", "description": "A tool", "code": 3})),
        ("evolve", json!({"name": "second", "description": "A tool", "code": 4})),
        ("rollback", json!({"tool": "first", "retire": true})),
    ] {
        client.text(tool, &arguments)?;
    }
    // The term of this one is wrong: its examples are not waited for.
    let wrong = json!({"name": "third", "description": "A tool", "code": {"add": [1]},
        "examples": [{"input": 1, "output": 1}]});
    assert_eq!(client.fault("evolve", &wrong)?["code"], "malformed");
    ensure!(client.try_find(|it| it["id"] == id).is_none(), "the run has ended");
    Ok(())
}

/// Examples are runs.
#[test]
fn examples_wait_for_runs() -> Result<()> {
    let places = ["--concurrency", "1", "--patience", "100ms"];
    let mut client = Client::legacy_with(&[FOREVER, &places].concat())?;
    client.send(call(&json!("endless"), "run", &OMEGA))?;
    client.ping()?;
    let proposal = json!({"name": "one", "description": "A tool", "code": 1,
        "examples": [{"output": 1}]});
    assert_eq!(client.fault("evolve", &proposal)?["code"], "busy");
    Ok(())
}

/// What `help` reads from the text of the reference is the table of the evaluator.
#[test]
fn help_tells_every_form() -> Result<()> {
    let told = Client::legacy()?.call("help", &json!({"query": " "}))?;
    let told = told["structuredContent"]["forms"].as_array().context("no forms")?;
    let forms: Vec<Value> = serde_json::from_str(&pif::analysis::forms())?;
    assert_eq!(told.len(), forms.len());
    for form in forms {
        let told = told.iter().find(|it| it["name"] == form["name"]);
        let told = told.with_context(|| format!("{form} is missing"))?;
        assert_eq!(told["category"], form["group"]);
        for member in ["doc", "result"] {
            assert_eq!(told[member], form[member], "{form}");
        }
    }
    Ok(())
}
