//! `mcp-pif session close`.

use std::process::ExitCode;

use clap::Args;
use pif_domain::Fault;
use pif_server::workshop::Workshop;
use pif_store::session::Change;
use serde_json::json;

use super::super::print::print;
use super::chosen::which;

#[derive(Debug, Args)]
pub(super) struct Close {
    /// The session
    session: String,
}

impl Close {
    pub(super) fn execute(self, workshop: &Workshop, principal: String) -> Result<ExitCode, Fault> {
        let arguments = json!({ "session": self.session }).to_string();
        let change = Change::Close { which: which(principal, Some(self.session)) };
        let session = workshop.change_session(change, &arguments)?;
        Ok(print(&format!("{} is closed", session.name())))
    }
}
