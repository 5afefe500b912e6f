//! A few rounds of what `cargo x kill` does a thousand times. `PIF_KILLS` names another number of rounds amid
//! turns.

use crate::binary;
use crate::folder::{Folder, cache};
use anyhow::{Result, ensure};
use pif_tests::endure::kill::{Plan, endure};
use pif_tests::endure::turns;
#[cfg(unix)]
use pif_tests::endure::web;
use std::time::Duration;

#[test]
fn what_was_acknowledged_survives_the_server() -> Result<()> {
    let folder = Folder::new()?;
    let plan = Plan {
        binary: binary::path()?,
        cache: &cache(),
        data: &folder.path().join("data"),
        rounds: 10,
        seed: 4,
        latest: Duration::from_millis(400),
    };
    let tally = endure(&plan)?;
    println!("{tally:?}");
    ensure!(tally.kills == 10 && tally.evolves > 0 && tally.runs > 0, "{tally:?}");
    Ok(())
}

#[test]
fn acknowledged_turns_of_sessions_survive_the_server() -> Result<()> {
    let folder = Folder::new()?;
    let rounds = std::env::var("PIF_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(8);
    let plan = turns::Plan {
        binary: binary::path()?,
        cache: &cache(),
        data: &folder.path().join("data"),
        rounds,
        seed: 5,
        latest: Duration::from_millis(400),
    };
    let tally = turns::endure(&plan)?;
    println!("{tally:?}");
    ensure!(tally.kills == rounds && tally.turns > rounds, "{tally:?}");
    Ok(())
}

#[test]
#[cfg(unix)]
fn acknowledged_writes_over_http_survive_the_server() -> Result<()> {
    let folder = Folder::new()?;
    let rounds = std::env::var("PIF_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(8);
    let plan = web::Plan {
        binary: binary::path()?,
        cache: &cache(),
        folder: folder.path(),
        rounds,
        seed: 6,
        latest: Duration::from_millis(400),
    };
    let tally = web::endure(&plan)?;
    println!("{tally:?}");
    ensure!(tally.kills == rounds && tally.writes > rounds, "{tally:?}");
    Ok(())
}
