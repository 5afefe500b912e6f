//! `mcp-pif capability logout`.

use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::Args;
use pif_server::config::Config;

use super::super::print::{complain, print};
use super::target::target;

#[derive(Debug, Args)]
pub(super) struct Logout {
    /// The id of the server
    name: String,
}

impl Logout {
    pub(super) async fn execute(self, config: &Config) -> Result<ExitCode> {
        let target = target(config, &self.name)?;
        let ended = target.logout().await;
        let describe = |problem: &dyn ToString| target.redact(&problem.to_string());
        let (was_there, left) = ended.map_err(|problem| anyhow!(describe(&problem)))?;
        if let Some(problem) = left {
            let why = describe(&problem);
            complain(&format!("mcp-pif: the tokens are forgotten, and not given back: {why}"));
        }
        let name = &self.name;
        Ok(print(&if was_there {
            format!("{name}: logged out")
        } else {
            format!("{name}: there was no login")
        }))
    }
}
