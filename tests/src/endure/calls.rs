//! Rounds of kill -9 amid calls of another server: one of the processes is killed at a random moment,
//! and then no write was made twice, every write has an entry, and no process is left.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use pif_sandbox::Sandbox;
use pif_store::journal::{Answer, Body, Came, Digest, Filter};
use serde_json::{Value, json};

use super::load::{command, visit};
use super::shop;
use crate::generate::Random;
use crate::processes::{is_alive, mentioning};
use crate::server::pipe::{Output, Pipe};

/// Runs of a round, and calls in a row in each.
const RUNS: u64 = 6;
const CALLS: u64 = 5;

/// How long a server may take for what is left to do after a kill.
const PATIENCE: Duration = Duration::from_mins(1);

/// What to do.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The server.
    pub binary: &'a Path,
    /// The scripted server that is called.
    pub upstream: &'a Path,
    /// Where the server keeps its compiled evaluator.
    pub cache: &'a Path,
    /// An empty directory.
    pub folder: &'a Path,
    /// How often to kill.
    pub rounds: u64,
    /// Decides on all that is random but the scheduling of the machine.
    pub seed: u64,
    /// The latest moment for the signal after the start of the server.
    pub latest: Duration,
}

/// Who is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Victim {
    Server,
    Supervisor,
    Worker,
    Upstream,
    ServerAndSupervisor,
}

const VICTIMS: [Victim; 5] = [
    Victim::Server,
    Victim::Supervisor,
    Victim::Worker,
    Victim::Upstream,
    Victim::ServerAndSupervisor,
];

/// What was done and found.
#[derive(Debug, Default)]
pub struct Tally {
    /// Kills, by their victims.
    pub kills: BTreeMap<String, u64>,
    /// Rounds in which nothing had been written when the signal came.
    pub early: u64,
    /// Writes of the called server, each of which was made once.
    pub writes: usize,
    /// Runs that were answered with their value, all of whose writes were made.
    pub values: u64,
    /// Runs that were answered with a fault.
    pub faults: u64,
    /// Calls of which the journal says that nobody knows what came.
    pub unknown: u64,
    /// Entries of the journal, in one valid chain.
    pub entries: i64,
    /// From a kill to the end of the last process.
    pub slowest: Duration,
}

/// Does all rounds; fails with the first that finds something wrong.
///
/// # Errors
///
/// What is wrong, and in which round.
pub fn endure(plan: &Plan<'_>) -> Result<Tally> {
    let house = House::new(plan)?;
    let sandbox = Arc::new(Sandbox::open(Some(plan.cache), 2)?);
    let mut random = Random::new(plan.seed);
    let mut tally = Tally::default();
    for round in 0..plan.rounds {
        let context = || format!("round {round} of seed {}", plan.seed);
        let first = 1_000 * (round + 1);
        let values = house.one(&mut random, first, &mut tally).with_context(context)?;
        visit(&mut house.serve()).with_context(context)?;
        house.ensure_gone().with_context(context)?;
        house.ensure_written(&values).with_context(context)?;
        house.ensure_told(&sandbox, &mut tally).with_context(context)?;
    }
    Ok(tally)
}

struct House<'a> {
    plan: &'a Plan<'a>,
    /// The file that gets a line for each write.
    log: PathBuf,
    config: PathBuf,
}

impl<'a> House<'a> {
    fn new(plan: &'a Plan<'a>) -> Result<Self> {
        fs::create_dir_all(plan.folder)?;
        let (log, config) = (plan.folder.join("writes"), plan.folder.join("capabilities.json"));
        let write = json!({"name": "write", "does": {"echo": true, "log": log, "sleep_ms": 1}});
        let script = json!({"tools": [write]}).to_string();
        let servers = json!({"s": {"command": plan.upstream, "args": [script], "grants": "allow"}});
        fs::write(&config, json!({ "mcpServers": servers }).to_string())?;
        fs::set_permissions(&config, fs::Permissions::from_mode(0o600))?;
        Ok(Self { plan, log, config })
    }

    fn data(&self) -> PathBuf {
        self.plan.folder.join("data")
    }

    fn serve(&self) -> Command {
        let mut command = command(self.plan.binary, self.plan.cache, &self.data());
        command.env("MCP_PIF_CAPABILITIES", &self.config);
        command
    }

    fn writes(&self) -> Result<Vec<u64>> {
        let Ok(text) = fs::read_to_string(&self.log) else { return Ok(Vec::new()) };
        let number = |line: &str| {
            let args: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
            args["n"].as_u64().with_context(|| line.to_owned())
        };
        text.lines().map(number).collect()
    }

