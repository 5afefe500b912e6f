//! A few rounds of `cargo x kill --calls`. `PIF_KILLS` names another number of rounds.

use super::folder::{Folder, cache};
use anyhow::{Result, ensure};
use pif_tests::endure::calls::{Plan, endure};
use pif_tests::server::binary;
use pif_tests::tell;
use std::path::Path;
use std::time::Duration;

#[test]
fn no_write_is_made_twice_whoever_is_killed() -> Result<()> {
    let rounds = std::env::var("PIF_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(6);
    let folder = Folder::new()?;
    let plan = Plan {
        binary: binary::path()?,
        upstream: Path::new(env!("CARGO_BIN_EXE_upstream")),
        cache: &cache(),
        folder: folder.path(),
        rounds,
        seed: 7,
        latest: Duration::from_millis(800),
    };
    let tally = endure(&plan)?;
    tell(&format!("{tally:#?}"));
    ensure!(tally.kills.values().sum::<u64>() == rounds, "{tally:?}");
    ensure!(tally.values > 0 && tally.writes > 0, "{tally:?}");
    Ok(())
}
