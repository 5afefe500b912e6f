//! The first steps of a command: it reads the settings and starts logging.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use pif_domain::text::Visible;
use pif_server::config::{Config, Options, directory_parser};
use pif_system::stdio::Log;
use tracing::warn;
use tracing_subscriber::EnvFilter;

/// The data directory, named after the command.
#[derive(Debug, Args)]
pub(super) struct Directory {
    /// Directory for tools, journal and memory
    #[arg(id = "own-directory", long = "data", value_name = "DIR", value_parser = directory_parser(), global = true)]
    directory: Option<PathBuf>,
}

/// The checked settings of a command. `place` is the data directory given after the command.
pub(super) fn start(options: Options, place: Option<&Directory>) -> Result<Config> {
    let directory = place.and_then(|place| place.directory.as_deref());
    let config = options.in_directory(directory).check()?;
    log(&config)?;
    Ok(config)
}

/// Reads the settings of a command that needs an existing store.
pub(super) fn existing(options: Options, place: &Directory) -> Result<Config> {
    let config = start(options, Some(place))?;
    ensure_store(&config)?;
    Ok(config)
}

/// Refuses a command that is for SQLite.
pub(super) fn ensure_file(config: &Config, instead: &str) -> Result<()> {
    match &config.database {
        None => Ok(()),
        Some(database) => bail!("{} is a database: {instead}", database.address()),
    }
}

/// Refuses a command that reads a store if there is none.
fn ensure_store(config: &Config) -> Result<()> {
    match config.place.file() {
        _ if config.database.is_some() => Ok(()),
        None => bail!("without a store there is nothing to read: leave out --ephemeral"),
        Some(file) if !config.place.exists() => {
            bail!("{}: there is no store; --data DIR names its directory", file.display())
        }
        Some(_) => Ok(()),
    }
}

fn log(config: &Config) -> Result<()> {
    let filter = EnvFilter::try_new(&config.log)?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Visible(Log))
        .log_internal_errors(false)
        .with_ansi(false)
        .init();
    config.notes.iter().for_each(|note| warn!("{note}"));
    Ok(())
}
