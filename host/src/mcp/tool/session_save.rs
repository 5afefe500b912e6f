//! `session_save`: saves the bindings of a session under a name.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, sessions};
use crate::domain::Fault;
use crate::render::Reply;
use crate::state::session::{Change, Session};

const TEXT: &str =
    "Save the bindings of a session under a name. They stay until `session_forget` removes them.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    session: Option<String>,
    name: String,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        if let Err(fault) = sessions::ensure_name("name", &self.name) {
            return Err(backend.refuse("session_save", &call, fault).await);
        }
        let change =
            Change::Save { which: sessions::which(backend, self.session), saved: self.name };
        sessions::change(backend, "session_save", call, change, tell).await
    }
}

fn tell(_: &Backend, session: &Session) -> Result<Reply, Fault> {
    Ok(Reply::new(format!("saved as {}", session.name()), sessions::record(session).into()))
}
