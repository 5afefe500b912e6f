//! `session_restore`: gives a session the bindings of a saved state.

use std::sync::Arc;

use pif_domain::Fault;
use pif_store::session::{Change, Session};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, sessions};
use crate::render::Reply;

const TEXT: &str = "Give a session the bindings of a saved state, in place of its own.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    session: Option<String>,
    name: String,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let change =
            Change::Restore { which: sessions::which(backend, self.session), saved: self.name };
        sessions::change(backend, "session_restore", call, change, render).await
    }
}

fn render(_: &Backend, session: &Session) -> Result<Reply, Fault> {
    Ok(Reply::new(
        format!("{} has the saved bindings", session.name()),
        sessions::record(session).into(),
    ))
}
