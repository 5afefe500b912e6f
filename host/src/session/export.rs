//! `mcp-pif session export`.

use std::process::ExitCode;

use clap::Args;
use pif_domain::Fault;
use pif_sandbox::Watch;
use pif_server::workshop::{Selection, Workshop};

use super::super::print::{print, warn};
use super::chosen::SessionChoice;

#[derive(Debug, Args)]
pub(super) struct Export {
    /// Include the tools that functions name, and everything they depend on
    #[arg(long)]
    with_tools: bool,
    #[command(flatten)]
    chosen: SessionChoice,
}

impl Export {
    pub(super) fn execute(
        self,
        workshop: &Workshop,
        principal: &str,
        watch: &Watch,
    ) -> Result<ExitCode, Fault> {
        let (session, bindings) = self.chosen.find(workshop, principal)?;
        let session = Some((&session, &*bindings));
        let with_tools = self.with_tools;
        let contents = Selection { session, with_tools, ..Selection::default() };
        let exported = workshop.export(contents, watch)?;
        warn(&exported.notes);
        Ok(print(&exported.text))
    }
}
