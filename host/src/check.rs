//! `mcp-pif check`: checks a term without running it.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_domain::Limit;
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_server::render;

use super::open::open_if_any;
use super::print::{fail, print};
use super::settings::{Directory, start};
use super::source::{hyphened, read_code};

#[derive(Debug, Args)]
pub(super) struct Check {
    /// A program in the notation or as JSON; `-` reads stdin, `@FILE` a file
    #[arg(allow_hyphen_values = true, value_parser = hyphened)]
    code: String,
    #[command(flatten)]
    place: Directory,
}

impl Check {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let workshop = open_if_any(config)?;
        let code = read_code(&self.code)?;
        Ok(match workshop.check(&code, &watch) {
            Ok(summary) => {
                let told = workshop.type_of(&summary, &code, &watch);
                print(&render::describe(&summary, told.as_ref()))
            }
            Err(faults) => fail(&faults),
        })
    }
}
