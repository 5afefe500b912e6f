//! Rounds of kill -9: servers share a data directory under load, one is killed at a random moment,
//! and then everything that was acknowledged must be there, in a chain without a gap.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pif_sandbox::Sandbox;

use super::check::{Revisions, ensure_journaled, ensure_kept};
use super::load::{Call, Notes, Server, command, visit};
use super::shop;
use crate::generate::Random;

/// Size of the journal: so small that it is trimmed again and again, and much more than a round
/// adds.
const JOURNAL: &str = "3MiB";

/// What to do.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The server.
    pub binary: &'a Path,
    /// Where it keeps its compiled evaluator.
    pub cache: &'a Path,
    /// An empty directory.
    pub data: &'a Path,
    /// How often to kill.
    pub rounds: u64,
    /// Decides on all that is random but the scheduling of the machine.
    pub seed: u64,
    /// The latest moment for the signal after the start of the server.
    pub latest: Duration,
}

/// What was done and found.
#[derive(Debug, Default)]
pub struct Tally {
    /// Kills.
    pub kills: u64,
    /// Those beside which another server went on.
    pub shared: u64,
    /// Kills before the first answer.
    pub early: u64,
    /// Kills with calls on their way.
    pub busy: u64,
    /// Acknowledged evolves, all of which were found.
    pub evolves: u64,
    /// Acknowledged runs, all of which were found.
    pub runs: u64,
    /// Calls without an answer whose entry was there all the same.
    pub unanswered: u64,
    /// Entries of all journals.
    pub entries: i64,
    /// Entries that were removed to keep the journal small.
    pub trimmed: i64,
    /// From the restart of a server to its end, with a call in between: the longest.
    pub slowest: Duration,
}

/// Does all rounds; fails with the first loss.
///
/// # Errors
///
/// What was lost, and in which round.
pub fn endure(plan: &Plan<'_>) -> Result<Tally> {
    let sandbox = Arc::new(Sandbox::open(Some(plan.cache), 2)?);
    let mut random = Random::new(plan.seed);
    let (mut tally, mut all) = (Tally::default(), Revisions::new());
    // One that was not acknowledged may have been made, and be found much later.
    let mut sent = BTreeMap::new();
    let mut next = 1;
    for round in 0..plan.rounds {
        let mut seed = || u64::try_from(random.below(usize::MAX)).unwrap_or_default();
        let seeds = [seed(), seed(), seed()];
        let context = || format!("round {round} of seed {}", plan.seed);
        let before = tally.entries;
        let notes = one(plan, &mut tally, next, seeds).with_context(context)?;
        next += notes.sent.len() as u64 + 1_000_000;
        let start = Instant::now();
        let entries = visit(&mut serve(plan)).with_context(context)?;
        tally.slowest = tally.slowest.max(start.elapsed());
        let shop = shop::open(plan.data, &sandbox, &[]).with_context(context)?;
        ensure!(shop.journal.head()?.id == entries, "{}: {entries} entries", context());
        let found = ensure_journaled(&shop, before, &notes).with_context(context)?;
        tally.runs += found.runs;
        tally.unanswered += found.unanswered;
        tally.entries = entries;
        let evolves = notes.sent.iter().filter(|(_, call)| matches!(call, Call::Evolve(_)));
        sent.extend(evolves.map(|(number, call)| (*number, *call)));
        for (number, revision) in notes.done {
            if let Some(Call::Evolve(tool)) = notes.sent.get(&number) {
                tally.evolves += 1;
                all.insert((*tool, number), revision);
            }
        }
        let is_last = round + 1 == plan.rounds;
        // Old revisions are not touched any more: it is enough to look at them now and then.
        let since = if is_last || round % 100 == 99 { 0 } else { next - 1_000_000 };
        ensure_kept(&shop, &all, &sent, since).with_context(context)?;
        tally.trimmed = shop.journal.verify()?.anchor.id;
    }
    Ok(tally)
}

fn serve(plan: &Plan<'_>) -> Command {
    let mut command = command(plan.binary, plan.cache, plan.data);
    command.args(["--journal-size", JOURNAL]);
    command
}

/// One round: what was sent and acknowledged by all servers of it.
fn one(plan: &Plan<'_>, tally: &mut Tally, first: u64, [a, b, c]: [u64; 3]) -> Result<Notes> {
    let mut random = Random::new(c);
    let micros = usize::try_from(plan.latest.as_micros())?;
    let moment = Duration::from_micros(u64::try_from(random.below(micros))?);
    let is_shared = random.chance(50);
    let other =
        if is_shared { Some(Server::start(&mut serve(plan), first + 500_000, b)?) } else { None };
    let victim = Server::start(&mut serve(plan), first, a)?;
    thread::sleep(moment);
    let mut notes = victim.kill()?;
    tally.kills += 1;
    tally.shared += u64::from(is_shared);
    tally.early += u64::from(notes.done.is_empty());
    tally.busy += u64::from(notes.sent.len() > notes.done.len());
    if let Some(other) = other {
        // It must go on as if nothing had been.
        let answered = other.answered();
        let start = Instant::now();
        while other.answered() < answered + 20 {
            ensure!(start.elapsed() < Duration::from_mins(1), "the other server does not go on");
            thread::sleep(Duration::from_millis(1));
        }
        let others = other.end()?;
        notes.sent.extend(others.sent);
        notes.done.extend(others.done);
    }
    Ok(notes)
}
