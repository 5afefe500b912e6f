//! An endpoint of a model over HTTP: a request of JSON, and an answer of at most so many bytes.

use std::sync::OnceLock;
use std::time::Duration;

use pif_domain::Reason;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};

use super::config::{self, Error, Secrets, fill};
use super::retry_after::retry_after;

/// The endpoint.
#[derive(Debug)]
pub(super) struct Endpoint {
    url: Url,
    headers: HeaderMap,
    /// The name of the model.
    pub(super) model: String,
    /// Made for the first request. None: it cannot be made.
    client: OnceLock<Option<Client>>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) struct Trouble {
    /// As data.
    pub(super) reason: Reason,
    /// In words that begin with `it`, or tell of its answer.
    pub(super) message: String,
    /// How long the endpoint wants to be left alone.
    pub(super) after: Option<Duration>,
}

impl Trouble {
    pub(super) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), after: None }
    }
}

impl Endpoint {
    /// Asks this endpoint. `at` is its place in the configuration; `path` is where it is below an address
    /// that does not name it, a version first.
    pub(super) fn open(
        told: &config::Endpoint,
        secrets: &Secrets,
        (at, path): (&str, &[&str]),
    ) -> Result<Self, Error> {
        let url = Url::parse(&fill(&told.url, secrets));
        let mut url = url.map_err(|error| Error::new(format!("{at}/url: {error}")))?;
        let end = path.get(1..).unwrap_or_default().join("/");
        if !url.path().trim_end_matches('/').ends_with(&format!("/{end}"))
            && let Ok(mut segments) = url.path_segments_mut()
        {
            segments.pop_if_empty();
            let has_version = path
                .first()
                .is_some_and(|it| told.url.written().trim_end_matches('/').ends_with(it));
            segments.extend(path.iter().skip(usize::from(has_version)));
        }
        let mut headers = HeaderMap::new();
        for (name, text) in &told.headers {
            let value = HeaderValue::try_from(fill(text, secrets)).ok();
            let pair = HeaderName::try_from(name).ok().zip(value);
            let (key, mut value) = pair.ok_or_else(|| {
                Error::new(format!("{at}/headers/{name}: the header has a value that cannot be"))
            })?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(Self { url, headers, model: told.model.clone(), client: OnceLock::new() })
    }

    /// Sends JSON. Gives the answer, which comes within this time and has at most so many bytes.
    pub(super) async fn post(
        &self,
        body: String,
        within: Duration,
        most: usize,
    ) -> Result<Vec<u8>, Trouble> {
        let client = self.client.get_or_init(|| build(&self.url));
        let none = || Trouble::new(Reason::Unavailable, "no connections can be made");
        let client = client.as_ref().ok_or_else(none)?;
        let request = client.post(self.url.clone()).headers(self.headers.clone());
        let sent = request.body(body).timeout(within).send().await;
        let mut response = sent.map_err(|error| reason(&error))?;
        if let Some(trouble) = refusal(&response) {
            return Err(trouble);
        }
        let mut answer = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| reason(&error))? {
            answer.extend_from_slice(&piece);
            if answer.len() > most {
                return Err(Trouble::new(Reason::TooLarge, "its answer is too long"));
            }
        }
        Ok(answer)
    }
}

/// What the status of an answer says against it.
fn refusal(response: &Response) -> Option<Trouble> {
    let status = response.status();
    let after = retry_after(response.headers());
    let (reason, message) = match status {
        StatusCode::TOO_MANY_REQUESTS => {
            let after = after.map(|it| format!("; try again in {} s", it.as_secs()));
            let after = after.unwrap_or_default();
            (Reason::RateLimited, format!("it takes no more requests now (429){after}"))
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            (Reason::Auth, format!("it refuses the key ({})", status.as_u16()))
        }
        status if !status.is_success() => (Reason::RpcError, format!("it answered {status}")),
        _ => return None,
    };
    Some(Trouble { reason, message, after })
}

fn build(url: &Url) -> Option<Client> {
    let mut client = Client::builder()
        .redirect(Policy::none())
        .user_agent(concat!("mcp-pif/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" {
        // It is on this machine.
        client = client.no_proxy();
    }
    client.build().inspect_err(|error| tracing::error!(%error, "the endpoint of a model")).ok()
}

/// Why a request failed, without its address.
fn reason(error: &reqwest::Error) -> Trouble {
    if error.is_timeout() {
        return Trouble::new(Reason::Timeout, "it did not answer in time");
    }
    if error.is_connect() {
        return Trouble::new(Reason::Unavailable, "it cannot be reached");
    }
    Trouble::new(Reason::Lost, "the connection ended before its answer did")
}
