//! Settings of what lasts: where it is kept, and what the journal holds.

use std::path::PathBuf;

use clap::Args;
use directories::ProjectDirs;

use super::{Error, bounded, directory_parser};
use crate::journal::Policy;
use crate::quantity::parse_size;
use crate::state::Place;

/// The least that a journal may be held to: room for the longest entries.
const LEAST_JOURNAL: u64 = 1 << 20;

/// The most: what can still be verified at a start.
const MOST_JOURNAL: u64 = 64 << 30;

/// The longest request or outcome that an entry may keep.
const MOST_PAYLOAD: u64 = 64 << 20;

/// What a journal in memory is held to.
const EPHEMERAL: u64 = 16 << 20;

/// What lasts, and where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "State")]
pub(super) struct State {
    /// Where tools, journal and memory are kept [default: the platform's data directory]
    // Not global: `run` has a --data of its own. Other commands take this one too.
    #[arg(id = "directory", long = "data", env = "MCP_PIF_DATA", value_name = "DIR", value_parser = directory_parser())]
    pub(super) directory: Option<PathBuf>,
    /// Keep everything in memory and forget it at the end
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
    /// Length of a request or result that the journal keeps; of a longer one it keeps a digest
    #[arg(id = "journal-entry", long, env = "MCP_PIF_JOURNAL_ENTRY", value_name = "SIZE", default_value = "64KiB", value_parser = parse_size, global = true)]
    payload: u64,
    /// Size of the journal; the oldest entries go first. Without a file 16MiB at most
    #[arg(id = "journal-size", long, env = "MCP_PIF_JOURNAL_SIZE", value_name = "SIZE", default_value = "128MiB", value_parser = parse_size, global = true)]
    size: u64,
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
    pub(super) fn journal(&self) -> Result<Journal, Error> {
        let size = bounded("journal-size", self.size, LEAST_JOURNAL, MOST_JOURNAL)?;
        Ok(Journal {
            policy: self.policy,
            most_payload: bounded("journal-entry", self.payload, 0, MOST_PAYLOAD)?,
            most: if self.ephemeral { EPHEMERAL.min(size) } else { size },
        })
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
