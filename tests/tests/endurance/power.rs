//! What a power cut leaves behind.
//!
//! The model: a file is made of sectors of 512 bytes. When the power fails, every sector that was
//! written before the last synchronization of its file has its new content; each of those written
//! since has the old content, the new one, or anything; and a file that grew has any length up to
//! its new one. Files are synchronized one by one, as SQLite promises: the log at the end of every
//! change of the registry and before a checkpoint, the database at the end of a checkpoint before
//! the log is used again.
//!
//! A store is filled step by step, and its files are copied after each step; between two
//! synchronizations the log only grows, so the copies hold every byte that was written and in
//! which order it could have become safe. From these copies states are made that a cut can leave:
//! the log cut off in and between its frames, with its last sectors lost or garbled, with one
//! sector lost and later ones there; a checkpoint that got through some of its pages or half of
//! one; a log that is being used again and holds frames of both generations. The index of the log
//! (`-shm`) may hold anything at all.
//!
//! Each state must open with a valid chain and hold whatever had been acknowledged before the last
//! synchronization, and of the rest a beginning: no tool without its entry, no entry without its
//! tool.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pif_sandbox::Code;
use pif_server::workshop::Workshop;
use pif_tests::endure::shop;
use pif_tests::generate::Random;
use rusqlite::Connection;

use super::store::{FILE, adder, open};
use crate::folder::Folder;

/// What a disk writes as a whole.
const SECTOR: usize = 512;
/// What SQLite writes of a page to its log: a header of its own and the page.
const FRAME: usize = 24 + PAGE;
const PAGE: usize = 4_096;
/// The header of the log.
const HEADER: usize = 32;

/// The files and what has been acknowledged.
#[derive(Clone)]
struct Moment {
    db: Vec<u8>,
    log: Vec<u8>,
    index: Vec<u8>,
    /// Entries of the journal.
    entries: i64,
    /// Tools: their entries and revisions, in order.
    tools: Vec<(i64, String)>,
    is_synchronized: bool,
}

fn file(folder: &Folder, suffix: &str) -> PathBuf {
    folder.path().join(format!("{FILE}{suffix}"))
}

/// A store that is being filled.
struct Workload {
    folder: Folder,
    shop: Workshop,
    tools: Vec<(i64, String)>,
    moments: Vec<Moment>,
}

impl Workload {
    fn start() -> Result<Self> {
        let folder = Folder::new()?;
        let shop = open(folder.path())?;
        let mut this = Self { folder, shop, tools: Vec::new(), moments: Vec::new() };
        this.note(false)?;
        Ok(this)
    }

    fn note(&mut self, is_synchronized: bool) -> Result<()> {
        let read = |suffix| fs::read(file(&self.folder, suffix));
        self.moments.push(Moment {
            db: read("")?,
            log: read("-wal")?,
            index: read("-shm")?,
            entries: self.shop.journal.head()?.id,
            tools: self.tools.clone(),
            is_synchronized,
        });
        Ok(())
    }

    /// Makes a tool and runs it some times.
    fn step(&mut self, runs: usize) -> Result<()> {
        let n = self.tools.len();
        let evolved = shop::evolve(&self.shop, &format!("tool_{n}"), &adder(n as u64))?;
        self.tools.push((evolved.entry, evolved.hash));
        self.note(true)?;
        for run in 0..runs {
            shop::run(&self.shop, Code::Tool(format!("tool_{n}")), &run.to_string())?;
            self.note(false)?;
        }
        Ok(())
    }

    fn last(&self) -> Result<&Moment> {
        self.moments.last().context("nothing was done")
    }
}

/// A directory in which states are looked at.
struct Trial {
    folder: Folder,
    states: usize,
    /// States that had lost something which nobody had promised.
    shorter: usize,
}

impl Trial {
    fn new() -> Result<Self> {
        Ok(Self { folder: Folder::new()?, states: 0, shorter: 0 })
    }

