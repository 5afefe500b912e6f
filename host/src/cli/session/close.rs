//! `mcp-pif session close`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::super::print::print;
use super::chosen::which;
use crate::domain::Fault;
use crate::state::session::Change;
use crate::workshop::Workshop;

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
