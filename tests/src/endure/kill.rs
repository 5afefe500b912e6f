//! Rounds of kill -9: servers share a data directory under load, one is killed at a random moment,
//! and then everything that was acknowledged must be there, in a chain without a gap.

use super::load::{Call, Notes, Server, canonical, command, name, visit};
use super::shop;
use crate::generate::Random;
use anyhow::{Context, Result, ensure};
use mcp_pif::journal::{Body, Entry, Filter};
use mcp_pif::sandbox::Sandbox;
use mcp_pif::workshop::Workshop;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Size of the journal: so small that it is trimmed again and again, and much more than a round
/// adds.
const JOURNAL: &str = "3MiB";

/// History of a tool that is looked at.
const HISTORY: usize = 1_000_000;

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
    let (mut tally, mut all) = (Tally::default(), BTreeMap::new());
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
        ensure_journaled(&shop, before, &notes, &mut tally).with_context(context)?;
        tally.entries = entries;
        for (number, revision) in notes.done {
            if let Some(Call::Evolve(tool)) = notes.sent.get(&number) {
                tally.evolves += 1;
                all.insert((*tool, number), revision);
            }
        }
        let is_last = round + 1 == plan.rounds;
        // Old revisions are not touched any more: it is enough to look at them now and then.
        let since = if is_last || round % 100 == 99 { 0 } else { next - 1_000_000 };
        ensure_kept(&shop, &all, &notes.sent, since).with_context(context)?;
        tally.trimmed = shop.journal.verify()?.anchor.id;
    }
    Ok(tally)
}

fn serve(plan: &Plan<'_>) -> std::process::Command {
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
    tally.early += u64::from(notes.sent.is_empty());
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

/// Every acknowledged call has an entry of its own, no entry is of a call that was not sent, and
/// none has two.
fn ensure_journaled(shop: &Workshop, before: i64, notes: &Notes, tally: &mut Tally) -> Result<()> {
    let filter = Filter { after: Some(before), ..Filter::default() };
    let mut found = BTreeMap::new();
    for entry in shop.journal.entries(&filter, false, usize::MAX >> 1)? {
        let number = number(&entry).with_context(|| format!("whose is {entry:?}?"))?;
        ensure!(notes.sent.contains_key(&number), "nobody asked for {entry:?}");
        let twice = found.insert(number, entry.kind);
        ensure!(twice.is_none(), "{number} has two entries");
    }
    for number in notes.done.keys() {
        let kind = found.get(number).map(String::as_str);
        let is_right = match notes.sent.get(number) {
            Some(Call::Evolve(_)) => kind == Some("evolve"),
            Some(Call::Run) => kind == Some("run"),
            _ => matches!(kind, Some("run" | "refusal")),
        };
        ensure!(is_right, "call {number} was acknowledged and its entry is {kind:?}");
        tally.runs += u64::from(kind == Some("run"));
    }
    tally.unanswered += u64::try_from(found.len() - notes.done.len())?;
    Ok(())
}

/// The number of the call that an entry tells of.
fn number(entry: &Entry) -> Option<u64> {
    let body: Body = serde_json::from_str(&entry.body).ok()?;
    let request: Value = serde_json::from_str(body.request?.text()).ok()?;
    let inner = |text: &Value| serde_json::from_str::<Value>(text.as_str()?).ok();
    if let Some(code) = inner(&request["code"]) {
        return code["add"][0].as_u64();
    }
    if let Some(data) = inner(&request["data"]) {
        return data.as_u64();
    }
    let arguments = inner(&request["arguments"])?;
    let of_tool = arguments["data"].as_u64();
    of_tool.or_else(|| arguments["code"]["body"]["add"][1].as_u64())
}

/// Every acknowledged revision is in the history of its tool with the right term, and each tool
/// stands for the last of what was made of it, acknowledged or not.
fn ensure_kept(
    shop: &Workshop,
    all: &BTreeMap<(usize, u64), String>,
    sent: &BTreeMap<u64, Call>,
    since: u64,
) -> Result<()> {
    let tools = shop.registry.snapshot()?;
    let mut histories = BTreeMap::new();
    for ((tool, number), revision) in all.iter().filter(|((_, number), _)| *number >= since) {
        if !histories.contains_key(tool) {
            histories.insert(*tool, tools.history(&name(*tool), HISTORY)?);
        }
        let past = histories.get(tool).map(Vec::as_slice).unwrap_or_default();
        let is_kept = past.iter().any(|it| it.hash.as_ref() == Some(revision));
        ensure!(is_kept, "{} lost its revision {revision}", name(*tool));
        let source = tools.source(revision)?.unwrap_or_default();
        let expected = canonical(Call::Evolve(*tool), *number);
        ensure!(source == expected, "{revision} is {source}, not {expected}");
    }
    for (tool, past) in histories {
        let current =
            tools.find(&name(tool))?.with_context(|| format!("{} is gone", name(tool)))?;
        let last = past.first().context("no history")?;
        ensure!(last.hash.as_ref() == Some(&current.hash), "{current:?} is not the last, {last:?}");
        let is_known = sent.iter().any(|(number, call)| {
            *call == Call::Evolve(tool) && canonical(*call, *number) == current.source
        });
        let is_known = is_known || all.iter().any(|((_, _), hash)| *hash == current.hash);
        ensure!(is_known, "nobody made {current:?}");
    }
    Ok(())
}
