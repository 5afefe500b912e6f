//! The collector: requests of OTLP in JSON over HTTP, and what it says to them.

use std::error::Error as _;
use std::time::Duration;

use anyhow::{Result, bail};
use pif_domain::net::Authority;
use pif_domain::text;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::sleep;

use crate::source::read_file_within;

/// How long a request may take.
const LONGEST: Duration = Duration::from_secs(10);

/// How often a request is sent that a busy collector puts off, and the longest pause between.
const TRIES: usize = 5;
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Bytes of an answer that are read.
const MOST_ANSWER: usize = 64 << 10;

/// Bytes of a file with the value of a header.
const LONGEST_VALUE: u64 = 16 << 10;

/// Characters of what a collector says.
const LONGEST_REASON: usize = 200;

/// Reads the address of a collector.
pub(super) fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let is_local = Authority::parse(url.authority()).is_some_and(Authority::is_loopback);
    match url.scheme() {
        _ if !url.username().is_empty() || url.password().is_some() => {
            Err("an address has no user in it: put the token into --header".to_owned())
        }
        "https" => Ok(url),
        "http" if is_local => Ok(url),
        "http" => Err("without `https` the collector has to be on this machine".to_owned()),
        _ => Err("write https://HOST:PORT/v1/traces".to_owned()),
    }
}

/// A header, and where its value stands.
#[derive(Debug, Clone)]
pub(super) struct Header {
    name: HeaderName,
    value: String,
}

impl Header {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once(':').ok_or("write `NAME: VALUE` or `NAME: @FILE`")?;
        let name: HeaderName = name.trim().parse().map_err(|_| "the name is none of a header")?;
        Ok(Self { name, value: value.trim().to_owned() })
    }

    fn read(&self) -> Result<HeaderValue> {
        let text = match self.value.strip_prefix('@') {
            Some(file) => read_file_within(file, LONGEST_VALUE)?,
            None => self.value.clone(),
        };
        let Ok(mut value) = HeaderValue::try_from(text.trim()) else {
            bail!("the header `{}` has an invalid value", self.name);
        };
        value.set_sensitive(true);
        Ok(value)
    }
}

/// What a collector has taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Acceptance {
    All,
    /// Not all, for this reason.
    Part(String),
    /// Nothing: it will never take this.
    Nothing(String),
}

/// Sends traces.
#[derive(Debug)]
pub(super) struct Collector {
    url: Url,
    headers: HeaderMap,
    client: Client,
}

impl Collector {
    pub(super) fn open(url: Url, named: Vec<Header>) -> Result<Self> {
        let mut headers = HeaderMap::new();
        for header in named {
            headers.insert(header.name.clone(), header.read()?);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // A second one in the process is refused, which does no harm.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .timeout(LONGEST)
            .redirect(Policy::none())
            .user_agent(concat!("mcp-pif/", env!("CARGO_PKG_VERSION")));
        if url.scheme() == "http" {
            client = client.no_proxy();
        }
        Ok(Self { url, headers, client: client.build()? })
    }

    /// Sends a request. A collector that cannot take it now is an error.
    pub(super) async fn post(&self, body: String) -> Result<Acceptance> {
        for _ in 1..TRIES {
            let response = self.send(body.clone()).await?;
            let Some(pause) = pause(&response) else { return finish(response).await };
            sleep(pause).await;
        }
        finish(self.send(body).await?).await
    }

    async fn send(&self, body: String) -> Result<Response> {
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        match request.send().await {
            Ok(response) => Ok(response),
            Err(error) => bail!("the collector cannot be reached: {}", reason(&error)),
        }
    }
}

/// How long a collector that is busy asks to wait.
fn pause(response: &Response) -> Option<Duration> {
    let is_busy = matches!(
        response.status(),
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    );
    let after = response.headers().get(RETRY_AFTER).filter(|_| is_busy)?;
    let seconds = after.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds)).filter(|pause| *pause <= LONGEST_PAUSE)
}

/// Reads an answer, if it is short.
async fn finish(mut response: Response) -> Result<Acceptance> {
    let status = response.status();
    // What is wrong with a request stays wrong; anything else may be better next time.
    if matches!(status, StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE) {
        return Ok(Acceptance::Nothing(format!("it answers {status}")));
    }
    if !status.is_success() {
        bail!("the collector answers {status}");
    }
    let mut answer = Vec::new();
    // The collector has said already that it took the request.
    while answer.len() < MOST_ANSWER
        && let Ok(Some(piece)) = response.chunk().await
    {
        answer.extend_from_slice(&piece);
    }
    Ok(rejected(&answer).map_or(Acceptance::All, Acceptance::Part))
}

/// An answer, `ExportTraceServiceResponse` of OTLP in JSON.
#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "partialSuccess")]
    partial: Option<Rejection>,
}

#[derive(Deserialize)]
struct Rejection {
    /// An integer of 64 bits is a string there; some write it as a number.
    #[serde(rename = "rejectedSpans")]
    spans: Option<Value>,
    #[serde(rename = "errorMessage")]
    message: Option<String>,
}

/// What an answer tells of spans that were not taken. None: all were.
fn rejected(answer: &[u8]) -> Option<String> {
    let answer: Answer = serde_json::from_slice(answer).ok()?;
    let Rejection { spans, message } = answer.partial?;
    let spans = match spans? {
        Value::String(digits) => digits,
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let told = message.filter(|message| !message.is_empty());
    let told = told.map(|it| format!(": {}", text::line(&it, LONGEST_REASON)));
    (spans != "0")
        .then(|| format!("it rejects {} spans{}", text::line(&spans, 20), told.unwrap_or_default()))
}

/// Why a request failed, without its address.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it does not answer in time".to_owned();
    }
    let mut first = error.source();
    while let Some(source) = first.and_then(std::error::Error::source) {
        first = Some(source);
    }
    first.map_or_else(|| "the request failed".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_collectors_that_nobody_overhears_are_taken() {
        let is_taken = |text: &str| address(text).is_ok();
        assert!(is_taken("https://collector.test:4318/v1/traces"));
        assert!(is_taken("http://localhost:4318/v1/traces") && is_taken("http://127.0.0.1:1"));
        for text in ["http://collector.test", "ftp://a", "collector", "https://a:b@c"] {
            assert!(!is_taken(text), "{text}");
        }
    }

    #[test]
    fn a_part_that_is_not_taken_is_told() {
        let read = |answer: &str| rejected(answer.as_bytes());
        let some = r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}"#;
        assert_eq!(read(some).as_deref(), Some("it rejects 3 spans: no"));
        let number = r#"{"partialSuccess":{"rejectedSpans":2}}"#;
        assert_eq!(read(number).as_deref(), Some("it rejects 2 spans"));
        for whole in ["", "{}", "no JSON", r#"{"partialSuccess":{}}"#, r#"{"partialSuccess":null}"#]
        {
            assert_eq!(read(whole), None, "{whole}");
        }
        let warned = r#"{"partialSuccess":{"rejectedSpans":"0","errorMessage":"soon full"}}"#;
        assert_eq!(read(warned), None);
    }
}
