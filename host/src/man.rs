//! `mcp-pif man`: the manual pages.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_mangen::Man;

use super::print::print_bytes;

#[derive(Debug, Args)]
pub(super) struct Manual {
    /// Print the page of this command
    command: Option<String>,
}

impl Manual {
    pub(super) fn execute(&self, mut line: Command) -> Result<ExitCode> {
        line.build();
        let command = match &self.command {
            None => line,
            Some(name) => {
                let found = line.find_subcommand(name);
                found.with_context(|| format!("there is no command `{name}`"))?.clone()
            }
        };
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        let mut page = Vec::new();
        Man::new(command).title(name.to_uppercase()).render(&mut page)?;
        Ok(print_bytes(&page))
    }
}
