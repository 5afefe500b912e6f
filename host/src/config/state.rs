//! Settings of what lasts: where it is kept, and what the journal holds.

use std::path::PathBuf;

use clap::Args;
use directories::ProjectDirs;

use super::error::Error;
use super::limits::Values;
use super::value::directory_parser;
use crate::domain::Limit;
use crate::journal::Policy;
use crate::state::Place;

/// What a journal in memory is held to.
const EPHEMERAL: u64 = 16 << 20;

/// What lasts, and where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "State")]
pub(super) struct State {
    /// Directory for tools, journal and memory [default: the platform's data directory]
    // Not global: `run` has a --data of its own. Other commands take this one too.
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

/// How the journal is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Journal {
    /// What entries keep of requests and outcomes.
    pub policy: Policy,
    /// Bytes of a request or an outcome that an entry keeps.
    pub most_payload: usize,
    /// Bytes of all entries together.
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
