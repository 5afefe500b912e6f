//! Kills servers under load, again and again, and looks for what they acknowledged.

use crate::tasks::shell;
use anyhow::Result;
use pif_tests::endure::calls;
use pif_tests::endure::kill::{Plan, endure};
use pif_tests::endure::{turns, web};
use pif_tests::server::binary;
use pif_tests::server::folder::cache;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use xshell::cmd;

/// The latest moment of the signal: a server starts in some milliseconds.
const LATEST: Duration = Duration::from_millis(90);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many servers to kill
    #[arg(default_value_t = 1_000)]
    rounds: u64,
    /// What decides about their moments; the clock without
    seed: Option<u64>,
    /// Kill the server, its broker or the servers that it calls, amid calls
    #[arg(long)]
    calls: bool,
    /// Kill amid turns of sessions
    #[arg(long, conflicts_with = "calls")]
    sessions: bool,
    /// Kill under load over HTTP
    #[arg(long, conflicts_with_all = ["calls", "sessions"])]
    http: bool,
}

/// Kills.
pub(crate) fn run(&Options { rounds, seed, calls, sessions, http }: &Options) -> Result<()> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let seed = seed.unwrap_or(clock);
    let binary = binary::for_release()?;
    let cache = cache();
    // It stays where it is if something is found.
    let data = binary::target()?.join("kill");
    shell()?.remove_path(&data)?;
    println!("{rounds} rounds with seed {seed}, in {}", data.display());
    let start = Instant::now();
    if calls {
        return amid_calls(&binary, &cache, &data, rounds, seed);
    }
    if sessions {
        return amid_turns(&binary, &cache, &data, rounds, seed);
    }
    if http {
        return under_http(&binary, &cache, &data, rounds, seed);
    }
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
    Ok(shell()?.remove_path(&data)?)
}

/// The latest moment amid calls: the called server starts, too.
const LATEST_CALL: Duration = Duration::from_millis(300);

fn amid_calls(binary: &Path, cache: &Path, folder: &Path, rounds: u64, seed: u64) -> Result<()> {
    let sh = shell()?;
    cmd!(sh, "cargo build --quiet --workspace --bin upstream").run()?;
    let upstream = binary::target()?.join("debug/upstream");
    let latest = LATEST_CALL;
    let plan = calls::Plan { binary, upstream: &upstream, cache, folder, rounds, seed, latest };
    let start = Instant::now();
    let tally = calls::endure(&plan)?;
    println!(
        "kills in {:.0} s: {:?}, {} of them before the first write",
        start.elapsed().as_secs_f64(),
        tally.kills,
        tally.early
    );
    println!(
        "{} writes, none twice, each told of by one entry; runs: {} with their value, {} with a fault; calls of which nobody knows what came: {}",
        tally.writes, tally.values, tally.faults, tally.unknown
    );
    println!(
        "one valid chain of {} entries; no process left after {:?} at most",
        tally.entries, tally.slowest
    );
    Ok(sh.remove_path(folder)?)
}

fn under_http(binary: &Path, cache: &Path, folder: &Path, rounds: u64, seed: u64) -> Result<()> {
    let plan = web::Plan { binary, cache, folder, rounds, seed, latest: LATEST };
    let start = Instant::now();
    let tally = web::endure(&plan)?;
    println!("{} kills in {:.0} s", tally.kills, start.elapsed().as_secs_f64());
    println!(
        "writes acknowledged and found: {}; not acknowledged and made: {}; slowest start {:?}",
        tally.writes, tally.unanswered, tally.slowest,
    );
    Ok(shell()?.remove_path(folder)?)
}

fn amid_turns(binary: &Path, cache: &Path, data: &Path, rounds: u64, seed: u64) -> Result<()> {
    let plan = turns::Plan { binary, cache, data, rounds, seed, latest: LATEST };
    let start = Instant::now();
    let tally = turns::endure(&plan)?;
    println!(
        "{} kills in {:.0} s, {} beside a server that went on",
        tally.kills,
        start.elapsed().as_secs_f64(),
        tally.shared,
    );
    println!(
        "turns acknowledged and found: {}; not acknowledged: {} made whole, {} not at all",
        tally.turns, tally.unanswered, tally.lost,
    );
    println!("{} entries; slowest restart {:?}", tally.entries, tally.slowest);
    Ok(shell()?.remove_path(data)?)
}
