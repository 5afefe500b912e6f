//! A PostgreSQL of this machine, started for a while.

use std::io::stdin;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use pif_tests::postgres::{OWNER, SERVER, Server, VARIABLE};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A command that is run beside the database, with its URL in `PIF_TEST_POSTGRES`. Without one the database
    /// runs until its standard input ends
    #[arg(last = true)]
    command: Vec<String>,
}

/// Starts an empty database, says where it is, and ends it after the command.
pub(crate) fn run(options: &Options) -> Result<()> {
    let server = Server::start()?;
    let database = server.database(None)?;
    let url = server.url(OWNER, &database);
    let Some((program, arguments)) = options.command.split_first() else {
        println!("{url}\n{}", server.url(SERVER, &database));
        while stdin().read_line(&mut String::new())? > 0 {}
        return Ok(());
    };
    let status = Command::new(program).args(arguments).env(VARIABLE, url).status();
    let status = status.with_context(|| format!("`{program}` does not start"))?;
    ensure!(status.success(), "`{program}` failed: {status}");
    Ok(())
}
