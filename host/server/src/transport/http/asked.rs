//! Reads a request: its session, its tool, and whether it begins a session or listens.

use http::request::Parts;
use http::{HeaderMap, HeaderName, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetExtensions as _, JsonRpcMessage,
    ProtocolVersion,
};

use super::reply::Refusal;
use crate::transport::message::RawArguments;

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The session of a request of the older protocol versions.
pub(super) fn session(parts: &Parts) -> Option<&str> {
    if is_stateless(&parts.headers) {
        return None;
    }
    // A value that is no text names no session.
    Some(parts.headers.get(SESSION)?.to_str().unwrap_or_default())
}

pub(super) fn is_stateless(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version == ProtocolVersion::V_2026_07_28.as_str())
}

/// Whether a request of the stateless protocol asks for a session, which only the older ones have.
pub(super) fn is_gone(headers: &HeaderMap) -> bool {
    is_stateless(headers) && headers.get(METHOD).is_some_and(|method| method == "initialize")
}

pub(super) fn gone() -> Refusal {
    let message = "there is no method `initialize` in 2026-07-28: send requests without a session";
    let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
    Refusal::new(StatusCode::NOT_FOUND, error)
}

/// The tool that a message calls, and the arguments.
pub(super) fn called(message: &ClientJsonRpcMessage) -> Option<(String, RawArguments)> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::CallToolRequest(call) = &request.request else { return None };
    let arguments = call.extensions().get::<RawArguments>().cloned().unwrap_or_default();
    Some((call.params.name.to_string(), arguments))
}

/// The method of a request; nothing if the protocol does not have it.
pub(super) fn method(message: &ClientJsonRpcMessage) -> Option<&str> {
    match message {
        JsonRpcMessage::Request(it) => match &it.request {
            ClientRequest::CustomRequest(_) => None,
            known => Some(known.method()),
        },
        _ => None,
    }
}

/// Whether a message begins a session.
pub(super) fn begins(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(it)
        if matches!(it.request, ClientRequest::InitializeRequest(_)))
}

/// Whether a message only listens, without end.
pub(super) fn listens(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(it)
        if it.request.method() == "subscriptions/listen")
}
