//! The session or the saved state that a command is about.

use clap::Args;
use pif_domain::Fault;
use pif_server::workshop::Workshop;
use pif_store::session::{Binding, DEFAULT, Session, Which};

#[derive(Debug, Args)]
pub(super) struct SessionChoice {
    /// The session [default: default]
    #[arg(long, value_name = "SESSION")]
    pub(super) session: Option<String>,
    /// A saved state, instead of a session
    #[arg(long, value_name = "NAME", conflicts_with = "session")]
    pub(super) saved: Option<String>,
}

impl SessionChoice {
    /// The session, with its bindings. This counts as a use of it.
    pub(super) fn find(
        self,
        workshop: &Workshop,
        owner: &str,
    ) -> Result<(Session, Vec<Binding>), Fault> {
        match self.saved {
            Some(name) => workshop.saved_state(&Which { owner: owner.to_owned(), name }),
            None => workshop.session(&which(owner.to_owned(), self.session)),
        }
    }
}

/// The session of an owner that a name means.
pub(super) fn which(owner: String, session: Option<String>) -> Which {
    let name = session.unwrap_or_else(|| DEFAULT.to_owned());
    Which { owner, name }
}
