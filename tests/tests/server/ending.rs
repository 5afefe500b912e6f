//! How the process ends: by itself, soon, with code 0, and quietly.

use super::client::{Client, call, initialize, request};
use super::text::{FOREVER, OMEGA};
use anyhow::{Result, ensure};
use serde_json::json;
use std::process::Command;

#[test]
fn the_end_of_input_ends_an_idle_server() -> Result<()> {
    for client in [Client::start(&[])?, Client::legacy()?] {
        let ending = client.finish()?;
        assert!(ending.status.success() && ending.rest.is_empty(), "{ending:?}");
        assert_eq!(ending.errors, "");
    }
    Ok(())
}

#[test]
fn what_was_sent_before_the_end_of_input_is_answered() -> Result<()> {
    let mut client = Client::legacy()?;
    for id in 0..20 {
        client.send(call(&json!(id), "run", r#"{"code":{"add":[40,2]}}"#))?;
    }
    let ending = client.finish()?;
    assert!(ending.status.success(), "{ending:?}");
    assert_eq!(ending.rest.len(), 20);
    for answer in &ending.rest {
        assert_eq!(answer["result"]["structuredContent"]["value"], 42, "{answer}");
    }
    Ok(())
}

/// Neither fuel nor the clock would stop the run within the time a test has.
#[test]
fn the_end_of_input_stops_a_run_that_does_not_end() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    let id = json!("endless");
    client.send(call(&id, "run", &OMEGA))?;
    client.ping()?;
    let ending = client.finish()?;
    assert!(ending.status.success(), "{ending:?}");
    for answer in &ending.rest {
        ensure!(answer["id"] == id, "{answer}");
        ensure!(answer["result"]["structuredContent"]["code"] == "cancelled", "{answer}");
    }
    Ok(())
}

#[test]
#[ignore = "long"]
fn the_end_of_input_ends_a_server_whose_output_nobody_reads() -> Result<()> {
    let mut client = Client::start(&[])?;
    client.send(request(&json!("first"), "initialize", &initialize()))?;
    // No more than are read ahead, and their answers are far more than a pipe holds.
    for id in 0..200 {
        client.send(request(&json!(id), "tools/list", &json!({})))?;
    }
    drop(client.take_input()?);
    assert!(client.wait()?.success());
    Ok(())
}

#[cfg(unix)]
fn signal(client: &Client, name: &str) -> Result<()> {
    let kill = format!("kill -{name} {}", client.process());
    ensure!(Command::new("sh").args(["-c", &kill]).status()?.success(), "`{kill}` fails");
    Ok(())
}

#[cfg(unix)]
#[test]
fn signals_end_an_idle_server() -> Result<()> {
    for name in ["TERM", "INT"] {
        let mut client = Client::legacy()?;
        signal(&client, name)?;
        assert!(client.wait()?.success(), "{name}");
        let ending = client.finish()?;
        assert!(ending.rest.is_empty() && ending.errors.is_empty(), "{name}: {ending:?}");
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_server_before_its_first_session() -> Result<()> {
    let mut client = Client::start(&[])?;
    client.ping()?;
    signal(&client, "TERM")?;
    assert!(client.wait()?.success());
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_signal_stops_a_run_that_does_not_end() -> Result<()> {
    let mut client = Client::legacy_with(FOREVER)?;
    client.send(call(&json!("endless"), "run", &OMEGA))?;
    client.ping()?;
    signal(&client, "TERM")?;
    assert!(client.wait()?.success());
    Ok(())
}
