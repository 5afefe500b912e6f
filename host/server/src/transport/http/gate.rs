//! The gate: what every request passes, in this order: its host, its origin, its token, its method,
//! its size, its depth, its shape, its scope and its session. Then rmcp serves it, without the
//! arguments of a call, which stay text as they were sent.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::request::Parts;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use pif_domain::{Principal, Scope};
use rmcp::model::{ClientJsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::TaskTracker;

use super::accept;
use super::access::{Access, Pass};
use super::allowed_hosts::AllowedHosts;
use super::asked::{
    SESSION, begins, called, gone, is_gone, is_stateless, listens, method, session,
};
use super::body::{self, BodyBudget, Whole, holding, until};
use super::handlers::{Handlers, Way};
use super::manager::Manager;
use super::mend::mend;
use super::pages;
use super::place::{Place, Places};
use super::probe::Probe;
use super::reply::{self, Refusal, Reply};
use super::sessions::{OpenRequest, Sessions, unknown};
use crate::oauth::BearerError;
use crate::transport::input::Line;
use crate::transport::message::{Bounds, Message, read};

/// What stays as long as a request is served.
#[derive(Debug, Clone, Default)]
struct RequestResources {
    _open: Option<Arc<OpenRequest>>,
    _room: Option<Arc<OwnedSemaphorePermit>>,
}

/// Marks a reply that goes on until one side ends it.
#[derive(Debug, Clone, Copy)]
struct Endless;

/// The gate in front of the handlers.
pub(super) struct Gate<H: Handlers> {
    pub(super) handlers: Arc<H>,
    pub(super) service: StreamableHttpService<H::Handler, Manager>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) allowed: AllowedHosts,
    pub(super) places: Places,
    pub(super) access: Arc<Access>,
    pub(super) bounds: Bounds,
    pub(super) body: body::Bounds,
    pub(super) budget: BodyBudget,
    pub(super) probe: Probe,
    /// The requests that are being served, without those that only listen.
    pub(super) served: TaskTracker,
}

