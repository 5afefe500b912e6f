//! What is in the way of the store: a file that is no store, a place that cannot be written, a
//! lock that another process holds. The start fails with a message that names the path; a server
//! that serves already says what is wrong, loses nothing that it acknowledged, and goes on when
//! the obstacle is gone.

use super::store::{Closed, FILE, adder};
use crate::binary;
use crate::client::Client;
use crate::folder::{Folder, cache};
use anyhow::{Context, Result, bail, ensure};
use pif_tests::endure::load::{command, visit};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// What a start that must fail says.
pub(super) fn refusal(data: &Path) -> Result<String> {
    let mut server = command(binary::path()?, &cache(), data);
    server.args(["--patience", "200ms"]);
    match visit(&mut server) {
        Ok(entries) => bail!("it starts, with {entries} entries"),
        Err(error) => {
            let told = format!("{error:#}");
            ensure!(told.starts_with("exit status: 1: mcp-pif: "), "{told}");
            ensure!(told.trim_end().lines().count() == 1, "{told}");
            Ok(told)
        }
    }
}

/// A server on a data directory that waits shortly for others.
pub(super) fn serve(data: &Path) -> Result<Client> {
    let data = data.to_str().context("a path in UTF-8")?;
    Client::legacy_with(&["--data", data, "--patience", "200ms"])
}

pub(super) fn entries(client: &mut Client) -> Result<i64> {
    let info = client.call("server_info", &json!({}))?;
    info["structuredContent"]["journal"]["entries"].as_i64().context("the number of entries")
}

/// A change and a run must fail as the store does, and a moment later must succeed.
pub(super) fn ensure_refused(client: &mut Client, words: &str) -> Result<()> {
    let evolve = json!({"name": "late", "description": "Adds", "code": adder(7)});
    for (tool, arguments) in [("evolve", &evolve), ("run", &json!({"code": {"add": [40, 2]}}))] {
        let fault = client.fault(tool, arguments)?;
        let told = fault["message"].as_str().unwrap_or_default();
        ensure!(fault["code"] == "storage" && told.contains(words), "{tool}: {fault}");
    }
    Ok(())
}

pub(super) fn ensure_served(client: &mut Client) -> Result<()> {
    client.evolve("late", "Adds", &adder(7))?;
    assert_eq!(client.text("run", &json!({"tool": "late", "data": 35}))?, "42");
    Ok(())
}

#[test]
fn a_file_that_is_no_store_of_ours_is_refused_and_left_alone() -> Result<()> {
    let store = Closed::make()?;
    let whole = store.bytes.clone();
    let mut garbage = whole.clone();
    garbage[..64].fill(0x5a);
    let half = whole[..whole.len() / 2].to_vec();
    let other = |sql: &str| -> Result<Vec<u8>> {
        let folder = Folder::new()?;
        let path = folder.path().join("other.db");
        Connection::open(&path)?.execute_batch(sql)?;
        Ok(fs::read(path)?)
    };
    let newer = |version: u8| {
        let mut bytes = whole.clone();
        bytes[63] = version;
        bytes
    };
    for (what, bytes, words) in [
        ("a garbled header", garbage, "damaged: "),
        ("half a file", half, "damaged: "),
        ("a text", b"This is no database, whatever its name says.".repeat(30), "damaged: "),
        (
            "another's",
            other("CREATE TABLE note (text); INSERT INTO note VALUES ('mine')")?,
            "not one of mcp-pif",
        ),
        ("another's with a mark", other("PRAGMA application_id = 77")?, "not one of mcp-pif"),
        ("a later schema", newer(99), "written by a later version"),
    ] {
        fs::write(store.path(), &bytes)?;
        let told = refusal(store.directory())?;
        let path = store.path();
        ensure!(
            told.contains(&path.display().to_string()) && told.contains(words),
            "{what}: {told}"
        );
        ensure!(fs::read(path)? == bytes, "{what}: it was written to");
        let names = fs::read_dir(store.directory())?.count();
        ensure!(names == 1, "{what}: {names} files are there");
    }
    store.open_as(&whole)?;
    Ok(())
}

