//! The gate: what every request passes, in this order: its host, its origin, its token, its method,
//! its size, its depth, its shape, its scope and its session. Then rmcp serves it, without the
//! arguments of a call, which stay text as they were sent.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetExtensions as _, JsonRpcMessage,
    ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::TaskTracker;

use super::access::Access;
use super::body::{self, Room, Whole, holding};
use super::echo;
use super::handlers::{Handlers, Way};
use super::probe::Probe;
use super::reply::{self, Refusal, Reply};
use super::sessions::{Open, Sessions, unknown};
use super::site::{Sites, is_direct};
use crate::domain::{Principal, Scope};
use crate::oauth::BearerError;
use crate::transport::input::Line;
use crate::transport::message::{Bounds, Message, RawArguments, read};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The most bytes of an error of rmcp.
const MOST_ERROR: usize = 64 << 10;

/// What stays as long as a request is served.
#[derive(Debug, Clone, Default)]
struct Held {
    _open: Option<Arc<Open>>,
    _room: Option<Arc<OwnedSemaphorePermit>>,
}

/// The gate in front of the handlers.
pub(super) struct Gate<H: Handlers> {
    pub(super) handlers: Arc<H>,
    pub(super) service: StreamableHttpService<H::Handler, LocalSessionManager>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) sites: Sites,
    pub(super) access: Arc<Access>,
    pub(super) bounds: Bounds,
    pub(super) body: body::Bounds,
    pub(super) room: Room,
    pub(super) probe: Probe,
    /// The requests that are being served, without those that only listen.
    pub(super) served: TaskTracker,
    /// Whether only processes of this machine reach the server.
    pub(super) is_here: bool,
}

