//! The bounds of sessions: one turn at a time, so many of everything, and a life that ends by itself.

use super::bound::{kill, server, turn};
use super::client::call;
use super::folder::Folder;
use super::text::OMEGA;
use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn a_session_makes_one_turn_at_a_time_among_all_servers() -> Result<()> {
    let folder = Folder::new()?;
    let more = ["--wall-clock", "6s", "--fuel", "1000G", "--fuel-ceiling", "1000G"];
    let (mut one, mut other) = (server(folder.path(), &more)?, server(folder.path(), &more)?);
    turn(&mut one, &json!({"define": "a", "data": 1}))?;
    let id = json!("long");
    one.send(call(&id, "session_eval", &OMEGA))?;
    let is_busy = |fault: &Value| fault["code"] == "session-busy";
    let mut fault = json!(null);
    for _ in 0..100 {
        let told = other.call("session_eval", &json!({"code": "a"}))?;
        fault = told["structuredContent"].clone();
        if is_busy(&fault) {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    ensure!(is_busy(&fault), "{fault}");
    let own = one.fault("session_eval", &json!({"code": "a"}))?;
    ensure!(is_busy(&own), "{own}");
    // Another session is free.
    let name = other.call("session_start", &json!({}))?["structuredContent"]["session"].clone();
    turn(&mut other, &json!({"session": name, "code": "1"}))?;
    // A turn whose process is gone keeps nobody out of a server that begins, and others as long as
    // its lease.
    kill(&mut one)?;
    let mut next = server(folder.path(), &more)?;
    assert_eq!(turn(&mut next, &json!({"code": "a"}))?["value"], 1);
    assert_eq!(turn(&mut other, &json!({"code": "a"}))?["value"], 1);
    Ok(())
}

#[test]
fn closing_a_session_ends_its_turn() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(
        folder.path(),
        &["--fuel", "1000G", "--fuel-ceiling", "1000G", "--wall-clock", "3s"],
    )?;
    let name = client.call("session_start", &json!({}))?["structuredContent"]["session"].clone();
    let id = json!("long");
    let code = serde_json::from_str::<Value>(&OMEGA)?["code"].clone();
    let arguments = json!({"session": name, "define": "x", "code": code}).to_string();
    client.send(call(&id, "session_eval", &arguments))?;
    loop {
        let told = client.call("session_eval", &json!({"session": name, "code": "1"}))?;
        if told["structuredContent"]["code"] == "session-busy" {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    client.text("session_close", &json!({ "session": name }))?;
    let answer = client.answer(&id)?;
    assert_eq!(answer["result"]["structuredContent"]["code"], "cancelled", "{answer}");
    Ok(())
}

#[test]
fn a_session_holds_so_many_bindings_and_bytes() -> Result<()> {
    let folder = Folder::new()?;
    let more = ["--session-bindings", "2", "--session-size", "1000"];
    let mut client = server(folder.path(), &more)?;
    turn(&mut client, &json!({"define": [["a", "1"], ["b", "2"]]}))?;
    turn(&mut client, &json!({"define": "a", "data": 3}))?;
    let fault = client.fault("session_eval", &json!({"define": "c", "data": 3}))?;
    assert_eq!(
        (&fault["code"], &fault["limit"]["name"]),
        (&json!("session-limit"), &json!("session_bindings"))
    );
    let fault = client.fault("session_eval", &json!({"define": "a", "data": "x".repeat(1_000)}))?;
    assert_eq!(
        (&fault["code"], &fault["limit"]["name"]),
        (&json!("session-limit"), &json!("session_size"))
    );
    assert_eq!(turn(&mut client, &json!({"code": "[a, b]"}))?["value"], json!([3, 2]));
    Ok(())
}

#[test]
fn holds_so_many_sessions_and_saved_states() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &["--sessions", "2", "--saved-states", "1"])?;
    let name = client.call("session_start", &json!({}))?["structuredContent"]["session"].clone();
    client.text("session_start", &json!({}))?;
    let fault = client.fault("session_start", &json!({}))?;
    assert_eq!(
        (&fault["code"], &fault["limit"]["name"]),
        (&json!("session-limit"), &json!("sessions"))
    );
    client.text("session_save", &json!({"session": name, "name": "one"}))?;
    client.text("session_save", &json!({"session": name, "name": "one"}))?;
    let fault = client.fault("session_save", &json!({"session": name, "name": "two"}))?;
    assert_eq!(
        (&fault["code"], &fault["limit"]["name"]),
        (&json!("session-limit"), &json!("saved_states"))
    );
    client.text("session_forget", &json!({"saved": "one"}))?;
    client.text("session_save", &json!({"session": name, "name": "two"}))?;
    client.text("session_close", &json!({ "session": name }))?;
    client.text("session_start", &json!({}))?;
    let fault = client.fault("session_eval", &json!({"session": "s99", "code": "1"}))?;
    assert_eq!(fault["code"], "unknown-session");
    Ok(())
}

#[test]
fn sessions_end_by_themselves() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &["--session-ttl", "4s", "--session-idle", "3s"])?;
    let start = |client: &mut super::client::Client, arguments: &Value| {
        Ok::<_, anyhow::Error>(
            client.call("session_start", arguments)?["structuredContent"]["session"].clone(),
        )
    };
    let (used, unused) =
        (start(&mut client, &json!({}))?, start(&mut client, &json!({"idle": 1}))?);
    let fault = client.fault("session_start", &json!({"ttl": 100}))?;
    assert_eq!(fault["code"], "malformed", "{fault}");
    for _ in 0..2 {
        sleep(Duration::from_millis(1_200));
        turn(&mut client, &json!({"session": used, "code": "1"}))?;
    }
    let fault = client.fault("session_eval", &json!({"session": unused, "code": "1"}))?;
    assert_eq!(fault["code"], "session-closed", "{fault}");
    ensure!(fault["message"].as_str().is_some_and(|it| it.contains("nobody used it")), "{fault}");
    sleep(Duration::from_secs(2));
    let fault = client.fault("session_inspect", &json!({ "session": used }))?;
    ensure!(fault["message"].as_str().is_some_and(|it| it.contains("time to live")), "{fault}");
    let list = client.call("session_list", &json!({}))?;
    assert_eq!(list["structuredContent"]["sessions"], json!([]));
    Ok(())
}

