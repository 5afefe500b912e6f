//! Snapshots under kill -9 and in races: a commit counts whole or not at all, and one of two wins.
//! `PIF_KILLS` and `PIF_RACES` name other numbers of rounds.

use crate::client::Client;
use crate::folder::Folder;
use anyhow::{Context, Result, ensure};
use pif_tests::generate::Random;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

/// The tools that each commit changes together.
const TOOLS: [&str; 3] = ["a", "b", "c"];

fn rounds(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
}

fn server(data: &Path) -> Result<Client> {
    let data = data.to_str().context("a path in UTF-8")?;
    Client::legacy_with(&["--toolsets", "core,state,staging", "--data", data])
}

/// The record of a call; None: it was refused, or the server is gone.
fn record(client: &mut Client, tool: &str, arguments: &Value) -> Option<Value> {
    let told = client.call(tool, arguments).ok()?;
    (told["isError"] != true).then(|| told["structuredContent"].clone())
}

fn operations(n: u64) -> Value {
    let change = |name: &&str| json!({"evolve": {"name": name, "description": name, "code": format!("x => x + {n}")}});
    TOOLS.iter().map(change).collect()
}

/// Stages, verifies and commits changes with growing numbers until the server is gone. Gives the last
/// number that was acknowledged, and whether a staged one was under way.
fn work(client: &mut Client, first: u64) -> u64 {
    let mut done = 0;
    for n in first.. {
        let Some(staged) = record(client, "stage", &json!({"operations": operations(n)})) else {
            return done;
        };
        let snapshot = json!({"snapshot": staged["snapshot"]});
        let verified = record(client, "verify", &snapshot);
        if verified.is_none() || record(client, "commit", &snapshot).is_none() {
            return done;
        }
        done = n;
    }
    done
}

#[test]
fn a_commit_counts_whole_or_not_at_all() -> Result<()> {
    let folder = Folder::new()?;
    let rounds = rounds("PIF_KILLS", 6);
    let mut random = Random::new(7);
    let (mut acknowledged, mut next) = (0, 1);
    for round in 0..rounds {
        let mut client = server(folder.path())?;
        // Another server looks on; it must see whole states only.
        let mut other = server(folder.path())?;
        let process = client.process().to_string();
        let moment = Duration::from_micros(u64::try_from(random.below(300_000))?);
        let killer = thread::spawn(move || {
            thread::sleep(moment);
            Command::new("kill").args(["-9", &process]).status()
        });
        let looker = thread::spawn(move || -> Result<()> {
            for _ in 0..40 {
                whole(&mut other)?;
                thread::sleep(Duration::from_millis(2));
            }
            Ok(())
        });
        acknowledged = work(&mut client, next).max(acknowledged);
        killer.join().map_err(|_| anyhow::anyhow!("the killer failed"))??;
        looker.join().map_err(|_| anyhow::anyhow!("the looker failed"))??;
        let mut client = server(folder.path())?;
        let found = whole(&mut client).with_context(|| format!("round {round}"))?;
        ensure!(found >= acknowledged, "{found} was found, {acknowledged} acknowledged");
        let list = record(&mut client, "stage", &json!({})).context("no snapshots")?;
        for area in list["snapshots"].as_array().into_iter().flatten() {
            ensure!(area["operations"] == TOOLS.len(), "half a snapshot: {area}");
            record(&mut client, "discard", &json!({"snapshot": area["snapshot"]}));
        }
        next = found.max(acknowledged) + 1;
    }
    ensure!(acknowledged > rounds, "{acknowledged} commits in {rounds} rounds");
    Ok(())
}

/// What all tools add; 0 before the first commit. Fails if they differ.
fn whole(client: &mut Client) -> Result<u64> {
    let sum = json!({"code": "[@a(0), @b(0), @c(0)]"});
    let Some(told) = record(client, "run", &sum) else { return Ok(0) };
    let values = told["value"].as_array().cloned().context("no values")?;
    ensure!(values.iter().all(|it| Some(it) == values.first()), "{told}");
    values.first().and_then(Value::as_u64).context("no number")
}

#[test]
fn one_of_two_commits_wins() -> Result<()> {
    let folder = Folder::new()?;
    let rounds = rounds("PIF_RACES", 20);
    let mut servers = [server(folder.path())?, server(folder.path())?];
    for round in 1..=rounds {
        let mut snapshots = Vec::new();
        for (at, client) in servers.iter_mut().enumerate() {
            let n = round * 10 + u64::try_from(at)?;
            let staged = record(client, "stage", &json!({"operations": operations(n)}));
            let snapshot = json!({"snapshot": staged.context("not staged")?["snapshot"]});
            record(client, "verify", &snapshot).context("not verified")?;
            snapshots.push(snapshot);
        }
        let barrier = Barrier::new(2);
        let results: Vec<Result<Value>> = thread::scope(|scope| {
            let commit = |(client, snapshot)| {
                let barrier = &barrier;
                scope.spawn(move || -> Result<Value> {
                    barrier.wait();
                    let client: &mut Client = client;
                    Ok(client.call("commit", snapshot)?["structuredContent"].clone())
                })
            };
            let threads: Vec<_> = servers.iter_mut().zip(&snapshots).map(commit).collect();
            let join = |it: thread::ScopedJoinHandle<'_, Result<Value>>| {
                it.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread failed")))
            };
            threads.into_iter().map(join).collect()
        });
        let results = results.into_iter().collect::<Result<Vec<Value>>>()?;
        let won = results.iter().filter(|it| it["committed"] == true).count();
        let lost = results.iter().filter(|it| it["code"] == "conflict").count();
        ensure!((won, lost) == (1, 1), "round {round}: {results:?}");
        let found = whole(&mut servers[0])?;
        ensure!(found / 10 == round, "{found} after round {round}");
        for (client, snapshot) in servers.iter_mut().zip(&snapshots) {
            record(client, "discard", snapshot);
        }
    }
    Ok(())
}
