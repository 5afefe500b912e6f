//! A few rounds of what `cargo x kill` does a thousand times.

use crate::binary;
use crate::folder::{Folder, cache};
use anyhow::{Result, ensure};
use pif_tests::endure::kill::{Plan, endure};
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
