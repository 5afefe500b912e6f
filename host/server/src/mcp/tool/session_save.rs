//! `session_save`: saves the bindings of a session under a name.

use std::sync::Arc;

use pif_store::session::{Change, Session};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, sessions};
use crate::render::Reply;

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
        let which = sessions::which(backend, self.session);
        let saved = self.name;
        let name = which.name.clone();
        let change = Change::Save { which, saved };
        let render = move |_: &Backend, state: &Session| Ok(render(&name, state));
        sessions::change(backend, "session_save", call, change, render).await
    }
}

fn render(name: &str, state: &Session) -> Reply {
    let saved = state.name();
    let text = format!("{name} is saved as {saved}");
    Reply::new(text, json!({"session": name, "saved": saved, "turn": state.turn}))
}
