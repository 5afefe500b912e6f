//! `mcp-pif export`: writes tools, and optionally the memory, as one file.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_domain::Limit;
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_server::workshop::Selection;

use super::open::open;
use super::print::{fail, print, warn};
use super::settings::{Directory, existing};

#[derive(Debug, Args)]
pub(super) struct Export {
    /// A tool, or a revision of it as `NAME@HASH`
    #[arg(required_unless_present = "with_memory", value_name = "NAME")]
    names: Vec<String>,
    /// Include the memory
    #[arg(long)]
    with_memory: bool,
    /// Include signed certificates: what is known of each tool, for `import --trust`
    #[arg(long)]
    sign: bool,
    /// Certify that a tool is equal to another one; may be given again
    #[arg(long, value_name = "TOOL=OTHER", value_parser = parse_equal, requires = "sign")]
    equal: Vec<(String, String)>,
    #[command(flatten)]
    place: Directory,
}

impl Export {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = existing(options, &self.place)?;
        let workshop = open(&config)?;
        Ok(
            match workshop.export(
                Selection {
                    names: &self.names,
                    memory: self.with_memory,
                    sign: self.sign,
                    equal: &self.equal,
                    ..Selection::default()
                },
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

/// Reads two names of tools.
fn parse_equal(text: &str) -> Result<(String, String), String> {
    let (tool, other) = text.split_once('=').ok_or("write TOOL=OTHER")?;
    Ok((tool.to_owned(), other.to_owned()))
}
