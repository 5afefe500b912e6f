//! Two servers on one directory.

use crate::binary;
use crate::client::{Client, call, text};
use crate::folder::{Folder, cache};
use anyhow::{Context, Result, ensure};
use pif_tests::endure::share::share;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CHANGED: &str = "notifications/tools/list_changed";

fn serve(folder: &Folder) -> Result<Client> {
    let data = folder.path().join("data");
    Client::legacy_with(&["--data", data.to_str().context("a path in UTF-8")?])
}

fn adder(n: u64) -> Value {
    json!({"lam": "x", "body": {"add": [{"var": "x"}, n]}})
}

#[test]
fn two_servers_under_load_lose_nothing() -> Result<()> {
    let folder = Folder::new()?;
    let data = folder.path().join("data");
    let shared = share(binary::path()?, &cache(), &data, 2, Duration::from_secs(2))?;
    println!("{shared:?}");
    ensure!(shared.evolves > 4 && shared.runs > 10, "{shared:?}");
    Ok(())
}

#[test]
fn each_sees_the_tools_of_the_other() -> Result<()> {
    let folder = Folder::new()?;
    let (mut one, mut other) = (serve(&folder)?, serve(&folder)?);
    let mut latencies = Vec::new();
    for n in 0..5 {
        one.evolve(&format!("tool_{n}"), "Adds", &adder(n))?;
        let start = Instant::now();
        other.notification(CHANGED)?;
        latencies.push(start.elapsed());
        let listed = other.request("tools/list", &json!({}))?;
        let names = listed["tools"].as_array().context("tools")?;
        ensure!(names.iter().any(|it| it["name"] == format!("tool_{n}")), "{listed}");
        let result = other.call(&format!("tool_{n}"), &json!({"data": 40}))?;
        assert_eq!(text(&result)?, (40 + n).to_string());
        // Its own changes come back to nobody a second time.
        one.notification(CHANGED)?;
        (one, other) = (other, one);
    }
    println!("another server's change was told after {latencies:?}");
    ensure!(latencies.iter().all(|it| *it < Duration::from_secs(5)), "{latencies:?}");
    Ok(())
}

#[test]
fn of_two_changes_of_one_revision_one_is_made() -> Result<()> {
    const ROUNDS: u64 = 20;
    let folder = Folder::new()?;
    let (mut one, mut other) = (serve(&folder)?, serve(&folder)?);
    one.evolve("contended", "Adds", &adder(0))?;
    let info = one.call("list", &json!({}))?;
    let mut revision = info["structuredContent"]["tools"][0]["revision"].clone();
    let mut wins = [0; 2];
    for round in 1..=ROUNDS {
        let id = json!(format!("round {round}"));
        for (side, client) in [&mut one, &mut other].into_iter().enumerate() {
            let n = 2 * round + side as u64;
            let arguments = json!({"name": "contended", "description": "Adds",
                "code": adder(n), "expected_revision": revision});
            client.send(call(&id, "evolve", &arguments.to_string()))?;
        }
        let answers = [one.answer(&id)?, other.answer(&id)?];
        let is_made = |answer: &&Value| answer["result"]["isError"] == false;
        let made: Vec<&Value> = answers.iter().filter(is_made).collect();
        ensure!(made.len() == 1, "round {round}: {answers:?}");
        let lost = answers.iter().find(|it| !is_made(it)).context("the other")?;
        let told = lost["result"]["structuredContent"]["message"].as_str().unwrap_or_default();
        ensure!(told.contains("not at the revision"), "{lost}");
        wins[usize::from(is_made(&&answers[1]))] += 1;
        revision = made[0]["result"]["structuredContent"]["revision"].clone();
    }
    println!("wins of each: {wins:?}");
    Ok(())
}
