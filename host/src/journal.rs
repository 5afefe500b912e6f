//! `mcp-pif journal`: shows, verifies and exports the journal.

use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand, builder::PossibleValuesParser};
use pif_domain::EntryKind;
use pif_receipt::Checkpoint;
use pif_server::config::{Config, Options};
use pif_server::workshop::{self, Mismatch, open_journal, open_keys};
use pif_store::journal::{self, ChainEnds, Entry, Filter, Follower, Link};

use super::print::{Output, print};
use super::receipt::trust;
use super::settings::{Directory, existing};
use super::source::read_file;

/// The entries that one query reads.
const PAGE: usize = 100;

/// The interval between two queries of a followed journal.
const LOOK: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(super) struct Journal {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    recent: Filters,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Verify the hash chain from the first entry to the last
    Verify {
        /// What must be in the journal: an entry and its hash, as an earlier `verify` printed it, or a
        /// file with a checkpoint
        #[arg(long, value_name = "ENTRY:HASH|FILE", value_parser = parse_expected)]
        expect: Vec<Expectation>,
        /// A file with the public keys that may have signed checkpoints [default: the keys of the store]
        #[arg(long, value_name = "FILE")]
        trust: Vec<String>,
    },
    /// Print the last checkpoint: a signed note of all entries, for `verify --expect`
    Checkpoint,
    /// Print all entries as lines of JSON, oldest first
    Export,
}

/// What must be in a journal.
#[derive(Debug, Clone)]
enum Expectation {
    /// An entry with a hash.
    Link(i64, String),
    /// What the checkpoint in a file says.
    Checkpoint(String),
}

/// Which entries to show, and how.
#[derive(Debug, Args)]
struct Filters {
    /// Keep printing new entries, also of other processes, until interrupted
    #[arg(long)]
    follow: bool,
    /// Print each entry as one JSON object
    #[arg(long)]
    json: bool,
    /// The latest N entries
    #[arg(long, value_name = "N", default_value = "20")]
    limit: usize,
    /// Only entries of this kind
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(EntryKind::ALL.map(EntryKind::name)))]
    kind: Option<String>,
    /// Only entries about this tool or memory key
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Only entries of this person of a team: the name in the file of tokens, or `oauth:SUB`
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
}

impl Journal {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = existing(options, &self.place)?;
        match self.task {
            Some(Task::Verify { expect, trust }) => verify(&config, &expect, &trust),
            Some(Task::Checkpoint) => last_checkpoint(&open_journal(&config)?),
            Some(Task::Export) => export(&open_journal(&config)?),
            None => self.recent.show(&open_journal(&config)?),
        }
    }
}

fn verify(config: &Config, expected: &[Expectation], trusted: &[String]) -> Result<ExitCode> {
    let journal = open_journal(config)?;
    let verified = workshop::verify(config, &journal)?;
    journal.verify_texts()?;
    let keys = if trusted.is_empty() {
        let keys = open_keys(config);
        keys.map(|keys| keys.public().map(|(_, key)| key).collect::<Vec<_>>())
    } else {
        Ok(trust(trusted, None)?.keys().to_vec())
    };
    let compare = |note: &str| -> Result<Checkpoint> {
        let keys = keys.as_ref().map_err(|error| anyhow!("{error}: name them by --trust"))?;
        Ok(workshop::compare(journal.store(), note, keys)?)
    };
    let mut last = None;
    if let (Ok(keys), Some(note)) = (&keys, journal.store().last_checkpoint()?)
        && !keys.is_empty()
    {
        last = match workshop::compare(journal.store(), &note, keys) {
            // More came at once than the journal keeps.
            Err(Mismatch::Removed { id, .. }) => {
                Some(format!("the last checkpoint is of entry {id}, which was removed since"))
            }
            compared => {
                let Checkpoint { size, .. } = compared.context("the last checkpoint")?;
                Some(format!("the last checkpoint holds: {size} entries"))
            }
        };
    }
    for expected in expected {
        match expected {
            Expectation::Link(id, hash) => ensure_link(&journal, &verified, *id, hash)?,
            Expectation::Checkpoint(file) => {
                compare(&read_file(file)?).with_context(|| file.clone())?;
            }
        }
    }
    let mut output = Output::open();
    output.line(&format!("{} entries, each as it was written", verified.count()));
    output.line(&format!("anchor {}", render(verified.anchor)));
    output.line(&format!("head {}", render(verified.head)));
    if let Some(line) = last {
        output.line(&line);
    }
    Ok(output.close())
}

