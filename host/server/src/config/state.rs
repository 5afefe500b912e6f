//! Settings of the state: its place and the contents of the journal.

use std::path::PathBuf;

use clap::Args;
use directories::ProjectDirs;
use pif_domain::Limit;
use pif_store::Place;
use pif_store::journal::Policy;

use super::error::Error;
use super::limits::Values;
use super::value::directory_parser;

/// The most bytes of a journal in memory.
const EPHEMERAL: u64 = 16 << 20;

/// The settings of the state.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "State")]
pub(super) struct State {
    /// Directory for tools, journal and memory [default: the platform's data directory]
    // Not global, because `run` has another --data. Other commands accept this one too.
    #[arg(id = "directory", long = "data", env = "MCP_PIF_DATA", value_name = "DIR", value_parser = directory_parser())]
    pub(super) directory: Option<PathBuf>,
    /// Keep everything in memory and discard it at exit
    #[arg(long, env = "MCP_PIF_EPHEMERAL", global = true)]
    ephemeral: bool,
    /// What the journal keeps of requests and results: `full`, `summary` (digests) or `none`
    #[arg(
        id = "journal-payload",
        long,
        env = "MCP_PIF_JOURNAL_PAYLOAD",
        value_enum,
        hide_possible_values = true,
        default_value = "full",
        global = true
    )]
    policy: Policy,
}

/// The settings of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Journal {
    /// The parts of requests and outcomes that entries keep.
    pub policy: Policy,
    /// The most bytes of a request or an outcome that an entry keeps.
    pub most_payload: usize,
    /// The most bytes of all entries together.
    pub most: u64,
}

impl State {
    pub(super) fn journal(&self, values: &Values) -> Journal {
        let size = values.get(Limit::JournalSize);
        Journal {
            policy: self.policy,
            most_payload: values.size(Limit::JournalEntry),
            most: if self.ephemeral { EPHEMERAL.min(size) } else { size },
        }
    }

    pub(super) fn place(&self) -> Result<Place, Error> {
        match (&self.directory, self.ephemeral) {
            (_, true) => Ok(Place::Memory),
            (Some(directory), false) => Ok(Place::Directory(directory.clone())),
            (None, false) => {
                let platform = ProjectDirs::from("", "", "mcp-pif").ok_or_else(|| {
                    let reason =
                        "there is no home directory: name one by --data DIR, or use --ephemeral";
                    Error::of("data", reason.to_owned())
                })?;
                Ok(Place::Directory(platform.data_dir().to_owned()))
            }
        }
    }
}
