//! `mcp-pif session`: shows, exports and imports sessions and saved states, and removes them.

mod chosen;
mod close;
mod export;
mod forget;
mod import;
mod list;
mod show;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use pif_domain::Limit;
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_store::session::USER;

use self::close::Close;
use self::export::Export;
use self::forget::Forget;
use self::import::Import;
use self::list::List;
use self::show::Show;
use super::open::open;
use super::print::fail;
use super::settings::{Directory, existing, start};

#[derive(Debug, Args)]
pub(super) struct Session {
    #[command(subcommand)]
    command: Command,
    /// A person of a team, by the name in the file of tokens or `oauth:SUB`, instead of yourself
    #[arg(long, value_name = "NAME", global = true)]
    principal: Option<String>,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the sessions and the saved states
    List(List),
    /// Show the bindings of a session, or the source of one
    Show(Show),
    /// Print the bindings of a session as one JSON file
    Export(Export),
    /// Import bindings from an exported file: all of them, or none
    Import(Import),
    /// Remove bindings or the history of a session, or a saved state
    Forget(Forget),
    /// Close a session
    Close(Close),
}

impl Session {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let Self { command, principal, place } = self;
        let config = match &command {
            Command::Import(_) => start(options, Some(&place))?,
            _ => existing(options, &place)?,
        };
        let principal = principal.unwrap_or_else(|| USER.to_owned());
        let workshop = open(&config)?;
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let done = match command {
            Command::List(it) => it.execute(&workshop, &principal),
            Command::Show(it) => it.execute(&workshop, &principal, &watch),
            Command::Export(it) => it.execute(&workshop, &principal, &watch),
            Command::Import(it) => return it.execute(&workshop, &principal, &watch),
            Command::Forget(it) => it.execute(&workshop, principal),
            Command::Close(it) => it.execute(&workshop, principal),
        };
        Ok(done.unwrap_or_else(|fault| fail(&[fault])))
    }
}
