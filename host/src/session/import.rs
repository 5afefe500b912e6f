//! `mcp-pif session import`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pif_domain::text;
use pif_domain::{Fault, Limit};
use pif_sandbox::Watch;
use pif_server::workshop::{Refused, Shelving, Unshelved, Workshop};
use pif_store::session::{LONGEST_NAME, Target, is_name};

use super::super::import::tell;
use super::super::print::{MOST_LINE, Output, complain, fail};
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
        let text = read_file_within(&self.file, Limit::SessionFile.fixed())?;
        let target = match (self.place.session, self.place.saved) {
            (_, Some(saved)) => Target::Saved(saved),
            (Some(session), None) => Target::Session(session),
            (None, None) => Target::Fresh,
        };
        let owner = principal.to_owned();
        let wanted = Shelving { owner, target, tools: self.with_tools, replace: self.replace };
        match workshop.unshelve(&text, wanted, watch) {
            Ok(taken) => Ok(told(&taken)),
            Err(Refused { during, faults }) => Ok(refused(during.as_deref(), &faults)),
        }
    }
}

fn told(Unshelved { session, bound, tools, notes }: &Unshelved) -> ExitCode {
    for note in notes {
        complain(&text::line(note, MOST_LINE));
    }
    let mut output = Output::open();
    for imported in tools {
        output.line(&tell(imported));
    }
    for (name, kind) in bound {
        output.line(&format!("{name}: {kind}"));
    }
    output.line(&format!("imported into {}", session.name()));
    output.close()
}

fn refused(during: Option<&str>, faults: &[Fault]) -> ExitCode {
    if let Some(during) = during {
        complain(&format!("{}:", text::line(during, MOST_LINE)));
    }
    let code = fail(faults);
    complain("nothing was imported");
    code
}
