//! Requests of HTTP, over TCP, TLS or a Unix socket. The answer is JSON or a stream of events.

use std::time::Duration;

use anyhow::{Result, bail};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};

use super::connection::unreached;
use super::events::Events;
use super::reply::Reply;
use super::target::Target;

/// The most bytes of an answer.
const LARGEST: usize = 64 << 20;
/// The longest time until a connection is made, or a session is ended.
const PATIENCE: Duration = Duration::from_secs(10);
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The way to a server.
#[derive(Debug)]
pub(super) struct Wire {
    client: Client,
    pub(super) target: Target,
    token: Option<HeaderValue>,
}

/// The answer to a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) reply: Reply,
}

impl Wire {
    pub(super) fn new(target: Target, token: Option<String>, timeout: Duration) -> Result<Self> {
        // A second one in the process is refused, which does no harm.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .connect_timeout(PATIENCE)
            .timeout(timeout)
            .redirect(Policy::none())
            .user_agent(concat!("mcp-pif/", env!("CARGO_PKG_VERSION")));
        if target.is_local() {
            client = client.no_proxy();
        }
        if let Some(path) = target.socket() {
            client = client.unix_socket(path);
        }
        let token = token.map(|token| -> Result<HeaderValue> {
            let mut value = HeaderValue::try_from(format!("Bearer {token}"))?;
            value.set_sensitive(true);
            Ok(value)
        });
        Ok(Self { client: client.build()?, target, token: token.transpose()? })
    }

    /// Whether requests carry a token.
    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Sends a message, and waits for the answer to the request with this id.
    pub(super) async fn post(
        &self,
        headers: &[(HeaderName, HeaderValue)],
        body: String,
        id: u32,
    ) -> Result<Answer> {
        let headers = self.headers(headers);
        let request = self.client.post(self.target.url().clone()).headers(headers).body(body);
        let sent = request.send().await.map_err(|error| unreached(&self.target, &error))?;
        let (status, headers) = (sent.status(), sent.headers().clone());
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let reply = match kind.unwrap_or_default().split(';').next().unwrap_or_default().trim() {
            "text/event-stream" => self.follow(sent, id).await?,
            _ => self.read(sent, id).await?,
        };
        Ok(Answer { status, headers, reply })
    }

    /// Ends a session. If it fails, the server forgets the session later.
    pub(super) async fn delete(&self, headers: &[(HeaderName, HeaderValue)]) {
        let request = self.client.delete(self.target.url().clone());
        let _ = request.headers(self.headers(headers)).timeout(PATIENCE).send().await;
    }

    fn headers(&self, own: &[(HeaderName, HeaderValue)]) -> HeaderMap {
        let token = self.token.iter().map(|token| (AUTHORIZATION, token.clone()));
        let both = [(ACCEPT, BOTH), (CONTENT_TYPE, JSON)];
        both.into_iter().chain(token).chain(own.iter().cloned()).collect()
    }

    /// Reads the answer from a body.
    async fn read(&self, mut sent: Response, id: u32) -> Result<Reply> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece(&mut sent).await? {
            body.extend_from_slice(&piece);
            ensure_small(body.len())?;
        }
        let body = String::from_utf8_lossy(&body);
        Ok(Reply::read(&body, id).unwrap_or_else(|| Reply::Strange(body.into_owned())))
    }

    /// Reads the answer from a stream, behind the messages in front of it.
    async fn follow(&self, mut sent: Response, id: u32) -> Result<Reply> {
        let mut events = Events::default();
        while let Some(piece) = self.piece(&mut sent).await? {
            for data in events.push(&piece) {
                let message = String::from_utf8_lossy(&data);
                if let Some(reply) = Reply::read(&message, id) {
                    return Ok(reply);
                }
            }
            ensure_small(events.waiting())?;
        }
        bail!("{}: the connection ended before the answer: look into its log", self.target)
    }

    async fn piece(&self, sent: &mut Response) -> Result<Option<bytes::Bytes>> {
        sent.chunk().await.map_err(|error| unreached(&self.target, &error))
    }
}

fn ensure_small(length: usize) -> Result<()> {
    if length > LARGEST {
        bail!("the answer has more than 64 MiB: ask for less");
    }
    Ok(())
}
