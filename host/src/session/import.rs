//! `mcp-pif session import`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_domain::Limit;
use pif_sandbox::Watch;
use pif_server::workshop::{ImportOptions, Workshop};
use pif_store::session::{LONGEST_NAME, Target, is_name};

use super::super::import::{print, refused};
use super::super::source::read_file_within;

#[derive(Debug, Args)]
pub(super) struct Import {
    /// A file that `mcp-pif session export` has written; `-` reads stdin
    file: String,
    /// Import the tools of the file, too
    #[arg(long)]
    with_tools: bool,
    /// Overwrite tools that exist with other content
    #[arg(long, requires = "with_tools")]
    replace: bool,
    #[command(flatten)]
    place: Place,
}

/// Where the bindings go; into a session that starts with them, if nothing is said.
#[derive(Debug, Args)]
struct Place {
    /// Put the bindings in place of those of a session, instead of starting one
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Save the bindings under a name, instead of starting a session
    #[arg(long, value_name = "NAME", value_parser = name, conflicts_with = "session")]
    saved: Option<String>,
}

fn name(text: &str) -> Result<String, String> {
    let hint =
        || format!("use a letter or `_`, then letters, digits and `_`, {LONGEST_NAME} at most");
    if is_name(text) { Ok(text.to_owned()) } else { Err(hint()) }
}

impl Import {
    pub(super) fn execute(
        self,
        workshop: &Workshop,
        principal: &str,
        watch: &Watch,
    ) -> Result<ExitCode> {
        let text = read_file_within(&self.file, Limit::ExportFile.fixed())?;
        let target = match (self.place.session, self.place.saved) {
            (_, Some(saved)) => Target::Saved(saved),
            (Some(session), None) => Target::Session(session),
            (None, None) => Target::Fresh,
        };
        let session = Some((principal.to_owned(), target));
        let tools = self.with_tools;
        let replace = self.replace;
        let wanted = ImportOptions { tools, replace, memory: false, session, trust: None };
        Ok(match workshop.import(&text, wanted, watch) {
            Ok(taken) => print(&taken),
            Err(refusal) => refused(&refusal),
        })
    }
}
