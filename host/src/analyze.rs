//! `mcp-pif analyze`: answers what is asked about a program before it runs.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_domain::Limit;
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_server::render;
use pif_server::workshop::{Analyzed, Asked};

use super::open::open_if_any;
use super::print::{fail, print};
use super::settings::{Directory, start};
use super::source::{hyphened, read_code};

#[derive(Debug, Args)]
pub(super) struct Analyze {
    /// A program in the notation or as JSON; `-` reads stdin, `@FILE` a file
    #[arg(allow_hyphen_values = true, value_parser = hyphened, required_unless_present = "tool")]
    code: Option<String>,
    /// A tool in place of a program
    #[arg(long, value_name = "NAME", conflicts_with = "code")]
    tool: Option<String>,
    /// What to tell; may be given again [default: all]
    #[arg(long, value_name = "QUESTION")]
    ask: Vec<Asked>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Directory,
}

impl Analyze {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let workshop = open_if_any(config)?;
        let about = match (self.code, self.tool) {
            (Some(code), _) => Analyzed::Code(read_code(&code)?),
            (None, tool) => Analyzed::Tool(tool.unwrap_or_default()),
        };
        Ok(match workshop.analyze(&about, &self.ask, &watch) {
            Ok(told) => {
                let reply = render::analyzed(&told);
                let record = reply.record();
                print(&if self.json { record } else { reply.text().to_owned() })
            }
            Err(faults) => fail(&faults),
        })
    }
}