impl<H: Handlers> Gate<H> {
    /// Answers a request. A panic becomes an error.
    pub(super) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        address: Option<IpAddr>,
    ) -> Reply {
        let served = AssertUnwindSafe(self.pass(request, address)).catch_unwind().await;
        let reply = served.unwrap_or_else(|_| {
            tracing::error!("a request panicked");
            Refusal::internal().reply(None)
        });
        self.handlers.answered(reply.status().as_u16());
        reply
    }

    /// What tells nothing is for everybody: a probe cannot know the names that the server has.
    async fn pass(self: &Arc<Self>, request: Request<Incoming>, address: Option<IpAddr>) -> Reply {
        let (parts, body) = request.into_parts();
        if let Some(document) = self.access.document(parts.uri.path()) {
            return pages::public(&parts.method, &parts.headers, document);
        }
        let place = self.places.find(parts.uri.path());
        match place {
            Place::Alive => return self.probe.living(),
            Place::Ready => return self.probe.reply(&self.handlers).await,
            // A token is worth more than a name.
            Place::Figures if !self.access.is_open() => return self.metrics(&parts, address),
            Place::Figures | Place::Protocol | Place::Nothing => {}
        }
        let origin = match self
            .allowed
            .ensure_host(&parts.uri, &parts.headers)
            .and_then(|()| self.allowed.ensure_origin(&parts.headers))
        {
            Ok(origin) => origin,
            Err(refusal) => return refuse(refusal, &parts, body).await,
        };
        let mut reply = match (place, &parts.method, &origin) {
            (_, &Method::OPTIONS, Some(_)) => pages::preflight(&parts.headers),
            (Place::Figures, ..) => self.metrics(&parts, address),
            (Place::Protocol, ..) => self.serve(parts, body, address).await,
            _ => refuse(self.places.nothing(parts.uri.path()), &parts, body).await,
        };
        if let Some(origin) = origin {
            pages::share(reply.headers_mut(), origin);
        }
        reply
    }

    /// The figures for Prometheus. A proxy on this machine may serve others, so no place gives a right.
    fn metrics(&self, parts: &Parts, address: Option<IpAddr>) -> Reply {
        if let Err(refusal) = self.access.pass(&parts.headers, address) {
            return refusal.reply(None);
        }
        let (kind, text) = self.handlers.metrics();
        reply::with_type(StatusCode::OK, HeaderValue::from_static(kind), text)
    }

    /// Serves a request as long as its token lasts.
    async fn serve(
        self: &Arc<Self>,
        mut parts: Parts,
        body: Incoming,
        address: Option<IpAddr>,
    ) -> Reply {
        let pass = match self.access.pass(&parts.headers, address) {
            Ok(pass) => pass,
            Err(refusal) => return refuse(refusal, &parts, body).await,
        };
        parts.extensions.insert(Way(if address.is_some() { "tcp" } else { "unix" }));
        accept::plain(&mut parts.headers);
        if !pass.has_token() {
            return self.route(parts, body, pass.principal).await;
        }
        let lapse = |pass: Pass, expires| Arc::clone(&self.access).lapse(pass, expires);
        let reply = tokio::select! {
            reply = self.route(parts, body, pass.principal.clone()) => reply,
            () = lapse(pass.clone(), false) => return self.access.invalid().reply(None),
        };
        // A call that was allowed may be answered. What has no end ends with its token.
        let is_endless = reply.extensions().get::<Endless>().is_some();
        match is_endless || reply::is_stream(&reply) {
            true => {
                let end = lapse(pass, is_endless);
                reply.map(|body| until(body, end))
            }
            false => reply,
        }
    }

    async fn route(self: &Arc<Self>, parts: Parts, body: Incoming, of: Principal) -> Reply {
        match parts.method {
            Method::POST if is_gone(&parts.headers) => refuse(gone(), &parts, body).await,
            Method::POST => self.post(parts, body, of).await,
            Method::GET => self.listen(parts, of).await.unwrap_or_else(|it| it.reply(None)),
            Method::DELETE => self.end(parts, of).await.unwrap_or_else(|it| it.reply(None)),
            _ => {
                let message = format!("`{}` means nothing here: send POST", parts.method);
                not_allowed(message, "GET, POST, DELETE").reply(None)
            }
        }
    }

    /// Opens the stream of a session.
    async fn listen(self: &Arc<Self>, parts: Parts, of: Principal) -> Result<Reply, Refusal> {
        if is_stateless(&parts.headers) {
            return Ok(self.forward(parts, Bytes::new(), of, None).await);
        }
        let Some(name) = session(&parts).map(str::to_owned) else {
            let message = "there is no stream without a session: begin one with `initialize`";
            return Err(not_allowed(message.to_owned(), "POST"));
        };
        self.sessions.ensure(&name, of.owner())?;
        if let Some(event) = parts.headers.get("last-event-id") {
            self.sessions.ensure_event(&name, event.to_str().unwrap_or_default())?;
        }
        let listening = self.sessions.listen(&name);
        let mut reply = self.forward(parts, Bytes::new(), of, None).await;
        reply.extensions_mut().insert(Endless);
        Ok(reply.map(|body| holding(body, listening)))
    }

    /// Ends a session.
    async fn end(self: &Arc<Self>, parts: Parts, of: Principal) -> Result<Reply, Refusal> {
        let Some(name) = session(&parts) else {
            return Ok(self.forward(parts, Bytes::new(), of, None).await);
        };
        self.sessions.ensure(name, of.owner())?;
        self.sessions.close(name).await;
        Ok(reply::empty(StatusCode::NO_CONTENT))
    }

    async fn post(self: &Arc<Self>, parts: Parts, body: Incoming, of: Principal) -> Reply {
        let expects = body::expects(&parts.headers);
        let whole = body::read(body, self.body, &self.budget, expects).await;
        let Whole { bytes, room } = match whole {
            Ok(whole) => whole,
            Err(refusal) => return refusal.reply(None),
        };
        let is_empty = bytes.trim_ascii().is_empty();
        match read(&Line::Whole(bytes), self.bounds) {
            Message::Request(id, message) => {
                let room = room.map(Arc::new);
                match self.open(&parts, &id, &message, &of).await {
                    Ok(open) => {
                        let held = RequestResources { _open: open.map(Arc::new), _room: room };
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
    ) -> Result<Option<OpenRequest>, Refusal> {
        self.handlers.asked(method(message).unwrap_or("other"));
        self.probe.ensure_open()?;
        let call = called(message);
        if let Some((name, arguments)) = &call {
            let needed = self.handlers.needed(name, &arguments.0);
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
        held: RequestResources,
    ) -> Reply {
        let text = match encode(&message) {
            Ok(text) => text,
            Err(refusal) => return refusal.reply(Some(id)),
        };
        if let Some((_, arguments)) = called(&message) {
            parts.extensions.insert(arguments);
        }
        parts.extensions.insert(held);
        let served = (!listens(&message)).then(|| self.served.token());
        let mut reply = if begins(&message) {
            self.begin(parts, text, of, id).await
        } else {
            self.forward(parts, text, of, Some(id)).await
        };
        if let Some(served) = served {
            return reply.map(|body| holding(body, served));
        }
        reply.extensions_mut().insert(Endless);
        reply
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
        let name = session(&parts).map(str::to_owned);
        let request = Request::from_parts(parts, Full::new(text));
        let reply = self.service.handle(request).await;
        match name {
            Some(name) if reply.status() == StatusCode::NOT_FOUND => {
                self.sessions.forget(&name);
                unknown(&name).reply(id)
            }
            _ => mend(reply, id).await,
        }
    }
}

/// Refuses a request whose body was not read.
async fn refuse(refusal: Refusal, parts: &Parts, body: Incoming) -> Reply {
    if !body::expects(&parts.headers) {
        body::discard(body).await;
    }
    refusal.reply(None)
}

fn not_allowed(message: String, allowed: &'static str) -> Refusal {
    Refusal::invalid(StatusCode::METHOD_NOT_ALLOWED, message)
        .with(header::ALLOW, HeaderValue::from_static(allowed))
}

fn insufficient(access: &Access, name: &str, needed: Scope) -> Refusal {
    let shown: String = name.chars().take(100).collect();
    let message = format!(
        "a call of `{shown}` needs the scope `{needed}`: ask the operator of the server for a token \
         that has it"
    );
    let challenge = access.challenge(needed, Some(BearerError::InsufficientScope));
    Refusal::denied(StatusCode::FORBIDDEN, message).challenge(&challenge)
}

fn encode(message: &ClientJsonRpcMessage) -> Result<Bytes, Refusal> {
    serde_json::to_vec(message).map(Bytes::from).map_err(|error| {
        tracing::error!(%error, "a message could not be written down");
        Refusal::internal()
    })
}
