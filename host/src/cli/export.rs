//! `mcp-pif export`: tools, and what the memory holds, as one file.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::along::Along;
use super::open::open;
use super::print::{fail, print, warn};
use super::settings::{Directory, existing};
use crate::config::Options;
use crate::domain::Limit;
use crate::sandbox::Watch;

#[derive(Debug, Args)]
pub(super) struct Export {
    /// A tool, or a revision of it as `NAME@HASH`
    #[arg(required_unless_present = "memory", value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    memory: Along,
    #[command(flatten)]
    place: Directory,
}

impl Export {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = existing(options, &self.place)?;
        let workshop = open(&config)?;
        Ok(
            match workshop.export(
                &self.names,
                self.memory.0,
                &Watch::new(config.values.time(Limit::WallClock)),
            ) {
                Ok(exported) => {
                    warn(&exported.notes);
                    print(&exported.text)
                }
                Err(fault) => fail(&[fault]),
            },
        )
    }
}