/// An empty file is what a first start leaves that is cut off at once. With a log beside it, it
/// was more once.
#[test]
fn an_empty_file_is_a_new_store_unless_it_has_a_log() -> Result<()> {
    let folder = Folder::new()?;
    let data = folder.path();
    fs::write(data.join(FILE), "")?;
    fs::write(data.join(format!("{FILE}-wal")), [7; 5_000])?;
    let told = refusal(data)?;
    ensure!(told.contains(FILE) && told.contains("it is empty"), "{told}");
    ensure!(fs::read(data.join(format!("{FILE}-wal")))?.len() == 5_000, "the log is gone");
    fs::remove_file(data.join(format!("{FILE}-wal")))?;
    ensure_served(&mut serve(data)?)
}

#[test]
fn a_place_that_cannot_be_written_is_named() -> Result<()> {
    let folder = Folder::new()?;
    let file = folder.path().join("file");
    fs::write(&file, "no directory")?;
    let taken = folder.path().join("taken");
    fs::create_dir_all(taken.join(FILE))?;
    for data in
        [file.clone(), file.join("below"), "/proc/mcp-pif".into(), "/dev/null".into(), taken]
    {
        let told = refusal(&data)?;
        ensure!(told.contains(&data.display().to_string()), "{}: {told}", data.display());
        ensure!(told.contains("--data DIR") || told.contains("not a directory"), "{told}");
    }
    Ok(())
}

#[test]
fn a_lock_delays_and_then_is_told() -> Result<()> {
    let folder = Folder::new()?;
    let data = folder.path();
    let mut client = serve(data)?;
    client.evolve("early", "Adds", &adder(1))?;
    let before = entries(&mut client)?;
    let lock = Connection::open(data.join(FILE))?;
    lock.execute_batch("BEGIN IMMEDIATE")?;
    ensure_refused(&mut client, "another process keeps the store locked")?;
    // What only reads goes on.
    ensure!(client.text("list", &json!({}))?.contains("early"), "the tools are not listed");
    let told = refusal(data)?;
    ensure!(told.contains(FILE) && told.contains("another process keeps it locked"), "{told}");
    lock.execute_batch("ROLLBACK")?;
    ensure_served(&mut client)?;
    ensure!(entries(&mut client)? == before + 2, "something was written that was refused");
    // A lock that is given up in time is only waited for.
    let mut patient = Client::legacy_with(&["--data", data.to_str().context("a path")?])?;
    lock.execute_batch("BEGIN IMMEDIATE")?;
    let (held, start) = (Duration::from_millis(400), Instant::now());
    let released = thread::spawn(move || {
        thread::sleep(held);
        lock.execute_batch("ROLLBACK")
    });
    patient.evolve("waited", "Adds", &adder(2))?;
    ensure!(start.elapsed() >= held, "nobody waited for the lock");
    released.join().map_err(|_| anyhow::anyhow!("the thread died"))??;
    Ok(())
}

/// Whoever locks the whole file (a copying tool, another program) locks readers out too.
#[test]
fn a_file_that_is_locked_as_a_whole_is_named() -> Result<()> {
    let folder = Folder::new()?;
    drop(serve(folder.path())?.finish()?);
    let lock = Connection::open(folder.path().join(FILE))?;
    lock.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")?;
    let told = refusal(folder.path())?;
    ensure!(told.contains(FILE) && told.contains("another process keeps it locked"), "{told}");
    drop(lock);
    ensure_served(&mut serve(folder.path())?)
}

#[test]
fn what_was_acknowledged_before_an_obstacle_is_there_after_it() -> Result<()> {
    let folder = Folder::new()?;
    let data = folder.path();
    let mut client = serve(data)?;
    let lock = Connection::open(data.join(FILE))?;
    for n in 0..5 {
        client.evolve(&format!("kept_{n}"), "Adds", &adder(n))?;
        lock.execute_batch("BEGIN IMMEDIATE")?;
        ensure_refused(&mut client, "locked")?;
        lock.execute_batch("ROLLBACK")?;
    }
    drop((lock, client));
    let mut client = serve(data)?;
    let listed = client.call("list", &json!({}))?;
    ensure!(listed["structuredContent"]["total"] == 5, "{listed}");
    let all: &Value = &listed["structuredContent"]["tools"];
    ensure!((0..5).all(|n| all[n]["name"] == format!("kept_{n}")), "{all}");
    Ok(())
}
