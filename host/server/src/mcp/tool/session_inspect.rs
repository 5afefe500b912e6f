//! `session_inspect`: shows a session, one of its bindings, or its turns.

use std::sync::Arc;

use pif_domain::text::similar::similar;
use pif_domain::{Fault, FaultCode, Limit, fault};
use pif_sandbox::Watch;
use pif_store::session::{Binding, Session, is_recent};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::arguments::malformed;
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, sessions};
use crate::render::Reply;

const TEXT: &str = "\
Show a session: its bindings with kinds and sizes, the source of one (`name`), its turns, its limits.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    session: Option<String>,
    /// overview, bindings, binding, history or limits
    view: Option<String>,
    name: Option<String>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let look = move |backend: &Backend, watch: &Watch| self.look(backend, watch);
        Ok(backend.run_blocking(&call.caller, look).await??)
    }
}

impl Arguments {
    fn look(self, backend: &Backend, watch: &Watch) -> Result<Reply, Fault> {
        let (session, bindings) =
            backend.workshop.session(&sessions::which(backend, self.session))?;
        let view = self.view.filter(|view| !view.is_empty());
        match (view.as_deref(), self.name) {
            (None | Some("binding"), Some(name)) => {
                binding(backend, watch, &session, &bindings, &name)
            }
            (Some("binding"), None) => {
                Err(malformed("the argument `name` is missing", Some("name a binding")))
            }
            (None | Some("overview"), None) => Ok(overview(backend, watch, &session, &bindings)),
            (Some("bindings"), _) => Ok(all(backend, watch, &session, &bindings)),
            (Some("history"), _) => history(backend, &session),
            (Some("limits"), _) => Ok(limits(backend, &session, &bindings)),
            (Some(_), _) => {
                let hint = "the views are overview, bindings, binding, history and limits";
                Err(malformed("there is no such `view`", Some(hint)))
            }
        }
    }
}

fn used(bindings: &[Binding]) -> (usize, u64) {
    let own = bindings.iter().filter(|binding| !is_recent(&binding.name));
    own.fold((0, 0), |(count, bytes), binding| (count + 1, bytes + binding.bytes))
}

fn overview(backend: &Backend, watch: &Watch, session: &Session, bindings: &[Binding]) -> Reply {
    let mut reply = all(backend, watch, session, bindings);
    let (count, bytes) = used(bindings);
    let name = session.name();
    let turn = session.turn;
    let head = format!("session {name}: {turn} turns, {count} bindings, {bytes} bytes");
    reply.text = if bindings.is_empty() { head } else { format!("{head}\n{}", reply.text) };
    reply
}

fn all(backend: &Backend, watch: &Watch, session: &Session, bindings: &[Binding]) -> Reply {
    let mut record = sessions::record(session);
    let mut told = Vec::new();
    let mut lines = Vec::new();
    for binding in bindings {
        let arity = backend.workshop.arity(binding, watch);
        told.push(sessions::bound(binding, arity));
        lines.push(sessions::line(binding, arity));
    }
    record.insert("bindings".to_owned(), told.into());
    let text = if lines.is_empty() { "no bindings".to_owned() } else { lines.join("\n") };
    Reply::new(text, record.into())
}

fn binding(
    backend: &Backend,
    watch: &Watch,
    session: &Session,
    bindings: &[Binding],
    name: &str,
) -> Result<Reply, Fault> {
    let Some(binding) = bindings.iter().find(|binding| binding.name == name) else {
        let known = bindings.iter().map(|binding| binding.name.as_str());
        let hint = match similar(name, known) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "the view `bindings` shows them".to_owned(),
        };
        let message = format!("the session has no binding {}", pif_domain::text::quote_one(name));
        return Err(fault(FaultCode::Unbound, message, None).advised(Some(hint)));
    };
    let mut record = sessions::record(session);
    let arity = backend.workshop.arity(binding, watch);
    record.insert("binding".to_owned(), sessions::bound(binding, arity));
    let term = backend.workshop.term_of(binding)?.unwrap_or_default();
    let most = backend.config.values.size(Limit::Result);
    if term.len() > most {
        let text = format!(
            "{}: the source is not shown above {most} bytes",
            sessions::line(binding, arity)
        );
        return Ok(Reply::new(text, record.into()));
    }
    let notation = backend.workshop.sandbox.check(&term, watch).ok().map(|it| it.notation);
    let shown = notation.filter(|it| !it.is_empty());
    let text = shown.clone().unwrap_or_else(|| term.clone());
    record.insert("source".to_owned(), term.into());
    record.extend(shown.map(|notation| ("notation".to_owned(), notation.into())));
    Ok(Reply::new(text, record.into()))
}

fn history(backend: &Backend, session: &Session) -> Result<Reply, Fault> {
    let turns = backend.workshop.turns_of(session)?;
    let mut record = sessions::record(session);
    let mut told = Vec::new();
    let mut lines = Vec::new();
    let mut room = backend.config.values.size(Limit::Result);
    for turn in &turns {
        let Some(left) = room.checked_sub(turn.told.len()) else { break };
        room = left;
        let mut it: Value = serde_json::from_str(&turn.told).unwrap_or_default();
        it["turn"] = turn.turn.into();
        let part = |name: &str| match &it[name] {
            Value::String(text) => pif_domain::text::line(text, 200),
            Value::Null => String::new(),
            value => value.to_string(),
        };
        let code = if it["tool"].is_null() { part("code") } else { part("tool") };
        lines.push(format!("{}: {code} → {}", turn.turn, part("value")));
        told.push(it);
    }
    let text = if lines.is_empty() { "no turns".to_owned() } else { lines.join("\n") };
    record.insert("history".to_owned(), told.into());
    Ok(Reply::new(text, record.into()))
}

fn limits(backend: &Backend, session: &Session, bindings: &[Binding]) -> Reply {
    let (count, bytes) = used(bindings);
    let values = &backend.config.values;
    let mut record = sessions::record(session);
    let most = values.get(Limit::SessionBindings);
    let size = values.get(Limit::SessionSize);
    let limits = json!({
        "bindings": {"used": count, "limit": most},
        "bytes": {"used": bytes, "limit": size},
        "history": values.get(Limit::SessionHistory),
        "ttl_ms": session.ttl,
        "idle_ms": session.idle,
    });
    record.insert("limits".to_owned(), limits);
    Reply::new(format!("{count} of {most} bindings, {bytes} of {size} bytes"), record.into())
}
