//! A server that is reached by HTTP. Each request has an answer, whatever the server sends: what is no
//! answer becomes an error. A session that the server has forgotten is told at once.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt as _};
use pif_domain::text;
use reqwest::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::bearer::Bearer;
use super::names::unmarked;
use super::questions::{Question, Questions};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";

/// Codes by which servers say that they do not know a session, though a request is right: that of most
/// of them, and that of a request that is none.
const FORGOTTEN: [i32; 2] = [-32_001, -32_600];

type Refusal = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// A client of one server.
#[derive(Debug, Clone)]
pub(super) struct Web {
    client: Client,
    questions: Questions,
    /// How long the server may keep silent about the newer era; None: as long as it takes.
    patience: Option<Duration>,
    /// The server has forgotten the session.
    expired: CancellationToken,
    bearer: Bearer,
}

/// A request that waits for its answer.
struct PendingRequest {
    id: RequestId,
    question: Question,
    has_session: bool,
}

impl Web {
    pub(super) fn new(
        questions: Questions,
        patience: Option<Duration>,
        expired: CancellationToken,
        bearer: Bearer,
    ) -> Result<Self, reqwest::Error> {
        // A connection that was left half read would delay the next request.
        let builder = Client::builder().pool_max_idle_per_host(0).redirect(redirects());
        Ok(Self { client: builder.build()?, questions, patience, expired, bearer })
    }

    /// What the server answers to a request.
    async fn answer(
        &self,
        waiting: &PendingRequest,
        response: Response,
        limits: &StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Refusal> {
        let id = &waiting.id;
        let status = response.status();
        let session = text_of(response.headers(), &SESSION);
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            let message = format!("there is none, only the status {}", status.as_u16());
            return self.close(id, &message);
        }
        if let Some(coding) = text_of(response.headers(), &CONTENT_ENCODING) {
            let coding = text::quote_one(&coding);
            return self.close(id, &format!("the server compresses it by {coding}"));
        }
        let kind = text_of(response.headers(), &CONTENT_TYPE);
        if !status.is_success() {
            return self.refusal(waiting, response, limits).await;
        }
        let most = limits.max_json_response_size;
        if !kind.as_deref().is_some_and(|kind| is_kind(kind, STREAM)) {
            let body = bounded(response.bytes_stream(), most).await?;
            return match self.questions.read_answer(id, &body) {
                Some(answer) => Ok(self.json(waiting, answer, session)),
                None if kind.as_deref().is_some_and(|kind| is_kind(kind, JSON)) => {
                    self.close(id, &format!("it is no answer: {}", beginning(&body)))
                }
                None => Err(StreamableHttpError::UnexpectedContentType(kind)),
            };
        }
        // Some servers send bare JSON as a stream.
        let mut stream = response.bytes_stream().boxed();
        let first = stream.next().await.transpose()?.unwrap_or_default();
        let whole = stream::iter([Ok(first.clone())]).chain(stream);
        if first.trim_ascii_start().starts_with(b"{") {
            let body = bounded(whole, most).await?;
            return match self.questions.read_answer(id, &body) {
                Some(answer) => Ok(self.json(waiting, answer, session)),
                None => self.close(id, &format!("it is no answer: {}", beginning(&body))),
            };
        }
        let events = SseStream::from_bytes_stream(limited(whole, limits.max_sse_event_size));
        let events = self.events(events.boxed(), Some(id.clone()));
        Ok(StreamableHttpPostResponse::Sse(events, session))
    }

    /// What a server says that does not do what it was asked for.
    async fn refusal(
        &self,
        waiting: &PendingRequest,
        response: Response,
        limits: &StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Refusal> {
        let status = response.status();
        let refused =
            HttpStatusError::new(status.as_u16(), text_of(response.headers(), &RETRY_AFTER));
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            let challenge = text_of(response.headers(), &WWW_AUTHENTICATE).unwrap_or_default();
            // A session of others is no right of ours.
            self.expire(waiting);
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        if matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE) && waiting.has_session {
            self.expire(waiting);
            return Err(StreamableHttpError::SessionExpired);
        }
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(refused.into());
        }
        let body = bounded(response.bytes_stream(), limits.max_json_response_size).await?;
        match self.questions.read_answer(&waiting.id, &body) {
            Some(answer) => {
                if status.is_client_error() && !names(&body, &waiting.id) {
                    self.expire(waiting);
                }
                Ok(self.json(waiting, answer, None))
            }
            // A server of the older era may refuse so what it does not know.
            None if waiting.question == Question::Discover => self.close(&waiting.id, ""),
            None => {
                if status.is_client_error() {
                    self.expire(waiting);
                }
                Err(refused.into())
            }
        }
    }

    fn json(
        &self,
        waiting: &PendingRequest,
        answer: ServerJsonRpcMessage,
        session: Option<String>,
    ) -> StreamableHttpPostResponse {
        if let ServerJsonRpcMessage::Error(error) = &answer
            && FORGOTTEN.contains(&error.error.code.0)
        {
            self.expire(waiting);
        }
        StreamableHttpPostResponse::Json(answer, session)
    }

    /// Begins anew with the next request.
    fn expire(&self, waiting: &PendingRequest) {
        if waiting.has_session {
            self.expired.cancel();
        }
    }

    fn close(&self, id: &RequestId, why: &str) -> Result<StreamableHttpPostResponse, Refusal> {
        let answer = self.questions.close(id, why);
        let answer = answer.ok_or(StreamableHttpError::UnexpectedEndOfStream)?;
        Ok(StreamableHttpPostResponse::Json(answer, None))
    }

    /// The messages of a stream, read as those of pipes are. What is sent to answer one request answers
    /// it, whatever id it has.
    fn events(&self, events: Events, own: Option<RequestId>) -> Events {
        let questions = self.questions.clone();
        let read = move |event: Result<Sse, SseError>| {
            let event = match event {
                Ok(event) => event,
                Err(error) => return vec![Err(error)],
            };
            let data = event.data.as_deref().unwrap_or_default();
            let mut messages = questions.read(data.as_bytes());
            if messages.is_empty() {
                let own = own.as_ref();
                messages.extend(own.and_then(|id| questions.read_answer(id, data.as_bytes())));
            }
            let texts = messages.iter().filter_map(|it| serde_json::to_string(it).ok());
            let mut told: Vec<_> =
                texts.map(|text| Ok(Sse { data: Some(text), ..event.clone() })).collect();
            if told.is_empty() {
                told.push(Ok(Sse { data: None, ..event }));
            }
            told
        };
        events.flat_map(move |event| stream::iter(read(event))).boxed()
    }
}

