//! Settings of the state: its place and the contents of the journal.

use std::path::PathBuf;

use clap::Args;
use directories::ProjectDirs;
use pif_database::{Connector, Target};
use pif_domain::Limit;
use pif_store::Place;
use pif_store::journal::Policy;

use super::error::Error;
use super::limits::Values;
use super::value::{directory_parser, parse_store};

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
    /// A PostgreSQL database for tools, journal and memory, which several servers may share:
    /// `postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full`. Then `--data` keeps keys, pins and caches
    #[arg(long, env = "MCP_PIF_STORE", value_name = "URL", value_parser = parse_store, global = true)]
    store: Option<String>,
    /// File with the password for the database [default: PGPASSFILE or ~/.pgpass]
    #[arg(long, env = "MCP_PIF_STORE_PASSWORD_FILE", value_name = "FILE", value_parser = directory_parser(), global = true)]
    store_password_file: Option<PathBuf>,
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

    /// The database, if one is named.
    pub(super) fn database(&self, values: &Values) -> Result<Option<Connector>, Error> {
        let Some(store) = &self.store else {
            let Some(_) = &self.store_password_file else { return Ok(None) };
            let reason = "it has no effect without --store, which names the database";
            return Err(Error::of("store-password-file", reason.to_owned()));
        };
        if self.ephemeral {
            let reason = "--ephemeral keeps nothing: leave out one of both";
            return Err(Error::of("store", reason.to_owned()));
        }
        Ok(Some(Connector::new(Target {
            address: store.parse().map_err(|reason| Error::of("store", reason))?,
            password_file: self.store_password_file.clone(),
            deadline: values.time(Limit::StoreDeadline),
        })))
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
