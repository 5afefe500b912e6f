//! Keys and checkpoints of a store in a database.

use super::servers::Site;
use anyhow::{Result, ensure};
use serde_json::json;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a server may take for a checkpoint.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server without a key says what to type; then its store has checkpoints and receipts.
#[test]
#[ignore = "needs PostgreSQL"]
fn a_key_is_made_where_the_server_says() -> Result<()> {
    let site = Site::open()?;
    let errors = site.server(1)?.finish()?.errors;
    let file = site.folder.path().join("data1/keys.json");
    let told = format!("there is no key in {}: make one with `mcp-pif keys new`", file.display());
    ensure!(errors.contains(&told), "{errors}");
    let said = |words: &[&str]| {
        let mut command = site.command("server")?;
        command.env("MCP_PIF_DATA", site.folder.path().join("data1"));
        site.said(command.args(words))
    };
    let first = said(&["keys", "new"])?;
    ensure!(said(&["keys", "list"])?.contains(first.trim()), "{first}");
    let mut server = site.server(1)?;
    server.text("run", &json!({"code": {"add": [1, 2]}}))?;
    let begun = Instant::now();
    // One is made when the server starts, and another one of what came since.
    let note = loop {
        let note = said(&["journal", "checkpoint"]).unwrap_or_default();
        if note.lines().nth(1) == Some("1") {
            break note;
        }
        ensure!(begun.elapsed() < PATIENCE, "there is no checkpoint: {note}");
        sleep(Duration::from_millis(50));
    };
    let expected = site.folder.path().join("note.txt");
    fs::write(&expected, note)?;
    let expected = expected.display().to_string();
    let told = said(&["journal", "verify", "--expect", &expected])?;
    ensure!(told.contains("the last checkpoint holds: 1 entries"), "{told}");
    // A receipt of it holds by the keys that are handed out, of the new key too.
    said(&["keys", "rotate"])?;
    let receipt = site.folder.path().join("receipt.json");
    fs::write(&receipt, said(&["receipt", "1"])?)?;
    let keys = site.folder.path().join("keys.pem");
    fs::write(&keys, said(&["keys", "export"])?)?;
    let (receipt, keys) = (receipt.display().to_string(), keys.display().to_string());
    said(&["receipt", "verify", &receipt, "--trust", &keys, "--replay"])?;
    said(&["journal", "verify", "--expect", &expected, "--trust", &keys])?;
    Ok(())
}