impl StreamableHttpClient for Web {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Refusal> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, auth, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Refusal> {
        let has_session = session.is_some();
        let asked = self.questions.note(&message);
        let mut request = self.client.post(uri.as_ref());
        request = request.header(ACCEPT, format!("{STREAM}, {JSON}"));
        for (name, value) in headers.into_iter().chain(header_of(session.as_deref())) {
            request = request.header(name, value);
        }
        let body = unmarked(serde_json::to_vec(&message)?);
        let sent = self.bearer.send(request.header(CONTENT_TYPE, JSON).body(body));
        let Some((id, question)) = asked else {
            // Nothing hangs on what is answered to a notification.
            let status = sent.await?.status();
            if has_session && matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE) {
                self.expired.cancel();
            }
            return match status {
                status if status.is_server_error() => {
                    Err(HttpStatusError::new(status.as_u16(), None).into())
                }
                _ => Ok(StreamableHttpPostResponse::Accepted),
            };
        };
        let waiting = PendingRequest { id, question, has_session };
        let patience = self.patience.filter(|_| question == Question::Discover);
        let response = match patience {
            None => sent.await?,
            Some(patience) => match timeout(patience, sent).await {
                Ok(response) => response?,
                Err(_) => return self.close(&waiting.id, ""),
            },
        };
        self.answer(&waiting, response, &limits).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Refusal> {
        if self.expired.is_cancelled() {
            return Ok(());
        }
        let auth = self.bearer.token().await;
        self.client.delete_session(uri, session, auth, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Refusal> {
        let most = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last, auth, headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<Events, Refusal> {
        let auth = self.bearer.token().await;
        let events = self
            .client
            .get_stream_with_max_sse_event_size(uri, session, last, auth, headers, most)
            .await?;
        Ok(self.events(events, None))
    }
}

/// A request goes to another place of the same server only, and keeps its body.
fn redirects() -> reqwest::redirect::Policy {
    reqwest::redirect::Policy::custom(|attempt| {
        let keeps = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT]
            .contains(&attempt.status());
        let first = attempt.previous().first();
        let is_same = first.is_some_and(|first| first.origin() == attempt.url().origin());
        if keeps && is_same && attempt.previous().len() <= 10 {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

fn header_of(session: Option<&str>) -> Option<(HeaderName, HeaderValue)> {
    Some((SESSION, HeaderValue::from_str(session?).ok()?))
}

fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn is_kind(told: &str, kind: &str) -> bool {
    told.split(';').next().is_some_and(|told| told.trim().eq_ignore_ascii_case(kind))
}

/// Whether a refusal names the request that it is for.
fn names(body: &[u8], id: &RequestId) -> bool {
    #[derive(serde::Deserialize)]
    struct ErrorBody {
        id: Option<RequestId>,
    }
    serde_json::from_slice::<ErrorBody>(body)
        .is_ok_and(|it| it.id.is_some_and(|told| told.to_string() == id.to_string()))
}

fn beginning(body: &[u8]) -> String {
    text::quote_one(&String::from_utf8_lossy(body.get(..80).unwrap_or(body)))
}

/// A body of a bounded length.
async fn bounded(
    stream: impl Stream<Item = Result<Bytes, reqwest::Error>>,
    most: usize,
) -> Result<Vec<u8>, Refusal> {
    let mut stream = std::pin::pin!(stream);
    let mut body = Vec::new();
    while let Some(part) = stream.next().await.transpose()? {
        body.extend_from_slice(&part);
        if body.len() > most {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: most });
        }
    }
    Ok(body)
}

/// A stream whose events have a bounded length. An event ends with an empty line.
fn limited(
    stream: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static,
    most: usize,
) -> BoxStream<'static, io::Result<Bytes>> {
    let mut length = 0_usize;
    let mut is_start = true;
    let limited = stream.map(move |part| {
        let part = part.map_err(io::Error::other)?;
        for byte in &part {
            match byte {
                b'\r' => {}
                b'\n' if is_start => length = 0,
                b'\n' => is_start = true,
                _ => (is_start, length) = (false, length + 1),
            }
            if length > most {
                return Err(io::Error::other(format!("an event has more than {most} bytes")));
            }
        }
        Ok(part)
    });
    limited.boxed()
}