/// Prints the last checkpoint.
fn last_checkpoint(journal: &journal::Journal) -> Result<ExitCode> {
    let last = journal.store().last_checkpoint()?;
    let last = last.context(
        "there is no checkpoint: a server whose store has keys makes one every 10 seconds",
    )?;
    Ok(print(last.trim_end()))
}

/// Refuses a chain that does not contain this link.
fn ensure_link(journal: &journal::Journal, chain: &ChainEnds, id: i64, hash: &str) -> Result<()> {
    let found = match id {
        _ if id == chain.anchor.id => chain.anchor.hash,
        _ if id > chain.head.id => {
            bail!("the journal ends at entry {}, before {id}: entries are missing", chain.head.id)
        }
        _ => match journal.entry(id)? {
            Some(entry) => entry.hash,
            None => bail!(
                "entry {id} was removed to keep the journal within its size: expect one from {} on",
                chain.anchor.id
            ),
        },
    };
    if found.to_string() == hash {
        return Ok(());
    }
    bail!("entry {id} has the hash {found}, not the expected one: this is a different journal")
}

fn render(Link { id, hash, .. }: Link) -> String {
    format!("{id}:{hash}")
}

/// Reads an entry with its hash, or takes the text for the name of a file.
fn parse_expected(text: &str) -> Result<Expectation, String> {
    let is_link = text.split_once(':').is_some_and(|(id, _)| id.parse::<i64>().is_ok());
    if !is_link && Path::new(text).is_file() {
        return Ok(Expectation::Checkpoint(text.to_owned()));
    }
    parse_link(text).map(|(id, hash)| Expectation::Link(id, hash))
}

fn parse_link(text: &str) -> Result<(i64, String), String> {
    let read = || {
        let (id, hash) = text.split_once(':')?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some((id.parse().ok()?, is_hash.then(|| hash.to_ascii_lowercase())?))
    };
    read().ok_or_else(|| {
        "write an entry's number and its whole hash, as in 17:5891b5b5…, or name a file".to_owned()
    })
}

fn export(journal: &journal::Journal) -> Result<ExitCode> {
    let mut output = Output::open();
    walk(journal, |entry| Ok(output.line(&entry.to_json())))?;
    Ok(output.close())
}

/// Passes all entries to `take`, oldest first, until it returns false.
pub(super) fn walk(
    journal: &journal::Journal,
    mut take: impl FnMut(&Entry) -> Result<bool>,
) -> Result<()> {
    let mut follower = Follower::default();
    while let Some(page) = follower.next(journal, &Filter::default(), PAGE)? {
        for entry in &page {
            if !take(entry)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

impl Filters {
    fn show(self, journal: &journal::Journal) -> Result<ExitCode> {
        let kind = self.kind.as_deref().and_then(EntryKind::find);
        let (subject, principal) = (self.tool.clone(), self.principal.clone());
        let filter = Filter { kind, subject, principal, ..Filter::default() };
        let mut output = Output::open();
        let mut follower = Follower::after(&journal.store().heads()?);
        let mut latest = journal.entries(&filter, true, self.limit)?;
        latest.retain(|entry| follower.has_passed(entry));
        latest.reverse();
        let mut is_read = self.print(&latest, &mut output);
        while self.follow && is_read && output.flush() {
            match follower.next(journal, &filter, PAGE)? {
                Some(page) => is_read = self.print(&page, &mut output),
                None => sleep(LOOK),
            }
        }
        Ok(output.close())
    }

    /// Prints entries. False if the reader has closed the output.
    fn print(&self, entries: &[Entry], output: &mut Output) -> bool {
        let render = |it: &Entry| if self.json { it.to_json() } else { it.to_line() };
        entries.iter().all(|entry| output.line(&render(entry)))
    }
}
