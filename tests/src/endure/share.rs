//! Several servers on one data directory at once, all under load and none of them killed.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pif_sandbox::Sandbox;

use super::check::{Revisions, ensure_journaled, ensure_kept};
use super::load::{Call, Notes, Server, command};
use super::shop;

/// What was done and found.
#[derive(Debug)]
pub struct Shared {
    /// Acknowledged evolves, all of which were found.
    pub evolves: usize,
    /// Acknowledged runs, all of which were found.
    pub runs: u64,
    /// Entries of the journal.
    pub entries: i64,
}

/// Lets servers work on an empty directory for a time; fails if one of them loses anything.
///
/// # Errors
///
/// What was lost.
pub fn share(
    binary: &Path,
    cache: &Path,
    data: &Path,
    servers: u64,
    time: Duration,
) -> Result<Shared> {
    let start = |n| Server::start(&mut command(binary, cache, data), 1 + n * 1_000_000, n);
    let running = (0..servers).map(start).collect::<Result<Vec<_>>>()?;
    thread::sleep(time);
    let mut notes = Notes::default();
    for (number, server) in running.into_iter().enumerate() {
        let own = server.end().with_context(|| format!("server {number}"))?;
        ensure!(own.done.len() > 10, "server {number} got little done: {}", own.done.len());
        notes.sent.extend(own.sent);
        notes.done.extend(own.done);
    }
    let shop = shop::open(data, &Arc::new(Sandbox::open(Some(cache), 2)?), &[])?;
    let found = ensure_journaled(&shop, 0, &notes)?;
    ensure!(found.unanswered == 0, "{} calls have entries and no answers", found.unanswered);
    let revisions: Revisions = notes
        .done
        .iter()
        .filter_map(|(number, revision)| match notes.sent.get(number) {
            Some(Call::Evolve(tool)) => Some(((*tool, *number), revision.clone())),
            _ => None,
        })
        .collect();
    ensure_kept(&shop, &revisions, &notes.sent, 0)?;
    let verified = shop.journal.verify()?;
    Ok(Shared { evolves: revisions.len(), runs: found.runs, entries: verified.count() })
}