#[test]
fn a_session_remembers_so_many_turns() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &["--session-history", "2"])?;
    for code in ["1", "2", "'x'.repeat(70000)"] {
        turn(&mut client, &json!({ "code": code }))?;
    }
    let shown = client.call("session_inspect", &json!({"view": "history"}))?;
    let turns = shown["structuredContent"]["history"].as_array().context("turns")?;
    let values: Vec<&Value> = turns.iter().map(|turn| &turn["value"]).collect();
    assert_eq!(values, [&json!({"bytes": 70_002}), &json!("2")]);
    Ok(())
}

#[test]
fn a_large_value_is_no_last_value() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    turn(&mut client, &json!({"code": "7"}))?;
    let told = turn(&mut client, &json!({"code": "'x'.repeat(1100000)", "define": "long"}))?;
    ensure!(told["warnings"].to_string().contains("more than 1048576"), "{}", told["warnings"]);
    assert_eq!(
        turn(&mut client, &json!({"code": "[_1, long.length()]"}))?["value"],
        json!([7, 1_100_000])
    );
    Ok(())
}

#[test]
fn closed_sessions_are_remembered() -> Result<()> {
    let folder = Folder::new()?;
    let mut client = server(folder.path(), &[])?;
    client.text("session_start", &json!({}))?;
    let file = Connection::open(folder.path().join("mcp-pif.db"))?;
    // As many as are remembered, and one that was closed before them.
    file.execute_batch(
        "UPDATE session SET standing = 'closed';
         WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
         INSERT INTO session SELECT i, '', NULL, '', 'closed', 0, 0, 1, 1, 0, NULL, NULL FROM n",
    )?;
    let fault = client.fault("session_eval", &json!({"session": "s1", "code": "1"}))?;
    assert_eq!(fault["code"], "session-closed", "{fault}");
    let name = client.call("session_start", &json!({}))?["structuredContent"]["session"].clone();
    client.text("session_close", &json!({ "session": name }))?;
    let fault = client.fault("session_eval", &json!({"session": "s1", "code": "1"}))?;
    assert_eq!(fault["code"], "unknown-session", "{fault}");
    Ok(())
}
