//! `mcp-pif capability import`: a configuration of another client, as ours.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use pif_broker::config::imported;

use super::super::print::{complain, print};

#[derive(Debug, Args)]
pub(super) struct Import {
    /// The configuration of a client, such as `claude_desktop_config.json` or `.vscode/mcp.json`
    file: PathBuf,
}

impl Import {
    /// Prints the configuration. Nothing is granted in it: that is for people to write.
    pub(super) fn execute(&self) -> Result<ExitCode> {
        let text =
            std::fs::read_to_string(&self.file).with_context(|| self.file.display().to_string())?;
        let (text, notes) = imported(&text).with_context(|| self.file.display().to_string())?;
        for note in notes {
            complain(&format!("mcp-pif: {note}"));
        }
        Ok(print(&text))
    }
}
