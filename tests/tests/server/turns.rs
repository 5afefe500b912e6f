//! One thread reads, runs and answers: what takes long must not hold up what does not.

use super::client::{Client, call};
use super::folder::Folder;
use super::text::{FOREVER, OMEGA};
use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use serde_json::json;

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