    /// One round: gives the first numbers of the runs that were answered with their value.
    fn one(&self, random: &mut Random, first: u64, tally: &mut Tally) -> Result<Vec<u64>> {
        let victim = random.pick(&VICTIMS);
        let micros = usize::try_from(self.plan.latest.as_micros())?;
        let moment = Duration::from_micros(u64::try_from(random.below(micros))?);
        let before = self.writes()?.len();
        let mut pipe = Pipe::start(&mut self.serve())?;
        let mut open = BTreeMap::new();
        for run in 0..RUNS {
            let from = first + run * CALLS;
            let code =
                format!("range({CALLS}).map(n => call(\"s.write\", {{n: {from} + n}}).n).sum()");
            open.insert(pipe.send("run", &json!({ "code": code }))?, from);
        }
        thread::sleep(moment);
        tally.early += u64::from(self.writes()?.len() == before);
        *tally.kills.entry(format!("{victim:?}")).or_default() += 1;
        let start = Instant::now();
        let output = pipe.take_output()?;
        let values = match victim {
            Victim::Server | Victim::ServerAndSupervisor => {
                if victim == Victim::ServerAndSupervisor {
                    self.kill(Victim::Supervisor);
                }
                pipe.kill()?;
                answers(output, &mut open, tally)?
            }
            _ => {
                self.kill(victim);
                // The server goes on, and answers all.
                let input = pipe.take_input()?;
                let values = all_answers(output, &mut open, tally)?;
                drop(input);
                pipe.finish()?;
                values
            }
        };
        self.ensure_gone()?;
        tally.slowest = tally.slowest.max(start.elapsed());
        Ok(values)
    }

    /// Kills a process below the server, if it is there already.
    fn kill(&self, victim: Victim) {
        let sign = match victim {
            Victim::Supervisor => "\0broker\0supervise\0".to_owned(),
            Victim::Worker => "\0broker\0work\0".to_owned(),
            _ => format!("{}\0", self.plan.upstream.display()),
        };
        for id in mentioning(&self.plan.folder.display().to_string()) {
            let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line);
            if line.contains(&sign) && !line.contains("\0launch\0") {
                // It may have ended meanwhile.
                let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
            }
        }
    }

    /// Whatever had to do with the server has ended.
    fn ensure_gone(&self) -> Result<()> {
        let start = Instant::now();
        loop {
            let all = mentioning(&self.plan.folder.display().to_string());
            let left: Vec<u32> = all.into_iter().filter(|id| is_alive(*id)).collect();
            if left.is_empty() {
                return Ok(());
            }
            ensure!(start.elapsed() < PATIENCE, "processes are left: {left:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// No write was made twice, and all those of runs that have their value were made.
    fn ensure_written(&self, values: &[u64]) -> Result<()> {
        let writes = self.writes()?;
        let once: BTreeSet<u64> = writes.iter().copied().collect();
        ensure!(once.len() == writes.len(), "a write was made twice: {writes:?}");
        for first in values {
            let is_whole = (*first..first + CALLS).all(|n| once.contains(&n));
            ensure!(is_whole, "the run of {first} has its value, and not all of its writes");
        }
        Ok(())
    }

    /// Every write is told of by one entry.
    fn ensure_told(&self, sandbox: &Arc<Sandbox>, tally: &mut Tally) -> Result<()> {
        let shop = shop::open(&self.data(), sandbox, &[])?;
        let mut told = BTreeSet::new();
        tally.unknown = 0;
        for entry in shop.journal.entries(&Filter::default(), false, usize::MAX >> 1)? {
            let body: Body = serde_json::from_str(&entry.body)?;
            for answer in body.answers {
                let Answer::Calls(made) = answer else { continue };
                for made in made {
                    tally.unknown += u64::from(made.outcome == Came::Unknown);
                    let is_new = told.insert(made.asked.args.sha256);
                    ensure!(is_new, "two entries tell of one call, {} is the second", entry.id);
                }
            }
        }
        let writes = self.writes()?;
        for n in &writes {
            let digest = Digest::of(&json!({ "n": n }).to_string()).sha256;
            ensure!(told.contains(&digest), "no entry tells of the write {n}");
        }
        tally.writes = writes.len();
        tally.entries = shop.journal.head()?.id;
        shop.journal.verify()?;
        Ok(())
    }
}

/// Takes answers until the output ends.
fn answers(
    mut output: Output,
    open: &mut BTreeMap<u64, u64>,
    tally: &mut Tally,
) -> Result<Vec<u64>> {
    let mut values = Vec::new();
    while let Some(line) = output.answer()? {
        // A server that was killed may have left half a line.
        if let Ok(answer) = serde_json::from_str(&line) {
            values.extend(take(&answer, open, tally)?);
        }
    }
    Ok(values)
}

/// Takes the answers to all that was asked.
fn all_answers(
    mut output: Output,
    open: &mut BTreeMap<u64, u64>,
    tally: &mut Tally,
) -> Result<Vec<u64>> {
    let mut values = Vec::new();
    while !open.is_empty() {
        let Some(line) = output.answer()? else { bail!("no answer to {open:?}") };
        values.extend(take(&serde_json::from_str(&line)?, open, tally)?);
    }
    Ok(values)
}

/// The first number of the run, if it has its value.
fn take(answer: &Value, open: &mut BTreeMap<u64, u64>, tally: &mut Tally) -> Result<Option<u64>> {
    let id = answer["id"].as_u64().with_context(|| answer.to_string())?;
    let from = open.remove(&id).with_context(|| format!("nobody asked for {answer}"))?;
    let content = &answer["result"]["structuredContent"];
    if content["value"] == (from..from + CALLS).sum::<u64>() {
        tally.values += 1;
        return Ok(Some(from));
    }
    ensure!(content["code"] == "upstream", "{from}: {answer}");
    tally.faults += 1;
    Ok(None)
}
