//! Converts a line into a message or into an error reply. Terms are not parsed here. The arguments
//! of a call stay text as they were sent.

use std::borrow::Cow;
use std::sync::Arc;

use pif_domain::json::{self, Members, Object, decoded, object};
use pif_domain::{Excess, Limit};
use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData,
    GetExtensions, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use serde_json::json;

use super::handshake;
use super::input::Line;
use crate::render::excess;

/// Levels of nesting around the arguments of a call: the message, `params`, and `arguments` itself.
const ENVELOPE: usize = 3;

/// The arguments of a call as they were sent. They are attached to the message as an extension.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawArguments(pub(crate) Arc<Object>);

/// The meaning of a line.
#[derive(Debug)]
pub(in crate::transport) enum Message {
    /// A request, with the id of its answer.
    Request(RequestId, Box<ClientJsonRpcMessage>),
    /// A notification or a response, which needs no answer.
    Notice(Box<ClientJsonRpcMessage>),
    /// A cancellation of the request with this id.
    Cancel(RequestId, Box<ClientJsonRpcMessage>),
    /// A line that cannot be served, with the error reply.
    Faulty(Box<ServerJsonRpcMessage>),
    /// A blank line, or a notification that cannot be read.
    Blank,
}

/// Limits of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The most bytes of a line.
    pub(crate) line: usize,
    /// The most levels of nesting in arguments.
    pub(crate) nesting: usize,
    /// What the text is called in errors: a line or a body.
    pub(crate) what: &'static str,
}

impl Bounds {
    /// The bounds of lines.
    pub(crate) fn of_lines(line: usize, nesting: usize) -> Self {
        Self { line, nesting, what: "line" }
    }
}

/// Reads a line.
pub(in crate::transport) fn read(line: &Line, bounds: Bounds) -> Message {
    match line {
        Line::Whole(bytes) => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
            if bytes.is_empty() {
                return Message::Blank;
            }
            parse(bytes, bounds)
        }
        Line::Long(length) => {
            let message = format!(
                "the {} is longer than {} bytes: it has {length}",
                bounds.what, bounds.line
            );
            faulty(refuse(message, Limit::Line, *length, bounds.line), None)
        }
    }
}

/// The error reply to a message that is refused.
pub(super) fn faulty(error: ErrorData, id: Option<RequestId>) -> Message {
    Message::Faulty(Box::new(ServerJsonRpcMessage::error(error, id)))
}

/// Reads a line that is not blank. An error has the id of its request if the line is an object.
fn parse(line: &[u8], bounds: Bounds) -> Message {
    let read = members(line, bounds);
    let id = read.as_ref().ok().and_then(|(_, members)| members.raw("id"));
    let id = id.and_then(|raw| serde_json::from_str::<RequestId>(raw).ok());
    let message = ensure_flat(line, bounds).and_then(|()| {
        let (text, members) = read?;
        classify(text, &members, id.as_ref(), bounds.nesting)
    });
    message.unwrap_or_else(|error| faulty(error, id))
}

/// The members of the object that a line is.
fn members(line: &[u8], bounds: Bounds) -> Result<(&str, Members<'_>), ErrorData> {
    let text = str::from_utf8(line).map_err(|e| {
        ErrorData::parse_error(format!("the {} is not UTF-8: {e}", bounds.what), None)
    })?;
    if text.starts_with('[') {
        return Err(invalid(format!(
            "batches are not supported: send each message in a {} of its own",
            bounds.what
        )));
    }
    let members = Members::parse(text).map_err(|error| {
        if error.is_data() {
            return invalid("a message must be a JSON object");
        }
        ErrorData::parse_error(format!("the {} is not JSON: {error}", bounds.what), None)
    })?;
    Ok((text, members))
}

/// Refuses what is too deep.
fn ensure_flat(line: &[u8], bounds: Bounds) -> Result<(), ErrorData> {
    let depth = json::depth(line);
    if depth > bounds.nesting + ENVELOPE {
        let message = format!(
            "the arguments are nested deeper than {} levels: pass the term as a string that holds \
             its JSON text, which has no nesting limit",
            bounds.nesting,
        );
        let used = u64::try_from(depth - ENVELOPE).unwrap_or(u64::MAX);
        return Err(refuse(message, Limit::Nesting, used, bounds.nesting));
    }
    Ok(())
}

