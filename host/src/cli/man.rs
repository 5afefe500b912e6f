//! `mcp-pif man`: the manual pages.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory as _};
use clap_mangen::Man;

use super::print::print_bytes;
use super::{Line, NAME};

#[derive(Debug, Args)]
pub(super) struct Manual {
    /// Print the page of this command
    command: Option<String>,
}

impl Manual {
    pub(super) fn execute(&self) -> Result<ExitCode> {
        let mut line = Line::command();
        line.build();
        let command = match &self.command {
            None => line,
            Some(name) => {
                let found = line.find_subcommand(name);
                found.with_context(|| format!("there is no command `{name}`"))?.clone()
            }
        };
        let name = command.get_display_name().unwrap_or(NAME).to_owned();
        let mut page = Vec::new();
        Man::new(command).title(name.to_uppercase()).render(&mut page)?;
        Ok(print_bytes(&page))
    }
}
