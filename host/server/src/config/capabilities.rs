//! Settings of what other servers may be called, and what the broker needs of the environment.

use std::path::PathBuf;

use clap::Args;
use directories::ProjectDirs;
use pif_broker::Pipes;

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