    /// Looks at a state: it must hold at least what there was at one moment, and at most what there
    /// was at another.
    fn look(&mut self, db: &[u8], log: &[u8], [least, most]: [&Moment; 2]) -> Result<()> {
        for suffix in ["-wal", "-shm"] {
            // There need not be one.
            let _ = fs::remove_file(file(&self.folder, suffix));
        }
        fs::write(file(&self.folder, ""), db)?;
        fs::write(file(&self.folder, "-wal"), log)?;
        self.look_again([least, most])
    }

    fn look_again(&mut self, [least, most]: [&Moment; 2]) -> Result<()> {
        let shop = open(self.folder.path())?;
        let head = shop.journal.head()?.id;
        let range = least.entries..=most.entries;
        ensure!(range.contains(&head), "{head} entries, not {range:?}");
        let tools = shop.registry.snapshot()?;
        for (n, (entry, hash)) in most.tools.iter().enumerate() {
            let past = tools.history(&format!("tool_{n}"), 9)?;
            let is_there = past.iter().any(|it| it.hash.as_ref() == Some(hash));
            ensure!(is_there == (*entry <= head), "tool {n} of entry {entry}, {head} entries");
            ensure!(is_there || n >= least.tools.len(), "tool {n} is lost");
        }
        self.states += 1;
        self.shorter += usize::from(head < most.entries);
        Ok(())
    }
}

/// Logs that a cut can leave after some bytes are safe, of a log that grew beyond them.
fn cut(log: &[u8], safe: usize, random: &mut Random) -> Vec<(String, Vec<u8>)> {
    let mut states = Vec::new();
    let mut add = |what: String, state: Vec<u8>| states.push((what, state));
    let first = safe.saturating_sub(HEADER).div_ceil(FRAME);
    for frame in first..=(log.len() - HEADER) / FRAME {
        let start = HEADER + frame * FRAME;
        let within = [0, 24, 24 + 8 * random.below(SECTOR)];
        for length in within.map(|offset| start + offset) {
            if length > log.len() || length < safe {
                continue;
            }
            add(format!("cut at {length}"), log[..length].to_vec());
        }
        let (mut zeros, mut noise) = (log[..start].to_vec(), log[..start].to_vec());
        for at in start.saturating_sub(SECTOR * (1 + random.below(3))).max(safe)..start {
            zeros[at] = 0;
            noise[at] = u8::try_from(random.below(256)).unwrap_or_default();
        }
        add(format!("{start}, the end lost"), zeros);
        add(format!("{start}, the end garbled"), noise);
    }
    // One sector is lost, and what was written after it is there.
    let mut at = safe.next_multiple_of(SECTOR);
    while at < log.len() {
        let mut state = log.to_vec();
        let end = (at + SECTOR).min(log.len());
        state[at..end].fill(0);
        add(format!("without the sector at {at}"), state);
        at += SECTOR * (1 + random.below(60));
    }
    states
}

#[test]
#[ignore = "long"]
fn a_power_cut_loses_nothing_that_was_synchronized() -> Result<()> {
    let mut workload = Workload::start()?;
    for runs in [2, 0, 2] {
        workload.step(runs)?;
    }
    let (mut trial, mut random) = (Trial::new()?, Random::new(1));
    let moments = &workload.moments;
    let mut safe = moments[0].clone();
    // Nothing of the log is safe before the first change of the registry.
    safe.log.clear();
    for moment in &moments[1..] {
        ensure!(moment.db == safe.db && moment.log.starts_with(&safe.log), "the log was reused");
        let is_last = moment.entries == workload.last()?.entries;
        if !moment.is_synchronized && !is_last {
            continue;
        }
        for (what, log) in cut(&moment.log, safe.log.len(), &mut random) {
            trial.look(&moment.db, &log, [&safe, moment]).context(what)?;
        }
        safe = moment.clone();
    }
    println!("{} states, {} of which lost what was not safe", trial.states, trial.shorter);
    ensure!(trial.states > 200 && trial.shorter > trial.states / 3, "{}", trial.shorter);
    Ok(())
}

/// The database with some pages of a checkpoint written.
fn partly(old: &[u8], new: &[u8], pages: &[usize]) -> Vec<u8> {
    let mut db = old.to_vec();
    for page in pages {
        let end = ((page + 1) * PAGE).min(new.len());
        db.resize(db.len().max(end), 0);
        db[page * PAGE..end].copy_from_slice(&new[page * PAGE..end]);
    }
    db
}

