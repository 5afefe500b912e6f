//! Entries that many writers bring into the journal of a database together. A figure of a release build:
//! `cargo test --release -p pif-tests --test state speed -- --ignored --nocapture`.

use std::sync::Arc;
use std::thread::scope;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use pif_domain::{EntryKind, EntryOutcome};
use pif_store::journal::{Draft, Journal};
use pif_tests::postgres::SERVER;

use super::postgres::Database;
use super::shelf::settings;

/// Threads that write at once.
const WRITERS: usize = 64;

/// How long entries are counted.
const PERIOD: Duration = Duration::from_secs(10);

#[test]
#[ignore = "needs PostgreSQL"]
fn entries_a_second_of_many_writers() -> Result<()> {
    let database = Database::new(SERVER)?;
    let journal = Journal::new(Arc::new(database.open_as(SERVER)?), settings(1 << 40));
    let write = &|writer: usize| -> Result<usize> {
        let begun = Instant::now();
        for number in 0.. {
            if begun.elapsed() > PERIOD {
                return Ok(number);
            }
            let text = format!("code of {writer} {number}");
            let draft = Draft::new(EntryKind::Run, Some("double"), EntryOutcome::Value);
            journal.append(Draft { fuel: Some(1), texts: vec![text], ..draft })?;
        }
        Ok(0)
    };
    let written = scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|it| scope.spawn(move || write(it))).collect();
        let counts =
            writers.into_iter().map(|it| it.join().map_err(|_| anyhow::anyhow!("a panic"))?);
        counts.sum::<Result<usize>>()
    })?;
    ensure!(journal.verify()?.count() == i64::try_from(written)?, "entries are missing");
    let each_second = written as u64 / PERIOD.as_secs();
    pif_tests::tell(&format!("{each_second} entries a second by {WRITERS} writers"));
    Ok(())
}
