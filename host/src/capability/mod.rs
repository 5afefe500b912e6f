//! `mcp-pif capability`: what programs may call, for people.

mod approve;
mod call;
mod import;
mod line;
mod list;
mod login;
mod logout;
mod target;
mod test;

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use pif_broker::Client;
use pif_server::config::Options;
use tokio::runtime::Builder;

use self::approve::Approve;
use self::call::CallOne;
use self::import::Import;
use self::list::List;
use self::login::Login;
use self::logout::Logout;
use self::target::NO_FILE;
use self::test::Test;
use super::open::open_link;
use super::settings::{Directory, start};

#[derive(Debug, Args)]
pub(super) struct Capability {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the tools of other servers, with what is granted of each
    List(List),
    /// Start a server and show what it offers
    Test(Test),
    /// Approve the definition of a tool, or of all tools of a server
    Approve(Approve),
    /// Call a tool and print its value
    Call(CallOne),
    /// Log in at a server, in a browser
    Login(Login),
    /// Give the login at a server back
    Logout(Logout),
    /// Print capabilities.json for the configuration of another client
    Import(Import),
}

impl Capability {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let Self { command, place } = self;
        if let Command::Import(import) = command {
            return import.execute();
        }
        let mut config = start(options, Some(&place))?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        match command {
            Command::Login(login) => return runtime.block_on(login.execute(&config)),
            Command::Logout(logout) => return runtime.block_on(logout.execute(&config)),
            _ => {}
        }
        let link = open_link(&mut config, true)?.context(NO_FILE)?;
        runtime.block_on(async {
            let client = Client::new(link)?;
            match command {
                Command::List(it) => Ok(it.execute(&client).await),
                Command::Test(it) => Ok(it.execute(&client).await),
                Command::Approve(it) => Ok(it.execute(&client).await),
                Command::Call(it) => it.execute(&client).await,
                Command::Import(it) => it.execute(),
                Command::Login(it) => it.execute(&config).await,
                Command::Logout(it) => it.execute(&config).await,
            }
        })
    }
}
