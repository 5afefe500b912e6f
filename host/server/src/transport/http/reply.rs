//! Replies that no handler makes: each is a JSON-RPC error, with the id of its request if it has one.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};

use super::super::outlet::encode;

/// The body of a reply.
pub(super) type Body = BoxBody<Bytes, Infallible>;

/// A reply.
pub(super) type Reply = Response<Body>;

pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// The code of an error that another time or another principal would not get.
const REFUSED: ErrorCode = ErrorCode(-32_000);

/// Why a request is not served.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    error: ErrorData,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Refusal {
    /// A request that is wrong.
    pub(super) fn invalid(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(status, ErrorData::invalid_request(message.into(), None))
    }

    /// A request that is refused to this client, or now.
    pub(super) fn denied(status: StatusCode, message: impl Into<String>) -> Self {
        Self::new(status, ErrorData::new(REFUSED, message.into(), None))
    }

    /// A request that a defect of the server ends. The log says which.
    pub(super) fn internal() -> Self {
        let message = "internal error: the server's log says more";
        Self::denied(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    pub(super) fn new(status: StatusCode, error: ErrorData) -> Self {
        Self { status, error, headers: Vec::new() }
    }

    /// Tells the client when it may try again.
    pub(super) fn retry(self, seconds: u64) -> Self {
        self.with(RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// Tells the client how to authenticate.
    pub(super) fn challenge(self, scheme: &str) -> Self {
        match HeaderValue::from_str(scheme) {
            Ok(value) => self.with(WWW_AUTHENTICATE, value),
            Err(_) => self,
        }
    }

    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The reply to a request with this id.
    pub(super) fn reply(self, id: Option<RequestId>) -> Reply {
        let Self { status, error, headers } = self;
        let mut reply = message(status, &ServerJsonRpcMessage::error(error, id));
        reply.headers_mut().extend(headers);
        reply
    }
}

/// A reply with a message.
pub(super) fn message(status: StatusCode, message: &ServerJsonRpcMessage) -> Reply {
    let text = encode(message).unwrap_or_else(|error| {
        tracing::error!(%error, "an error could not be written down");
        Vec::new()
    });
    with_type(status, JSON, text)
}

/// A reply with text.
pub(super) fn text(status: StatusCode, text: impl Into<Bytes>) -> Reply {
    with_type(status, TEXT, text)
}

/// A reply with a body of a type.
pub(super) fn with_type(status: StatusCode, kind: HeaderValue, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(body.into()).boxed());
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}

/// Whether a reply is a stream of events.
pub(super) fn is_stream(reply: &Reply) -> bool {
    reply.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream")
}

/// A reply without a body.
pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::new()).boxed());
    *reply.status_mut() = status;
    reply
}
