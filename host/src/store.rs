//! `mcp-pif store`: makes, migrates, checks and trims the store in a database.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use pif_database::Connector;
use pif_domain::quantity::parse_size;
use pif_postgres::{Migrated, Postgres};
use pif_server::config::{Config, Options};
use pif_server::workshop::{open_database, open_journal, verify};
use tokio::runtime::Builder;

use super::print::print;
use super::settings::{Directory, start};

/// Where the database is named.
const NO_DATABASE: &str =
    "name the database: --store postgres://USER@HOST:PORT/DATABASE, or MCP_PIF_STORE";

#[derive(Debug, Args)]
pub(super) struct Store {
    #[command(subcommand)]
    task: Task,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Make the store, as the owner of its tables
    Init(Served),
    /// Bring the store of an earlier version up to date, as the owner of its tables
    Migrate(Served),
    /// Verify the chains of the journal, its texts and all tables
    Check,
    /// Print the statements that `init` executes
    Sql {
        /// The role of the servers
        #[arg(long, value_name = "ROLE")]
        role: String,
    },
    /// Remove the oldest entries of the journal, as the owner of its tables
    Trim {
        /// The most bytes that each chain keeps, such as `10GiB`
        #[arg(long, value_name = "SIZE", value_parser = parse_size)]
        keep: u64,
    },
}

/// Who uses the store.
#[derive(Debug, Args)]
struct Served {
    /// The role of the servers, if it is not the owner: it reads tables and calls functions
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Make that role, with the password in this file
    #[arg(long, value_name = "FILE", requires = "role")]
    role_password_file: Option<PathBuf>,
}

impl Store {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        if let Task::Sql { role } = &self.task {
            return Ok(print(Postgres::sql(role).trim_end()));
        }
        let config = start(options, Some(&self.place))?;
        let database = config.database.as_ref().context(NO_DATABASE)?;
        match self.task {
            Task::Init(served) | Task::Migrate(served) => migrate(&config, database, &served),
            Task::Trim { keep } => {
                let store = open_database(&config, database)?;
                store.ensure()?;
                let removed = store.trim(keep)?;
                Ok(print(&format!("{}: {removed} entries removed", database.address())))
            }
            Task::Check | Task::Sql { .. } => check(&config, database),
        }
    }
}

fn migrate(config: &Config, database: &Connector, served: &Served) -> Result<ExitCode> {
    if let Some((role, file)) = served.role.as_ref().zip(served.role_password_file.as_ref()) {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(database.let_in(role, file))?;
    }
    let Migrated { from, to } = open_database(config, database)?.migrate(served.role.as_deref())?;
    let done = match from {
        0 => format!("made, schema {to}"),
        from if from == to => format!("up to date, schema {to}"),
        from => format!("migrated from schema {from} to {to}"),
    };
    Ok(print(&format!("{}: {done}", database.address())))
}

fn check(config: &Config, database: &Connector) -> Result<ExitCode> {
    let journal = open_journal(config)?;
    let verified = verify(config, &journal)?;
    journal.verify_texts()?;
    let entries = verified.count();
    Ok(print(&format!(
        "{}: {entries} entries of the journal, all as they were written",
        database.address()
    )))
}