fn checkpoint(directory: &Path) -> Result<()> {
    let db = Connection::open(directory.join(FILE))?;
    let busy: i64 = db.query_row("PRAGMA wal_checkpoint(FULL)", [], |row| row.get(0))?;
    ensure!(busy == 0, "the checkpoint does not get through");
    Ok(())
}

#[test]
fn a_power_cut_in_a_checkpoint_loses_nothing() -> Result<()> {
    let mut workload = Workload::start()?;
    workload.step(2)?;
    // The first checkpoint makes the file, the second changes it.
    for runs in [3, 2] {
        workload.step(runs)?;
        let before = workload.last()?.clone();
        checkpoint(workload.folder.path())?;
        workload.note(true)?;
        let after = workload.last()?.clone();
        let is_changed = |page: &usize| {
            let range = page * PAGE..(page + 1) * PAGE;
            before.db.get(range.clone()) != after.db.get(range)
        };
        let pages: Vec<usize> = (0..after.db.len() / PAGE).filter(is_changed).collect();
        ensure!(pages.len() > 5 && before.log == after.log, "{pages:?}");
        let (mut trial, mut random) = (Trial::new()?, Random::new(2));
        for count in 0..=pages.len() {
            let written = partly(&before.db, &after.db, &pages[..count]);
            trial.look(&written, &before.log, [&before; 2]).with_context(|| format!("{count}"))?;
            let Some(next) = pages.get(count) else { continue };
            // Half a page, and pages in another order.
            let mut torn = partly(&before.db, &after.db, &pages[..=count]);
            let (half, end) = (next * PAGE + SECTOR * (1 + random.below(7)), (next + 1) * PAGE);
            torn[half..end].fill(0xa5);
            trial.look(&torn, &before.log, [&before; 2]).with_context(|| format!("half {next}"))?;
            let some: Vec<usize> = pages.iter().copied().filter(|_| random.chance(50)).collect();
            let some = partly(&before.db, &after.db, &some);
            trial.look(&some, &before.log, [&before; 2]).context("pages in any order")?;
        }
        // Now the log is used again, from its start: frames of two generations follow each other.
        workload.step(0)?;
        let reused = workload.last()?.clone();
        ensure!(reused.db == after.db && reused.log != after.log, "the log was not used again");
        let changed = reused.log.iter().zip(&before.log).rposition(|(a, b)| a != b).unwrap_or(0);
        for at in (0..=changed).step_by(SECTOR).chain([changed + 1]) {
            let log = [&reused.log[..at], &before.log[at..]].concat();
            trial.look(&after.db, &log, [&before, &reused]).with_context(|| format!("{at} new"))?;
        }
        trial.look(&after.db, &reused.log, [&reused; 2])?;
        trial.look(&after.db, &[], [&before, &reused])?;
        println!("{} states of a checkpoint of {} pages", trial.states, pages.len());
    }
    Ok(())
}

#[test]
fn the_index_of_the_log_may_hold_anything() -> Result<()> {
    let mut workload = Workload::start()?;
    workload.step(1)?;
    let early = workload.last()?.clone();
    workload.step(3)?;
    let last = workload.last()?.clone();
    let mut random = Random::new(3);
    let mut noise = || (0..32 << 10).map(|_| random.below(256).to_le_bytes()[0]).collect();
    let (first, second): (Vec<u8>, Vec<u8>) = (noise(), noise());
    let zeros = vec![0; 32 << 10];
    for index in [&first, &second, &zeros, &first[..5].to_vec(), &early.index, &last.index] {
        let mut trial = Trial::new()?;
        for (db, log) in
            [(&last.db, &last.log), (&last.db, &last.log[..last.log.len() - 1].to_vec())]
        {
            fs::write(file(&trial.folder, ""), db)?;
            fs::write(file(&trial.folder, "-wal"), log)?;
            fs::write(file(&trial.folder, "-shm"), index)?;
            let safe = if log.len() == last.log.len() { &last } else { &early };
            trial.look_again([safe, &last])?;
        }
    }
    Ok(())
}
