//! `mcp-pif store`: makes, migrates, checks, copies and trims the store in a database.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Error, Result, ensure};
use clap::{Args, Subcommand};
use pif_database::{Connector, Target};
use pif_domain::Limit;
use pif_domain::quantity::parse_size;
use pif_postgres::{Migration, Postgres};
use pif_server::config::{Config, Options};
use pif_server::workshop::{open_database, open_journal, verify};
use pif_store::portable::Source;
use pif_store::{Error as StoreError, Place, Sqlite};
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
    Init(RoleArguments),
    /// Bring the store of an earlier version up to date, as the owner of its tables
    Migrate(RoleArguments),
    /// Verify the chains of the journal, its texts and all tables
    Check,
    /// Copy everything from one store to another that is empty, and verify it: tools, journal with its
    /// hashes, memory and sessions. No server may write to the first one meanwhile
    Copy(Copying),
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
struct RoleArguments {
    /// The role of the servers, if it is not the owner: it reads tables and calls functions
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Make that role, with the password in this file
    #[arg(long, value_name = "FILE", requires = "role")]
    role_password_file: Option<PathBuf>,
}

/// From where, and where to.
#[derive(Debug, Args)]
struct Copying {
    /// The directory of a store, or postgres://USER@HOST:PORT/DATABASE
    from: String,
    /// Another one, as the owner of its tables
    to: String,
    /// File with the password for the first one
    #[arg(long, value_name = "FILE")]
    from_password_file: Option<PathBuf>,
    /// File with the password for the other one
    #[arg(long, value_name = "FILE")]
    to_password_file: Option<PathBuf>,
}

/// One end of a copy.
enum End {
    File(Place),
    Database(Postgres),
}

impl End {
    fn open(config: &Config, name: &str, password_file: Option<PathBuf>) -> Result<Self> {
        if !name.contains("://") {
            return Ok(Self::File(Place::Directory(name.into())));
        }
        let target = Target {
            address: name.parse().map_err(Error::msg)?,
            password_file,
            deadline: config.values.time(Limit::StoreDeadline),
        };
        Ok(Self::Database(open_database(config, &Connector::new(target))?))
    }

    /// Calls back with one state of the store.
    fn state<T>(
        &self,
        config: &Config,
        read: impl FnOnce(&dyn Source) -> Result<T, StoreError>,
    ) -> Result<T> {
        match self {
            Self::Database(store) => Ok(store.state(read)?),
            Self::File(place) => {
                let name = place.file().unwrap_or_default();
                ensure!(place.exists(), "{}: there is no store", name.display());
                let store = Sqlite::open(place, config.values.time(Limit::Patience))?;
                Ok(store.state(read)?)
            }
        }
    }
}

impl Copying {
    fn execute(self, config: &Config) -> Result<ExitCode> {
        let from = End::open(config, &self.from, self.from_password_file)?;
        let to = End::open(config, &self.to, self.to_password_file)?;
        let copied = from.state(config, |source| match &to {
            End::Database(store) => store.fill(source),
            End::File(place) => Sqlite::of(source, place),
        })?;
        let rows = copied.0.iter().filter(|(_, count)| *count > 0);
        let rows: Vec<String> = rows.map(|(table, count)| format!("{table} {count}")).collect();
        Ok(print(&format!("copied and verified, rows of tables: {}", rows.join(", "))))
    }
}

impl Store {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        if let Task::Sql { role } = &self.task {
            return Ok(print(Postgres::sql(role).trim_end()));
        }
        let config = start(options, Some(&self.place))?;
        if let Task::Copy(copying) = self.task {
            return copying.execute(&config);
        }
        let database = config.database.as_ref().context(NO_DATABASE)?;
        match self.task {
            Task::Init(served) | Task::Migrate(served) => migrate(&config, database, &served),
            Task::Trim { keep } => {
                let store = open_database(&config, database)?;
                store.ensure()?;
                let removed = store.trim(keep)?;
                Ok(print(&format!("{}: {removed} entries removed", database.address())))
            }
            Task::Check | Task::Copy(_) | Task::Sql { .. } => check(&config, database),
        }
    }
}

fn migrate(config: &Config, database: &Connector, served: &RoleArguments) -> Result<ExitCode> {
    if let Some((role, file)) = served.role.as_ref().zip(served.role_password_file.as_ref()) {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let let_in = runtime.block_on(database.let_in(role, file));
        let_in.with_context(|| database.address().to_string())?;
    }
    let Migration { from, to } =
        open_database(config, database)?.migrate(served.role.as_deref())?;
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
