//! `session_start`: starts a session.

use std::sync::Arc;

use pif_domain::text::time;
use pif_domain::{Fault, Limit};
use pif_store::session::{Change, Session, ensure_title};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::arguments::malformed;
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, sessions};
use crate::render::Reply;

const TEXT: &str = "\
Start a session: names that keep their values between calls of `session_eval`, across restarts.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// for people
    #[serde(default)]
    title: String,
    /// seconds that it lives
    ttl: Option<u64>,
    /// seconds that it lives without use
    idle: Option<u64>,
    /// a saved state to begin with
    restore: Option<String>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        match self.change(backend) {
            Ok(change) => sessions::change(backend, "session_start", call, change, render).await,
            Err(fault) => Err(backend.refuse("session_start", &call, fault).await),
        }
    }
}

impl Arguments {
    fn change(self, backend: &Backend) -> Result<Change, Fault> {
        let Self { title, ttl, idle, restore: saved } = self;
        ensure_title(&title).map_err(|error| malformed(error.to_string(), None))?;
        let most = backend.workshop.session_capacity();
        let ttl = span("ttl", ttl, most.ttl)?;
        let idle = span("idle", idle, most.idle)?;
        Ok(Change::Start { owner: backend.owner(), title, ttl, idle, saved })
    }
}

/// A time in milliseconds.
fn span(name: &str, seconds: Option<u64>, most: i64) -> Result<i64, Fault> {
    let Some(seconds) = seconds else { return Ok(most) };
    let asked = i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
    if asked == 0 || asked > most {
        let hint = format!("give 1 to {} seconds", most / 1_000);
        return Err(malformed(format!("`{name}` is out of range"), Some(&hint)));
    }
    Ok(asked)
}

fn render(backend: &Backend, session: &Session) -> Result<Reply, Fault> {
    let mut record = sessions::record(session);
    let values = &backend.config.values;
    let limits = json!({
        "bindings": values.get(Limit::SessionBindings),
        "bytes": values.get(Limit::SessionSize),
        "ttl_ms": session.ttl,
        "idle_ms": session.idle,
    });
    record.insert("limits".to_owned(), limits);
    let name = session.name();
    let expires = time::format(session.expires());
    Ok(Reply::new(format!("session {name} lives until {expires}"), record.into()))
}