impl<H: Handlers> Gate<H> {
    /// Answers a request. A panic becomes an error.
    pub(super) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        address: Option<IpAddr>,
    ) -> Reply {
        let served = AssertUnwindSafe(self.pass(request, address)).catch_unwind().await;
        served.unwrap_or_else(|_| {
            tracing::error!("a request panicked");
            Refusal::internal().reply(None)
        })
    }

    async fn pass(self: &Arc<Self>, request: Request<Incoming>, address: Option<IpAddr>) -> Reply {
        let (parts, body) = request.into_parts();
        let origin = match self
            .sites
            .ensure_host(&parts.uri, &parts.headers)
            .and_then(|()| self.sites.ensure_origin(&parts.headers))
        {
            Ok(origin) => origin,
            Err(refusal) => return refuse(refusal, &parts, body).await,
        };
        let mut reply = match (&parts.method, &origin) {
            (&Method::OPTIONS, Some(_)) => preflight(),
            _ => self.route(parts, body, address).await,
        };
        if let Some(origin) = origin {
            share(reply.headers_mut(), origin);
        }
        reply
    }

    async fn route(
        self: &Arc<Self>,
        parts: Parts,
        body: Incoming,
        address: Option<IpAddr>,
    ) -> Reply {
        match parts.uri.path() {
            "/mcp" => self.serve(parts, body, address).await,
            "/health" => reply::text(StatusCode::OK, "alive\n"),
            "/ready" => match self.probe.ready(&self.handlers).await {
                Ok(()) => reply::text(StatusCode::OK, "ready\n"),
                Err(why) => reply::text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
            },
            "/metrics" => self.metrics(&parts, address),
            path if let Some(document) = self.access.document(path) => {
                reply::with_type(StatusCode::OK, reply::JSON, document.to_owned())
            }
            path => {
                let shown: String = path.chars().take(100).collect();
                let message = format!("there is nothing at `{shown}`: the server is at `/mcp`");
                let refusal = Refusal::invalid(StatusCode::NOT_FOUND, message);
                refuse(refusal, &parts, body).await
            }
        }
    }

    /// The figures for Prometheus. Beyond this machine they need a token: a proxy here may serve others.
    fn metrics(&self, parts: &Parts, address: Option<IpAddr>) -> Reply {
        if !(self.is_here && is_direct(&parts.headers))
            && let Err(refusal) = self.access.principal(&parts.headers, address)
        {
            return refusal.reply(None);
        }
        let (kind, text) = self.handlers.metrics();
        reply::with_type(StatusCode::OK, HeaderValue::from_static(kind), text)
    }

    async fn serve(
        self: &Arc<Self>,
        parts: Parts,
        body: Incoming,
        address: Option<IpAddr>,
    ) -> Reply {
        let principal = match self.access.principal(&parts.headers, address) {
            Ok(principal) => principal,
            Err(refusal) => return refuse(refusal, &parts, body).await,
        };
        let mut parts = parts;
        parts.extensions.insert(Way(if address.is_some() { "tcp" } else { "unix" }));
        match parts.method {
            Method::POST if is_gone(&parts.headers) => refuse(gone(), &parts, body).await,
            Method::POST => self.post(parts, body, principal).await,
            Method::GET | Method::DELETE => match self.ensure_session(&parts, &principal) {
                Ok(()) => self.forward(parts, Bytes::new(), principal, None).await,
                Err(refusal) => refusal.reply(None),
            },
            _ => {
                let message = format!("`{}` means nothing here: send POST", parts.method);
                let allowed = HeaderValue::from_static("GET, POST, DELETE");
                Refusal::invalid(StatusCode::METHOD_NOT_ALLOWED, message)
                    .with(header::ALLOW, allowed)
                    .reply(None)
            }
        }
    }

    async fn post(self: &Arc<Self>, parts: Parts, body: Incoming, of: Principal) -> Reply {
        let Whole { bytes, room } = match body::read(body, self.body, &self.room).await {
            Ok(whole) => whole,
            Err((refusal, id)) => return refusal.reply(id),
        };
        let is_empty = bytes.trim_ascii().is_empty();
        match read(&Line::Whole(bytes), self.bounds) {
            Message::Request(id, message) => {
                let room = room.map(Arc::new);
                match self.open(&parts, &id, &message, &of).await {
                    Ok(open) => {
                        let held = Held { _open: open.map(Arc::new), _room: room };
                        self.request(parts, id, *message, of, held).await
                    }
                    Err(refusal) => refusal.reply(Some(id)),
                }
            }
            Message::Notice(message) | Message::Cancel(_, message) => {
                if let Err(refusal) = self.ensure_session(&parts, &of) {
                    return refusal.reply(None);
                }
                match encode(&message) {
                    Ok(text) => self.forward(parts, text, of, None).await,
                    Err(refusal) => refusal.reply(None),
                }
            }
            Message::Faulty(answer) => reply::message(StatusCode::BAD_REQUEST, &answer),
            Message::Blank if is_empty => {
                Refusal::invalid(StatusCode::BAD_REQUEST, "the body is empty: send a message")
                    .reply(None)
            }
            // A notification that cannot be read means nothing.
            Message::Blank => reply::empty(StatusCode::ACCEPTED),
        }
    }

    /// Refuses a request that its principal may not make. Opens it in its session, if it has one.
    async fn open(
        &self,
        parts: &Parts,
        id: &RequestId,
        message: &ClientJsonRpcMessage,
        of: &Principal,
    ) -> Result<Option<Open>, Refusal> {
        let call = called(message);
        if let Some((name, arguments)) = &call {
            let needed = self.handlers.needed(name, arguments);
            if !of.may(needed) {
                return Err(insufficient(&self.access, name, needed));
            }
        }
        match session(parts) {
            Some(name) if !begins(message) => {
                self.sessions.open(name, of.owner(), id, call.is_some()).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    async fn request(
        self: &Arc<Self>,
        mut parts: Parts,
        id: RequestId,
        message: ClientJsonRpcMessage,
        of: Principal,
        held: Held,
    ) -> Reply {
        let text = match encode(&message) {
            Ok(text) => text,
            Err(refusal) => return refusal.reply(Some(id)),
        };
        if let Some((_, arguments)) = called(&message) {
            parts.extensions.insert(RawArguments(arguments));
        }
        parts.extensions.insert(held);
        let served = (!listens(&message)).then(|| self.served.token());
        let mut reply = if begins(&message) {
            self.begin(parts, text, of, id.clone()).await
        } else {
            self.forward(parts, text, of, Some(id.clone())).await
        };
        reply = echo::with_id(reply, &id);
        match served {
            Some(served) => reply.map(|body| holding(body, served)),
            None => reply,
        }
    }

    /// Begins a session of the older protocol versions. It is known even if the client leaves
    /// meanwhile.
    async fn begin(
        self: &Arc<Self>,
        mut parts: Parts,
        text: Bytes,
        of: Principal,
        id: RequestId,
    ) -> Reply {
        parts.headers.remove(SESSION);
        let beginning = match self.sessions.begin(of.owner()).await {
            Ok(beginning) => beginning,
            Err(refusal) => return refusal.reply(Some(id)),
        };
        let gate = Arc::clone(self);
        let begun = tokio::spawn(async move {
            let reply = gate.forward(parts, text, of, Some(id)).await;
            let name = reply.headers().get(SESSION).and_then(|name| name.to_str().ok());
            if let Some(name) = name {
                beginning.done(name);
            }
            reply
        });
        begun.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a session could not begin");
            Refusal::internal().reply(None)
        })
    }

    fn ensure_session(&self, parts: &Parts, of: &Principal) -> Result<(), Refusal> {
        session(parts).map_or(Ok(()), |name| self.sessions.ensure(name, of.owner()))
    }

    /// Has rmcp serve a request.
    async fn forward(
        &self,
        mut parts: Parts,
        text: Bytes,
        of: Principal,
        id: Option<RequestId>,
    ) -> Reply {
        if is_stateless(&parts.headers) {
            // Such a request has no session, whatever it says.
            parts.headers.remove(SESSION);
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        parts.headers.remove(header::TRANSFER_ENCODING);
        // Nobody behind the gate needs the token.
        parts.headers.remove(header::AUTHORIZATION);
        parts.extensions.insert(of);
        let (is_end, name) = (parts.method == Method::DELETE, session(&parts).map(str::to_owned));
        let request = Request::from_parts(parts, Full::new(text));
        let reply = self.service.handle(request).await;
        match name {
            Some(name) if reply.status() == StatusCode::NOT_FOUND => unknown(&name).reply(id),
            Some(name) if is_end && reply.status().is_success() => {
                self.sessions.end(&name);
                reply
            }
            _ => mend(reply, id).await,
        }
    }
}

/// Refuses a request, with the id that its body has.
async fn refuse(refusal: Refusal, parts: &Parts, body: Incoming) -> Reply {
    let id = if parts.method == Method::POST { body::id_of(body).await } else { None };
    refusal.reply(id)
}

fn insufficient(access: &Access, name: &str, needed: Scope) -> Refusal {
    let shown: String = name.chars().take(100).collect();
    let message = format!(
        "a call of `{shown}` needs the scope `{needed}`: ask the operator of the server for a token \
         that has it"
    );
    let challenge = access.challenge(Some(needed), Some(BearerError::InsufficientScope));
    Refusal::denied(StatusCode::FORBIDDEN, message).challenge(&challenge)
}

/// The session of a request of the older protocol versions.
fn session(parts: &Parts) -> Option<&str> {
    if is_stateless(&parts.headers) {
        return None;
    }
    // A value that is no text names no session.
    Some(parts.headers.get(SESSION)?.to_str().unwrap_or_default())
}

fn is_stateless(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version == ProtocolVersion::V_2026_07_28.as_str())
}

