//! `mcp-pif journal`: shows, verifies and exports the journal.

use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, Subcommand, builder::PossibleValuesParser};
use pif_domain::EntryKind;
use pif_server::config::{Config, Options};
use pif_server::workshop::{self, open_journal};
use pif_store::journal::{self, Entry, Filter, Link, Verified};

use super::print::Output;
use super::settings::{Directory, existing};

/// The entries that one query reads.
const PAGE: usize = 100;

/// The interval between two queries of a followed journal.
const LOOK: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(super) struct Journal {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    recent: Recent,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Verify the hash chain from the first entry to the last
    Verify {
        /// An entry and its hash that must be in the chain, as an earlier `verify` printed it
        #[arg(long, value_name = "ENTRY:HASH", value_parser = parse_link)]
        expect: Vec<(i64, String)>,
    },
    /// Print all entries as lines of JSON, oldest first
    Export,
}

/// Which entries to show, and how.
#[derive(Debug, Args)]
struct Recent {
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
            Some(Task::Verify { expect }) => verify(&config, &expect),
            Some(Task::Export) => export(&open_journal(&config)?),
            None => self.recent.show(&open_journal(&config)?),
        }
    }
}

fn verify(config: &Config, expected: &[(i64, String)]) -> Result<ExitCode> {
    let journal = open_journal(config)?;
    let verified = workshop::verify(config, &journal)?;
    journal.verify_texts()?;
    for (id, hash) in expected {
        ensure_link(&journal, &verified, *id, hash)?;
    }
    let mut output = Output::open();
    output.line(&format!("{} entries, each as it was written", verified.count()));
    output.line(&format!("anchor {}", tell(verified.anchor)));
    output.line(&format!("head {}", tell(verified.head)));
    Ok(output.close())
}

/// Refuses a chain that does not contain this link.
fn ensure_link(journal: &journal::Journal, chain: &Verified, id: i64, hash: &str) -> Result<()> {
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

fn tell(Link { id, hash, .. }: Link) -> String {
    format!("{id}:{hash}")
}

fn parse_link(text: &str) -> Result<(i64, String), String> {
    let read = || {
        let (id, hash) = text.split_once(':')?;
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some((id.parse().ok()?, is_hash.then(|| hash.to_ascii_lowercase())?))
    };
    read()
        .ok_or_else(|| "write an entry's number and its whole hash, as in 17:5891b5b5…".to_owned())
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
    let mut filter = Filter { after: Some(0), ..Filter::default() };
    loop {
        let page = journal.entries(&filter, false, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        filter.after = Some(last.id);
        for entry in &page {
            if !take(entry)? {
                return Ok(());
            }
        }
    }
}

impl Recent {
    fn show(self, journal: &journal::Journal) -> Result<ExitCode> {
        let kind = self.kind.as_deref().and_then(EntryKind::find);
        let (subject, principal) = (self.tool.clone(), self.principal.clone());
        let mut filter = Filter { kind, subject, principal, ..Filter::default() };
        let mut output = Output::open();
        let mut seen = journal.head()?.id;
        filter.before = Some(seen.saturating_add(1));
        let mut latest = journal.entries(&filter, true, self.limit)?;
        latest.reverse();
        let mut is_read = self.print(&latest, &mut output);
        filter.before = None;
        while self.follow && is_read && output.flush() {
            sleep(LOOK);
            // The query below covers all entries up to this head, so `seen` can advance to it.
            let head = journal.head()?.id;
            filter.after = Some(seen);
            let page = journal.entries(&filter, false, PAGE)?;
            seen = if page.len() < PAGE { seen.max(head) } else { seen };
            seen = page.last().map_or(seen, |last| seen.max(last.id));
            is_read = self.print(&page, &mut output);
        }
        Ok(output.close())
    }

    /// Prints entries. False if the reader has closed the output.
    fn print(&self, entries: &[Entry], output: &mut Output) -> bool {
        let tell = |it: &Entry| if self.json { it.to_json() } else { it.to_line() };
        entries.iter().all(|entry| output.line(&tell(entry)))
    }
}
