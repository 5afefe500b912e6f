//! Durable runs under kill -9 of the server, of the broker and of the server that is called: the value
//! is equal, no answered read is asked again, no write is made twice, the chain is whole. `PIF_KILLS`
//! names another number of rounds.

use crate::client::{Client, command};
use crate::folder::Folder;
use anyhow::{Context, Result, ensure};
use pif_tests::generate::Random;
use pif_tests::processes::mentioning;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// Reads and writes of a run, in turns.
const CALLS: u64 = 4;

/// The latest moment for a signal after a run began or went on.
const LATEST: usize = 250_000;

/// Whose command line has this is killed.
const VICTIMS: [&str; 4] = ["serve", "\0broker\0supervise\0", "\0broker\0work\0", "upstream\0"];

struct House {
    folder: Folder,
}

impl House {
    fn new() -> Result<Self> {
        let house = Self { folder: Folder::new()? };
        let tool = |name: &str, hints: Value| {
            let does = json!({"echo": true, "log": house.file(name), "sleep_ms": 2});
            json!({"name": name, "annotations": hints, "does": does})
        };
        let tools = json!([
            tool("read", json!({"readOnlyHint": true})),
            tool("write", json!({"destructiveHint": false})),
        ]);
        let script = json!({ "tools": tools }).to_string();
        let server =
            json!({"command": env!("CARGO_BIN_EXE_upstream"), "args": [script], "grants": "allow"});
        let config = house.file("capabilities.json");
        fs::write(&config, json!({"mcpServers": {"s": server}}).to_string())?;
        fs::set_permissions(config, fs::Permissions::from_mode(0o600))?;
        Ok(house)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn serve(&self) -> Result<Client> {
        let mut command = command(&self.folder)?;
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("MCP_PIF_CAPABILITIES", self.file("capabilities.json"));
        command.env("MCP_PIF_DATA", self.file("data"));
        command.args(["serve", "--toolsets", "core,state,work"]);
        let mut client = Client::of(&mut command)?;
        client.initialize()?;
        Ok(client)
    }

    /// How often each number was read, or written.
    fn seen(&self, name: &str) -> Result<BTreeMap<u64, usize>> {
        let mut seen = BTreeMap::new();
        for line in fs::read_to_string(self.file(name)).unwrap_or_default().lines() {
            let args: Value = serde_json::from_str(line)?;
            *seen.entry(args["n"].as_u64().context("a number")?).or_default() += 1;
        }
        Ok(seen)
    }

    /// Kills a process of this house after a while, if it is there then.
    fn kill_later(&self, random: &mut Random) -> Result<thread::JoinHandle<()>> {
        let victim = random.pick(&VICTIMS);
        let moment = Duration::from_micros(u64::try_from(random.below(LATEST))?);
        let place = self.folder.path().display().to_string();
        Ok(thread::spawn(move || {
            thread::sleep(moment);
            for id in mentioning(&place) {
                let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line);
                if line.contains(victim) && !line.contains("\0launch\0") {
                    // It may have ended meanwhile.
                    let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
                }
            }
        }))
    }
}

/// The record of a call; None: the server is gone.
fn record(client: &mut Client, tool: &str, arguments: &Value) -> Option<Value> {
    Some(client.call(tool, arguments).ok()?["structuredContent"].clone())
}

/// What the store knows of the latest run.
fn latest(client: &mut Client) -> Result<Value> {
    let listed = record(client, "runs", &json!({})).context("no list")?;
    Ok(listed["runs"][0].clone())
}

/// What a person says who knows whether the write was made.
fn decision(house: &House, run: &Value) -> Result<Value> {
    let args: Value = serde_json::from_str(run["unsure"][0]["args"].as_str().context("args")?)?;
    let n = args["n"].as_u64().context("a number")?;
    let was_made = house.seen("write")?.contains_key(&n);
    let number = &run["run"];
    Ok(if was_made {
        json!({"resume": number, "decide": "done", "value": {"n": n}})
    } else {
        json!({"resume": number, "decide": "retry"})
    })
}

#[test]
fn a_durable_run_survives_kills() -> Result<()> {
    let house = House::new()?;
    let rounds = std::env::var("PIF_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(8);
    let mut random = Random::new(11);
    let (mut resumed, mut decided) = (0, 0);
    for round in 1..=rounds {
        let context = || format!("round {round}");
        let first = 100 * round;
        let code = format!(
            "range({CALLS}).map(n => call(\"s.read\", {{n: {first} + n}}).n + call(\"s.write\", {{n: {first} + n}}).n).sum()"
        );
        let expected = 2 * (first..first + CALLS).sum::<u64>();
        let mut client = house.serve()?;
        let killer = house.kill_later(&mut random)?;
        let mut told = record(&mut client, "run", &json!({"code": code, "durable": true}));
        killer.join().map_err(|_| anyhow::anyhow!("the killer failed"))?;
        let mut number = Value::Null;
        for attempt in 0.. {
            ensure!(attempt < 40, "round {round} does not end: {told:?}");
            if told.as_ref().is_some_and(|it| it["value"] == expected) {
                break;
            }
            drop(client);
            client = house.serve()?;
            let run = latest(&mut client)?;
            let is_mine = run["program"].as_str().is_some_and(|it| it.contains(&first.to_string()));
            if !is_mine {
                // It was killed before the run began.
                told = record(&mut client, "run", &json!({"code": code, "durable": true}));
                continue;
            }
            ensure!(number.is_null() || number == run["run"], "{number} became {run}");
            number = run["run"].clone();
            let answered = run["calls"].as_u64().context("calls")?;
            let reads = house.seen("read")?;
            let wanted = if run["status"] == "outcome-unknown" {
                decided += 1;
                decision(&house, &run)?
            } else {
                json!({"resume": number})
            };
            resumed += 1;
            let killer = random.chance(60).then(|| house.kill_later(&mut random)).transpose()?;
            told = record(&mut client, "run", &wanted);
            if let Some(killer) = killer {
                killer.join().map_err(|_| anyhow::anyhow!("the killer failed"))?;
            }
            // The reads whose answers were written before are asked no more.
            let now = house.seen("read")?;
            for n in first..first + answered.div_ceil(2) {
                ensure!(now.get(&n) == reads.get(&n), "{n} was read again: {run} {now:?}");
            }
        }
        let writes = house.seen("write").with_context(context)?;
        for n in first..first + CALLS {
            ensure!(writes.get(&n) == Some(&1), "{n} was written {:?} times", writes.get(&n));
        }
        drop(client);
        let mut client = house.serve()?;
        let recent = client.call("journal_recent", &json!({"kind": "run", "limit": 1}))?;
        let entry = recent["structuredContent"]["entries"][0]["entry"].clone();
        let replayed = client.call("replay", &json!({"entry": entry}))?;
        ensure!(replayed["structuredContent"]["verdict"] == "equal", "round {round}: {replayed}");
    }
    let mut verify = command(&house.folder)?;
    let status =
        verify.env("MCP_PIF_DATA", house.file("data")).args(["journal", "verify"]).output()?;
    ensure!(status.status.success(), "{status:?}");
    println!("{rounds} rounds, {resumed} times resumed, {decided} writes decided");
    ensure!(resumed > 0, "no run was interrupted");
    Ok(())
}
