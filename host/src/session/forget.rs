//! `mcp-pif session forget`.

use std::process::ExitCode;

use clap::{ArgGroup, Args};
use pif_domain::Fault;
use pif_server::workshop::Workshop;
use pif_store::session::{Change, Removal};
use serde_json::json;

use super::super::print::print;
use super::chosen::{SessionChoice, which};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["names", "all", "history", "saved"]))]
pub(super) struct Forget {
    /// Bindings to remove
    #[arg(value_name = "BINDING")]
    names: Vec<String>,
    /// Remove all bindings and the last values
    #[arg(long)]
    all: bool,
    /// Remove what the session remembers of its turns
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    chosen: SessionChoice,
}

impl Forget {
    pub(super) fn execute(self, workshop: &Workshop, owner: String) -> Result<ExitCode, Fault> {
        let Self { names, all, history, chosen: SessionChoice { session, saved } } = self;
        let arguments = json!({ "names": names, "all": all, "history": history, "session": session, "saved": saved });
        let which = which(owner.clone(), session);
        let change = match saved {
            Some(saved) => Change::Drop { owner, saved },
            None if all => Change::Forget { which, what: Removal::All },
            None if history => Change::Forget { which, what: Removal::History },
            None => Change::Forget { which, what: Removal::Names(names) },
        };
        let is_state = matches!(change, Change::Drop { .. });
        let session = workshop.change_session(change, &arguments.to_string())?;
        let name = session.name();
        Ok(print(&if is_state {
            format!("forgotten: {name}")
        } else {
            format!("forgotten in {name}")
        }))
    }
}