fn classify(
    text: &str,
    members: &Members<'_>,
    id: Option<&RequestId>,
    nesting: usize,
) -> Result<Message, ErrorData> {
    if let Some(name) = members.duplicate() {
        return Err(invalid(format!("the message has two members `{name}`")));
    }
    if members.raw("jsonrpc") != Some("\"2.0\"") {
        return Err(invalid("`jsonrpc` must be \"2.0\""));
    }
    let Some(method) = members.raw("method") else {
        if members.has("result") || members.has("error") {
            return Ok(notice(text));
        }
        return Err(invalid("`method` is missing"));
    };
    let method: String =
        serde_json::from_str(method).map_err(|_| invalid("`method` must be a string"))?;
    if !members.has("id") {
        return Ok(notice(text));
    }
    let id = id.ok_or_else(|| invalid("`id` must be a string or an integer of 64 bits"))?;
    let request = match method.as_str() {
        "tools/call" => call(members, id, nesting)?,
        _ => request(text, &method, members)?,
    };
    Ok(Message::Request(id.clone(), Box::new(request)))
}

/// Reads a notification or a response. Ignores one that cannot be read, because it needs no answer.
fn notice(text: &str) -> Message {
    match serde_json::from_str::<ClientJsonRpcMessage>(text) {
        Ok(message) => match cancelled(&message) {
            Some(id) => Message::Cancel(id, Box::new(message)),
            None => Message::Notice(Box::new(message)),
        },
        Err(error) => {
            tracing::debug!(%error, "ignoring a notification that cannot be read");
            Message::Blank
        }
    }
}

fn cancelled(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Notification(notification) => match &notification.notification {
            ClientNotification::CancelledNotification(cancelled) => {
                cancelled.params.request_id.clone()
            }
            _ => None,
        },
        _ => None,
    }
}

fn request(
    text: &str,
    method: &str,
    members: &Members<'_>,
) -> Result<ClientJsonRpcMessage, ErrorData> {
    if method == "initialize"
        && let Some(complaint) = handshake::complain(members.raw("params"))
    {
        return Err(params(complaint));
    }
    serde_json::from_str(text)
        .map_err(|error| params(format!("`{method}` cannot be read: {error}")))
}

/// Reads a call without its arguments and attaches their text.
fn call(
    members: &Members<'_>,
    id: &RequestId,
    nesting: usize,
) -> Result<ClientJsonRpcMessage, ErrorData> {
    let text = members.raw("params").ok_or_else(|| params("`params` is missing: name a tool"))?;
    let call =
        Members::parse(text).map_err(|_| params("`params` must be an object that names a tool"))?;
    if let Some(name) = call.duplicate() {
        return Err(params(format!("`params` has two members `{name}`")));
    }
    match call.raw("name") {
        Some(name) if name.starts_with('"') => {}
        Some(_) => return Err(params("`name` must be a string: the name of a tool")),
        None => return Err(params("`name` is missing: name the tool to call")),
    }
    let arguments = match call.raw("arguments") {
        None | Some("null" | "\"\"") => Cow::Borrowed("{}"),
        // Some clients send the arguments as one string.
        Some(arguments) => decoded(arguments, '{', nesting),
    };
    if !arguments.starts_with('{') {
        return Err(params("`arguments` must be an object, such as {\"input\": 7}"));
    }
    let text = without_arguments(members, &call);
    let Ok(mut call) = serde_json::from_str::<CallToolRequest>(&text) else {
        // `request` gives a better error message.
        return request(&text, "tools/call", members);
    };
    let unread = |error| params(format!("`arguments` cannot be read: {error}"));
    let arguments = Object::parse(&arguments).map_err(unread)?;
    call.extensions_mut().insert(RawArguments(Arc::new(arguments)));
    Ok(ClientJsonRpcMessage::request(ClientRequest::CallToolRequest(call), id.clone()))
}

/// The text of a call without its arguments.
fn without_arguments(members: &Members<'_>, call: &Members<'_>) -> String {
    let call = object(call.iter().filter(|(name, _)| *name != "arguments"));
    object(members.iter().map(|(name, value)| match name {
        "params" => (name, call.as_str()),
        _ => (name, value),
    }))
}

/// The error of a line that exceeds a limit.
fn refuse(message: String, name: Limit, used: u64, limit: usize) -> ErrorData {
    let limit = Excess { name, used, limit: u64::try_from(limit).unwrap_or(u64::MAX) };
    ErrorData::invalid_request(message, Some(json!({"limit": excess(limit)})))
}

fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_request(message.into(), None)
}

fn params(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}
