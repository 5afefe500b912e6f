//! Settings of what other servers may be called, and what the broker needs of the environment.

use std::env;
use std::path::PathBuf;

use clap::Args;
use directories::ProjectDirs;

use super::directory_parser;

/// Where the servers are configured.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Capabilities")]
pub(super) struct Capabilities {
    /// File with the servers whose tools programs may call [default: capabilities.json in the
    /// platform's config directory, if it exists]
    #[arg(long, env = "MCP_PIF_CAPABILITIES", value_name = "FILE", value_parser = directory_parser(), global = true)]
    capabilities: Option<PathBuf>,
    /// The pipes of a broker that runs already
    #[arg(long, hide = true, value_name = "FROM,TO", value_parser = parse_pipes)]
    broker: Option<Pipes>,
}

/// The numbers of open pipes: from the broker, and to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pipes {
    /// What the broker says.
    pub from: u32,
    /// What the broker hears.
    pub to: u32,
}

fn parse_pipes(text: &str) -> Result<Pipes, String> {
    let numbers = text
        .split_once(',')
        .and_then(|(from, to)| Some(Pipes { from: from.parse().ok()?, to: to.parse().ok()? }));
    numbers.ok_or_else(|| "write two numbers".to_owned())
}

impl Capabilities {
    /// The file, if there is one.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let usual = || {
            let directories = ProjectDirs::from("", "", "mcp-pif")?;
            Some(directories.config_dir().join("capabilities.json")).filter(|file| file.exists())
        };
        self.capabilities.clone().or_else(usual)
    }

    pub(super) fn pipes(&self) -> Option<Pipes> {
        self.broker
    }
}

/// A variable of the environment that has a text.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|text| !text.is_empty())
}

/// Variables that every program needs. Other clients hand the same to the servers that they start.
const COMMON: [&str; 8] = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/// What servers get of our own environment.
pub(crate) fn common_environment() -> impl Iterator<Item = (&'static str, String)> {
    COMMON.into_iter().filter_map(|name| Some((name, env::var(name).ok()?)))
}
