//! `mcp-pif replay`: repeats journaled runs and compares the outcomes.

use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use pif_domain::text;
use pif_domain::{Fault, FaultCode, Limit};
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_server::render;
use pif_server::workshop::{ReplayResult, Verdict};
use pif_store::journal::Entry;

use super::journal::walk;
use super::open::open;
use super::print::{MOST_LINE, Output, fail};
use super::settings::{Directory, existing};

/// The most characters of a differing field in the report.
const MOST_FIELD: usize = 1_000;

#[derive(Debug, Args)]
pub(super) struct Replay {
    /// The number of an entry
    #[arg(required_unless_present = "all", conflicts_with = "all", value_name = "ENTRY")]
    entries: Vec<i64>,
    /// All entries
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: Directory,
}

/// The number of replays for each verdict.
#[derive(Default)]
struct Tally {
    equal: u64,
    different: u64,
    skipped: u64,
}

impl Replay {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = existing(options, &self.place)?;
        let workshop = open(&config)?;
        let mut output = Output::open();
        let mut tally = Tally::default();
        let replay = |entry: &Entry| {
            let replayed =
                workshop.replay_entry(entry, &Watch::new(config.values.time(Limit::WallClock)));
            replayed.or_else(|fault| stopped(entry, fault))
        };
        if self.all {
            walk(&workshop.journal, |entry| {
                let replayed = replay(entry).map_err(|fault| anyhow!(render::explain(&fault)))?;
                Ok(tally.add(&replayed, &mut output))
            })?;
            let Tally { equal, different, skipped } = tally;
            output.line(&format!("{equal} equal, {different} different, {skipped} skipped"));
        }
        for id in &self.entries {
            let entry = workshop.journal.entry(*id).context("the journal cannot be read")?;
            let replayed = match entry {
                Some(entry) => replay(&entry),
                None => Err(workshop.missing_entry(*id).unwrap_or_else(|fault| fault)),
            };
            match replayed {
                Ok(replayed) => tally.add(&replayed, &mut output),
                Err(fault) => {
                    output.close();
                    return Ok(fail(&[fault]));
                }
            };
        }
        let code = output.close();
        Ok(if tally.different > 0 { ExitCode::FAILURE } else { code })
    }
}

/// A replay that exceeds the time limit counts as skipped.
fn stopped(entry: &Entry, fault: Fault) -> Result<ReplayResult, Fault> {
    if fault.code != FaultCode::Timeout {
        return Err(fault);
    }
    let reason = format!("{}; --wall-clock gives it more", fault.message);
    Ok(ReplayResult { entry: entry.id, verdict: Verdict::Skipped(reason), evaluator: None })
}

impl Tally {
    /// Counts and prints the result of a replay. False if the reader has closed the output.
    fn add(&mut self, replayed: &ReplayResult, output: &mut Output) -> bool {
        let ReplayResult { entry, verdict, evaluator } = replayed;
        let other = match evaluator {
            Some(hash) => format!(" (made with another evaluator, {hash})"),
            None => String::new(),
        };
        let line = |text: &str| text::line(text, MOST_LINE);
        match verdict {
            Verdict::Equal => {
                self.equal += 1;
                output.line(&format!("{entry} equal{other}"))
            }
            Verdict::Skipped(reason) => {
                self.skipped += 1;
                output.line(&format!("{entry} skipped: {}{other}", line(reason)))
            }
            Verdict::Different(differences) => {
                self.different += 1;
                let field = |text: &str| text::line(text, MOST_FIELD);
                output.line(&format!("{entry} different{other}"))
                    && differences.iter().all(|it| {
                        let recorded = field(&it.recorded());
                        let now = field(&it.now());
                        let name = field(&it.field);
                        output.line(&format!("  {name}: recorded {recorded}, now {now}"))
                    })
            }
        }
    }
}
