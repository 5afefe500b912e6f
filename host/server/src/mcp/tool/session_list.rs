//! `session_list`: lists sessions and saved states.

use std::sync::Arc;

use pif_domain::Fault;
use pif_domain::text::time;
use pif_sandbox::Watch;
use pif_store::session::{Session, SessionKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, sessions};
use crate::render::Reply;

const TEXT: &str = "List the sessions and the saved states.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        Ok(backend.look(&call.caller, |backend: &Backend, _: &Watch| list(backend)).await??)
    }
}

fn list(backend: &Backend) -> Result<Reply, Fault> {
    let owner = backend.owner();
    let sessions = backend.workshop.sessions(&owner, SessionKind::Open)?;
    let saved = backend.workshop.sessions(&owner, SessionKind::Saved)?;
    let line = |it: &Session| {
        let name = it.name();
        let turn = it.turn;
        let title = sessions::title(it);
        let until = time::format(it.expires());
        format!("{name}: {turn} turns, until {until} {title}").trim_end().to_owned()
    };
    let mut lines: Vec<String> = sessions.iter().map(line).collect();
    lines.extend(
        saved.iter().map(|it| format!("saved {}: {}", it.name(), time::format(it.created))),
    );
    let text = if lines.is_empty() { "no sessions".to_owned() } else { lines.join("\n") };
    let saved = saved.iter().map(|it| json!({"name": it.name(), "time": time::format(it.created)}));
    let open = sessions.iter().map(|it| Value::from(sessions::record(it)));
    let record = json!({"sessions": open.collect::<Vec<_>>(), "saved": saved.collect::<Vec<_>>()});
    Ok(Reply::new(text, record))
}
