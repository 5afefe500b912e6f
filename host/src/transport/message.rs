//! From a line to a message, or to the error that answers it. Terms are not parsed here: the
//! arguments of a call travel as the text they were sent as.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData,
    GetExtensions, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use serde_json::json;

use super::line::Line;
use super::{handshake, id, scan};
use crate::domain::{Excess, Limit};
use crate::json::{self, Members, object};
use crate::mcp::settle::decoded;
use crate::render::excess;

/// Levels around the arguments of a call: the message, `params`, and `arguments` itself.
const ENVELOPE: usize = 3;

/// The arguments of a call, as they were sent. They travel beside the message, as an extension.
#[derive(Debug, Clone)]
pub(crate) struct RawArguments(pub(crate) Arc<str>);

/// What a line asks of the server.
#[derive(Debug)]
pub(super) enum Message {
    /// A request to be answered under its id.
    Request(RequestId, Box<ClientJsonRpcMessage>),
    /// A notification or a response: nobody waits for an answer.
    Notice(Box<ClientJsonRpcMessage>),
    /// A notification that this request need not be answered any more.
    Cancel(RequestId, Box<ClientJsonRpcMessage>),
    /// A line that cannot be served, and what to say about it.
    Faulty(Box<ServerJsonRpcMessage>),
    /// Nothing at all.
    Blank,
}

/// Limits on what a line may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Bytes of a line.
    pub(crate) line: usize,
    /// Levels of nesting in arguments.
    pub(crate) nesting: usize,
}

/// Reads a line.
pub(super) fn read(line: &Line, bounds: Bounds) -> Message {
    match line {
        Line::Whole(bytes) => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
            if bytes.is_empty() {
                return Message::Blank;
            }
            parse(bytes, bounds).unwrap_or_else(|error| faulty(error, scan::find_id(bytes)))
        }
        Line::Long { id, length } => {
            let message = format!("the line is longer than {} bytes: it has {length}", bounds.line);
            faulty(refuse(message, Limit::Line, *length, bounds.line), id.clone())
        }
    }
}

/// The answer to a message that is refused.
pub(super) fn faulty(error: ErrorData, id: Option<RequestId>) -> Message {
    Message::Faulty(Box::new(ServerJsonRpcMessage::error(error, id)))
}

fn parse(line: &[u8], bounds: Bounds) -> Result<Message, ErrorData> {
    let text = str::from_utf8(line)
        .map_err(|e| ErrorData::parse_error(format!("the line is not UTF-8: {e}"), None))?;
    if text.starts_with('[') {
        return Err(invalid("batches are not supported: send each message on a line of its own"));
    }
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
    let members = Members::parse(text).map_err(|error| {
        if error.is_data() {
            return invalid("a message must be a JSON object");
        }
        ErrorData::parse_error(format!("the line is not JSON: {error}"), None)
    })?;
    if let Some(name) = members.duplicate() {
        return Err(invalid(format!("the message has two members `{name}`")));
    }
    if members.raw("jsonrpc") != Some("\"2.0\"") {
        return Err(invalid("`jsonrpc` must be \"2.0\""));
    }
    classify(text, &members, bounds.nesting)
}

fn classify(text: &str, members: &Members<'_>, nesting: usize) -> Result<Message, ErrorData> {
    let Some(method) = members.raw("method") else {
        if members.has("result") || members.has("error") {
            return Ok(notice(text, members));
        }
        return Err(invalid("`method` is missing"));
    };
    let method: String =
        serde_json::from_str(method).map_err(|_| invalid("`method` must be a string"))?;
    let Some(id) = members.raw("id") else { return Ok(notice(text, members)) };
    let id = id::read(id).ok_or_else(|| invalid("`id` must be a string or an integer"))?;
    let request = match method.as_str() {
        "tools/call" => call(members, &id, nesting)?,
        _ => request(&with_id(text, members, &id), &method, members)?,
    };
    Ok(Message::Request(id, Box::new(request)))
}

/// The text of a message whose id rmcp can read.
fn with_id<'a>(text: &'a str, members: &Members<'_>, id: &RequestId) -> Cow<'a, str> {
    if id::raw(id).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(with(members, "id", &id.clone().into_json_value().to_string()))
}

/// The text of an object with another value for a member that it has.
fn with(members: &Members<'_>, changed: &str, value: &str) -> String {
    object(members.iter().map(|(name, raw)| (name, if name == changed { value } else { raw })))
}

/// Whatever cannot be read here needs no answer either.
fn notice(text: &str, members: &Members<'_>) -> Message {
    let text = of_marked(members).map_or(Cow::Borrowed(text), Cow::Owned);
    match serde_json::from_str::<ClientJsonRpcMessage>(&text) {
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

/// The text of a cancellation of a request whose id rmcp cannot read.
fn of_marked(members: &Members<'_>) -> Option<String> {
    const ID: &str = "requestId";
    let params = Members::parse(members.raw("params")?).ok()?;
    let id = id::read(params.raw(ID)?)?;
    id::raw(&id)?;
    let params = with(&params, ID, &id.into_json_value().to_string());
    Some(with(members, "params", &params))
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

/// Reads a call without its arguments, and hangs their text on it.
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
        // Some clients write the whole of them as a text.
        Some(arguments) => decoded(arguments, '{', nesting),
    };
    if !arguments.starts_with('{') {
        return Err(params("`arguments` must be an object, such as {\"input\": 7}"));
    }
    let text = without_arguments(members, &call);
    let Ok(mut call) = serde_json::from_str::<CallToolRequest>(&text) else {
        // It says why, where this would not.
        return request(&text, "tools/call", members);
    };
    call.extensions_mut().insert(RawArguments(arguments.as_ref().into()));
    Ok(ClientJsonRpcMessage::request(ClientRequest::CallToolRequest(call), id.clone()))
}

/// The text of a call as sent, but for its arguments.
fn without_arguments(members: &Members<'_>, call: &Members<'_>) -> String {
    let call = object(call.iter().filter(|(name, _)| *name != "arguments"));
    object(members.iter().map(|(name, value)| match name {
        "params" => (name, call.as_str()),
        _ => (name, value),
    }))
}

/// The error of a line that is over a limit.
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
