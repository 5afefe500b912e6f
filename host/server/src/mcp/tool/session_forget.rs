//! `session_forget`: removes bindings or the history of a session, or a saved state.

use std::sync::Arc;

use pif_domain::Fault;
use pif_store::session::{Change, Removal, Session, SessionKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::arguments::malformed;
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, sessions};
use crate::render::Reply;

const TEXT: &str = "\
Remove bindings of a session (`names`, or `all`), its `history`, or a saved state.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    session: Option<String>,
    names: Option<Vec<String>>,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    history: bool,
    saved: Option<String>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        match self.change(backend) {
            Ok(change) => sessions::change(backend, "session_forget", call, change, render).await,
            Err(fault) => Err(backend.refuse("session_forget", &call, fault).await),
        }
    }
}

impl Arguments {
    fn change(self, backend: &Backend) -> Result<Change, Fault> {
        let Self { session, names, all, history, saved } = self;
        let names = names.filter(|names| !names.is_empty());
        let what = match (names, all, history, saved) {
            (Some(names), false, false, None) => Removal::Names(names),
            (None, true, false, None) => Removal::All,
            (None, false, true, None) => Removal::History,
            (None, false, false, Some(saved)) => {
                return Ok(Change::Drop { owner: backend.owner(), saved });
            }
            _ => {
                let message = "one of `names`, `all`, `history` and `saved` is to be given";
                return Err(malformed(message, Some("write {\"names\": [\"x\"]}")));
            }
        };
        Ok(Change::Forget { which: sessions::which(backend, session), what })
    }
}

fn render(_: &Backend, session: &Session) -> Result<Reply, Fault> {
    if session.standing == SessionKind::Saved {
        let saved = session.name();
        return Ok(Reply::new(format!("{saved} is forgotten"), json!({ "saved": saved })));
    }
    Ok(Reply::new(format!("forgotten in {}", session.name()), sessions::record(session).into()))
}
