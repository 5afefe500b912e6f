//! `session_close`: closes a session.

use std::sync::Arc;

use pif_domain::Fault;
use pif_store::session::{Change, Session};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, sessions};
use crate::render::Reply;

const TEXT: &str = "Close a session: its bindings are gone, and a running turn ends.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    session: Option<String>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let change = Change::Close { which: sessions::which(backend, self.session) };
        sessions::change(backend, "session_close", call, change, render).await
    }
}

fn render(_: &Backend, session: &Session) -> Result<Reply, Fault> {
    Ok(Reply::new(format!("{} is closed", session.name()), sessions::record(session).into()))
}