/// Whether a request of the stateless protocol asks for a session, which only the older ones have.
fn is_gone(headers: &HeaderMap) -> bool {
    is_stateless(headers) && headers.get(METHOD).is_some_and(|method| method == "initialize")
}

fn gone() -> Refusal {
    let message = "there is no method `initialize` in 2026-07-28: send requests without a session";
    let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
    Refusal::new(StatusCode::NOT_FOUND, error)
}

/// The tool that a message calls, and the arguments.
fn called(message: &ClientJsonRpcMessage) -> Option<(String, Arc<str>)> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::CallToolRequest(call) = &request.request else { return None };
    let arguments = call.extensions().get::<RawArguments>();
    let arguments = arguments.map_or_else(|| "{}".into(), |it| Arc::clone(&it.0));
    Some((call.params.name.to_string(), arguments))
}

/// Whether a message begins a session.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(it)
        if matches!(it.request, ClientRequest::InitializeRequest(_)))
}

/// Whether a message only listens, without end.
fn listens(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(it)
        if it.request.method() == "subscriptions/listen")
}

fn encode(message: &ClientJsonRpcMessage) -> Result<Bytes, Refusal> {
    serde_json::to_vec(message).map(Bytes::from).map_err(|error| {
        tracing::error!(%error, "a message could not be written down");
        Refusal::internal()
    })
}

/// Makes an error of rmcp a JSON-RPC error with the id of its request.
async fn mend(reply: Reply, id: Option<RequestId>) -> Reply {
    if !reply.status().is_client_error() && !reply.status().is_server_error() {
        return reply;
    }
    let (mut parts, body) = reply.into_parts();
    let text = http_body_util::Limited::new(body, MOST_ERROR).collect().await;
    let text = text.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let is_json = parts.headers.get(header::CONTENT_TYPE) == Some(&reply::JSON);
    let mended = match serde_json::from_slice::<ServerJsonRpcMessage>(&text) {
        Ok(JsonRpcMessage::Error(mut error)) if is_json => {
            error.id = error.id.or(id);
            reply::message(parts.status, &JsonRpcMessage::Error(error))
        }
        _ => {
            let told = String::from_utf8_lossy(&text);
            let told: String = told.chars().take(400).collect();
            Refusal::invalid(parts.status, told).reply(id)
        }
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    let (new, body) = mended.into_parts();
    parts.headers.extend(new.headers);
    Reply::from_parts(parts, body)
}

/// The answer to a browser that asks what a page may send.
fn preflight() -> Reply {
    let mut reply = reply::empty(StatusCode::NO_CONTENT);
    let headers = reply.headers_mut();
    let methods = HeaderValue::from_static("GET, POST, DELETE");
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    let names = "authorization, content-type, accept, last-event-id, mcp-session-id, \
        mcp-protocol-version, mcp-method, mcp-name";
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(names));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    reply
}

/// Lets a page read a reply.
fn share(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
    let names = HeaderValue::from_static("mcp-session-id, www-authenticate, retry-after");
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, names);
}
