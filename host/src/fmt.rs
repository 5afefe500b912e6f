//! `mcp-pif fmt`: writes a term in the notation, or as JSON.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_domain::Limit;
use pif_domain::text::unfence;
use pif_sandbox::Watch;
use pif_server::config::Options;

use super::open::open_if_any;
use super::print::{fail, print};
use super::settings::{Directory, start};
use super::source::{hyphened, read_code, read_file};

#[derive(Debug, Args)]
pub(super) struct Fmt {
    /// A program in the notation or as JSON, or a file with one; `-` reads stdin
    #[arg(allow_hyphen_values = true, value_parser = hyphened)]
    code: String,
    /// Write the canonical JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Directory,
}

impl Fmt {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let workshop = open_if_any(config)?;
        let is_file = Path::new(&self.code).is_file();
        let code = if is_file { read_file(&self.code)? } else { read_code(&self.code)? };
        let canonical = match workshop.sandbox.check(unfence(&code), &watch) {
            Ok(summary) => summary.canonical,
            Err(faults) => return Ok(fail(&faults)),
        };
        if self.json {
            return Ok(print(&canonical));
        }
        // A check leaves the notation of a long program out.
        Ok(match workshop.sandbox.notation(&canonical, &watch.again()) {
            Ok(notation) => print(&notation),
            Err(fault) => fail(&[fault]),
        })
    }
}
