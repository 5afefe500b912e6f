//! Rounds of kill -9 under load over HTTP: clients of both protocol versions, each with a token, write
//! values one after another, and the server is killed at a random moment. Then every client finds the
//! last value that was acknowledged to it, or the one that was under way.

use crate::generate::Random;
use crate::server::client::text;
use crate::server::folder::Folder;
use crate::server::web::{PEOPLE, Web, token_line};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Those who write: each has two clients, one for each protocol version.
const WRITERS: [&str; 2] = ["runner", "other"];

/// Size of the journal: so small that it is trimmed again and again.
const JOURNAL: &str = "3MiB";

/// What to do.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The server.
    pub binary: &'a Path,
    /// Where it keeps its compiled evaluator.
    pub cache: &'a Path,
    /// An empty directory.
    pub folder: &'a Path,
    /// How often to kill.
    pub rounds: u64,
    /// Decides on all that is random but the scheduling of the machine.
    pub seed: u64,
    /// The latest moment for the signal after the server is ready.
    pub latest: Duration,
}

/// What was done and found.
#[derive(Debug, Default)]
pub struct Tally {
    /// Kills.
    pub kills: u64,
    /// Acknowledged writes, all of which were found.
    pub writes: u64,
    /// Writes that were not acknowledged and made all the same.
    pub unanswered: u64,
    /// The longest time from the start of a server to its readiness.
    pub slowest: Duration,
}

/// A client, and the last value that was acknowledged to it.
#[derive(Debug, Clone)]
struct Writer {
    name: &'static str,
    key: String,
    is_modern: bool,
    last: u64,
}

/// Does all rounds; fails with the first loss.
///
/// # Errors
///
/// What was lost, and in which round.
pub fn endure(plan: &Plan<'_>) -> Result<Tally> {
    let mut random = Random::new(plan.seed);
    let mut tally = Tally::default();
    fs::create_dir_all(plan.folder)?;
    let tokens = plan.folder.join("tokens");
    let lines: String = PEOPLE.iter().map(|(name, scopes)| token_line(name, scopes)).collect();
    fs::write(&tokens, lines)?;
    fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600))?;
    let mut writers: Vec<Writer> = Vec::new();
    for name in WRITERS {
        for is_modern in [true, false] {
            let key = format!("key-{is_modern}");
            writers.push(Writer { name, key, is_modern, last: 0 });
        }
    }
    for round in 0..plan.rounds {
        let context = || format!("round {round} of seed {}", plan.seed);
        let web = start(plan, &mut tally).with_context(context)?;
        let micros = usize::try_from(plan.latest.as_micros())?;
        let moment = Duration::from_micros(u64::try_from(random.below(micros))?);
        let before: u64 = writers.iter().map(|writer| writer.last).sum();
        let driven: Vec<Result<Writer>> = thread::scope(|scope| {
            let web = &web;
            let threads: Vec<_> = writers
                .iter()
                .map(|writer| scope.spawn(move || drive(web, writer.clone())))
                .collect();
            thread::sleep(moment);
            // Clients fail from here on.
            let killed = web.signal("-KILL");
            let joined = threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a client panicked")))
            });
            let joined = joined.collect();
            killed.map(|()| joined)
        })?;
        tally.kills += 1;
        drop(web);
        writers = driven.into_iter().collect::<Result<_>>().with_context(context)?;
        tally.writes += writers.iter().map(|writer| writer.last).sum::<u64>() - before;
        let web = start(plan, &mut tally).with_context(context)?;
        for writer in &mut writers {
            look(&web, writer, &mut tally).with_context(context)?;
        }
    }
    Ok(tally)
}

fn start(plan: &Plan<'_>, tally: &mut Tally) -> Result<Web> {
    let from = Instant::now();
    let mut command = Command::new(plan.binary);
    command.env_clear().env("HOME", plan.folder).env("MCP_PIF_CACHE", plan.cache);
    command.args(["serve", "--http", "127.0.0.1:0", "--journal-size", JOURNAL, "--data"]);
    command.arg(plan.folder.join("data")).arg("--tokens").arg(plan.folder.join("tokens"));
    let web = Web::of(&mut command, Folder::new()?)?;
    tally.slowest = tally.slowest.max(from.elapsed());
    Ok(web)
}

/// Writes until the server is gone.
fn drive(web: &Web, mut writer: Writer) -> Result<Writer> {
    let session = match writer.is_modern {
        true => None,
        // The server may be gone already.
        false => match web.session(writer.name) {
            Ok(session) => Some(session),
            Err(_) => return Ok(writer),
        },
    };
    loop {
        let next = writer.last + 1;
        let arguments = json!({"key": writer.key, "value": next});
        let told = match &session {
            None => web.call(writer.name, "memory_store", &arguments),
            Some(session) => session.call(next, "memory_store", &arguments),
        };
        let Ok(told) = told else { return Ok(writer) };
        ensure!(told["isError"] != true, "{told}");
        writer.last = next;
    }
}

/// Compares the value that is there with the last acknowledged one.
fn look(web: &Web, writer: &mut Writer, tally: &mut Tally) -> Result<()> {
    let found = web.call(writer.name, "memory_retrieve", &json!({"key": writer.key}))?;
    let value: Value = found["structuredContent"]["entries"][0]["value"].clone();
    let value = value.as_u64().or(found["structuredContent"]["value"].as_u64()).unwrap_or_default();
    let more = value.checked_sub(writer.last).filter(|more| *more <= 1);
    let more = more.with_context(|| format!("{writer:?} finds {}", text(&found).unwrap_or("?")))?;
    tally.unanswered += more;
    writer.last = value;
    Ok(())
}
