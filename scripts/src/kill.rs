//! Kills servers under load, again and again, and looks for what they acknowledged.

use anyhow::{Context, Result};
use pif_tests::endure::kill::{Plan, endure};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The latest moment of the signal: a server starts in some milliseconds.
const LATEST: Duration = Duration::from_millis(90);

/// Kills; the arguments are the number of rounds and the seed.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let rounds: u64 = arguments.first().map_or(Ok(1_000), |n| n.parse())?;
    let clock = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let seed: u64 = arguments.get(1).map_or(Ok(clock), |n| n.parse())?;
    let (target, binary) = crate::clients::server_for_release()?;
    let (data, cache) = (target.join("kill"), target.join("cache"));
    if data.exists() {
        std::fs::remove_dir_all(&data).context("what an earlier time has left")?;
    }
    println!("{rounds} rounds with seed {seed}, in {}", data.display());
    let start = Instant::now();
    let plan = Plan { binary: &binary, cache: &cache, data: &data, rounds, seed, latest: LATEST };
    let tally = endure(&plan)?;
    println!(
        "{} kills in {:.0} s: {} beside a server that went on, {} before the first answer, {} with calls on their way",
        tally.kills,
        start.elapsed().as_secs_f64(),
        tally.shared,
        tally.early,
        tally.busy,
    );
    println!(
        "acknowledged and found: {} evolves, {} runs; written and not yet acknowledged: {}",
        tally.evolves, tally.runs, tally.unanswered,
    );
    println!(
        "one valid chain of {} entries, the first {} of them trimmed; slowest restart {:?}",
        tally.entries, tally.trimmed, tally.slowest,
    );
    std::fs::remove_dir_all(&data).context("the store cannot be removed")
}
