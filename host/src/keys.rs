//! `mcp-pif keys`: the keys with which a store signs receipts and exports.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use pif_receipt::{Keyring, PublicKey};
use pif_server::config::Options;
use pif_server::workshop::open_keys;

use super::print::{Output, print};
use super::settings::{Directory, existing};

#[derive(Debug, Args)]
pub(super) struct Keys {
    #[command(subcommand)]
    task: Task,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Clone, Copy, Subcommand)]
enum Task {
    /// Show the keys of the store; the last one signs
    List,
    /// Make the first key
    New,
    /// Make a key in place of the one that signs; both sign that it follows
    Rotate,
    /// Print the public keys in PEM, for `--trust`
    Export,
}

impl Keys {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = existing(options, &self.place)?;
        let mut keys = open_keys(&config)?;
        Ok(match self.task {
            Task::List => list(&keys),
            Task::New => print(&keys.make()?.id()),
            Task::Rotate => print(&keys.rotate()?.id()),
            Task::Export => {
                keys.current()?;
                let pem = keys.public().map(|(created, key)| pem(created, &key));
                print(pem.collect::<String>().trim_end())
            }
        })
    }
}

fn list(keys: &Keyring) -> ExitCode {
    let mut output = Output::open();
    let count = keys.public().count();
    for ((created, key), at) in keys.public().zip(1..) {
        let state = if at == count { "signs" } else { "followed" };
        output.line(&format!("{} {created} {state}", key.id()));
    }
    output.close()
}

fn pem(created: &str, key: &PublicKey) -> String {
    format!("# {} {created}\n{}", key.id(), key.to_pem())
}
