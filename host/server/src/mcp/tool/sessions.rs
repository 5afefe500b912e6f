//! Shared parts of the tools of sessions.

use std::sync::Arc;

use pif_domain::Fault;
use pif_domain::text::{self, time};
use pif_sandbox::Watch;
use pif_store::session::{
    Binding, Change, DEFAULT, LONGEST_NAME, LONGEST_TITLE, Session, Which, is_name,
};
use serde_json::{Map, Value, json};

use super::super::arguments::malformed;
use super::super::backend::Backend;
use super::{Call, ToolResult};
use crate::render::Reply;

/// The session that a call means.
pub(super) fn which(backend: &Backend, session: Option<String>) -> Which {
    let name = session.filter(|name| !name.is_empty()).unwrap_or_else(|| DEFAULT.to_owned());
    Which { owner: backend.owner(), name }
}

/// Refuses what cannot be a name.
pub(super) fn ensure_name(what: &str, name: &str) -> Result<(), Fault> {
    if is_name(name) {
        return Ok(());
    }
    let message = format!("`{what}` is no name: {}", text::quote_one(name));
    let hint = format!("use a letter or `_`, then letters, digits and `_`, {LONGEST_NAME} at most");
    Err(malformed(message, Some(&hint)))
}

/// Makes a change of sessions, and tells of it.
pub(super) async fn change(
    backend: &Arc<Backend>,
    tool: &str,
    call: Call,
    change: Change,
    tell: impl FnOnce(&Backend, &Session) -> Result<Reply, Fault> + Send + 'static,
) -> ToolResult {
    let arguments = call.text();
    let make = move |backend: &Backend, _: &Watch| {
        let session = backend.workshop.change_session(change, &arguments)?;
        tell(backend, &session)
    };
    match backend.look(&call.caller, make).await? {
        Ok(reply) => Ok(reply),
        // If the store failed, the refusal cannot be journaled either.
        Err(fault) if fault.code.is_of_store() => Err(fault.into()),
        Err(fault) => Err(backend.refuse(tool, &call, fault).await),
    }
}

/// The members that tell of a session.
pub(super) fn record(session: &Session) -> Map<String, Value> {
    let mut told = Map::new();
    told.insert("session".to_owned(), session.name().into());
    if !session.title.is_empty() {
        told.insert("title".to_owned(), title(session).into());
    }
    told.insert("turn".to_owned(), session.turn.into());
    told.insert("expires_at".to_owned(), time::format(session.expires()).into());
    told
}

/// The title as it may be shown: stores of older versions hold any.
pub(super) fn title(session: &Session) -> String {
    text::line(&session.title, LONGEST_TITLE)
}

/// The members that tell of a binding.
pub(super) fn bound(binding: &Binding, arity: Option<usize>) -> Value {
    let Binding { name, hash, kind, bytes, turn } = binding;
    let mut record =
        json!({"name": name, "kind": kind, "bytes": bytes, "turn": turn, "hash": hash});
    if let (Some(arity), Some(members)) = (arity, record.as_object_mut()) {
        members.insert("arity".to_owned(), arity.into());
    }
    record
}

/// A line for a binding.
pub(super) fn line(binding: &Binding, arity: Option<usize>) -> String {
    let takes = match arity {
        None => String::new(),
        Some(1) => " of 1 argument".to_owned(),
        Some(arity) => format!(" of {arity} arguments"),
    };
    format!("{}: {}{takes}, {} bytes", binding.name, binding.kind, binding.bytes)
}
