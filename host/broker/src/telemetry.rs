//! Sends traces to a collector. Nothing waits for it: what it does not take in time is dropped and
//! counted.

use std::collections::VecDeque;
use std::error::Error as _;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use pif_domain::Limit;
use pif_domain::text;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::config::{Error, Secrets, Telemetry, fill};
use super::partial::Partial;

/// Bytes of a request that several texts make together.
const MOST_TOGETHER: usize = 1 << 20;

/// Bytes of an answer that are read, so that its connection serves again.
const MOST_ANSWER: usize = 64 << 10;

/// The longest pause that a collector may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The time between two warnings.
const BETWEEN: Duration = Duration::from_mins(1);

/// How long the last traces may take.
const PARTING: Duration = Duration::from_secs(2);

/// Characters of a reason in a warning.
const LONGEST_REASON: usize = 200;

/// Sends traces to a collector, in the runtime that it is opened in.
#[derive(Debug)]
pub(super) struct Exporter {
    shared: Arc<Shared>,
    posts: Mutex<JoinSet<()>>,
}

#[derive(Debug)]
struct Shared {
    url: Url,
    headers: HeaderMap,
    /// Made for the first request. None: it cannot be made.
    client: OnceLock<Option<Client>>,
    queue: Mutex<Queue>,
    bell: Notify,
    /// Calls whose traces are on their way.
    sending: AtomicU64,
    lost: Mutex<Lost>,
    /// Who is told of calls whose traces were dropped. It says whether it has heard.
    losses: OnceLock<Teller>,
}

/// Tells a number, and says whether it was heard.
struct Teller(Box<dyn Fn(u64) -> bool + Send + Sync>);

impl fmt::Debug for Teller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Teller")
    }
}

/// Texts that wait.
#[derive(Debug, Default)]
struct Queue {
    texts: VecDeque<String>,
    bytes: usize,
    is_closed: bool,
}

/// Calls whose traces were dropped since the last warning.
#[derive(Debug, Default)]
struct Lost {
    calls: u64,
    /// Why the first of them was.
    why: String,
    /// Of how many nobody was told yet.
    untold: u64,
    warned: Option<Instant>,
}

impl Exporter {
    /// Sends to this collector.
    pub(super) fn open(telemetry: &Telemetry, secrets: &Secrets) -> Result<Self, Error> {
        let url = Url::parse(&fill(&telemetry.otlp, secrets));
        let url = url.map_err(|error| Error::new(format!("/telemetry/otlp: {error}")))?;
        let mut headers = HeaderMap::new();
        for (name, text) in &telemetry.headers {
            let value = HeaderValue::try_from(fill(text, secrets)).ok();
            let pair = HeaderName::try_from(name).ok().zip(value);
            let (key, mut value) = pair.ok_or_else(|| {
                Error::new(format!(
                    "/telemetry/headers/{name}: the header has a value that cannot be"
                ))
            })?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let shared = Arc::new(Shared {
            url,
            headers,
            client: OnceLock::new(),
            queue: Mutex::default(),
            bell: Notify::new(),
            sending: AtomicU64::new(0),
            lost: Mutex::default(),
            losses: OnceLock::new(),
        });
        let mut posts = JoinSet::new();
        for _ in 0..Limit::TracePosts.fixed_count() {
            posts.spawn(Arc::clone(&shared).post_all());
        }
        Ok(Self { shared, posts: Mutex::new(posts) })
    }

    /// Tells of calls whose traces are dropped from now on.
    pub(super) fn tell_losses(&self, tell: impl Fn(u64) -> bool + Send + Sync + 'static) {
        // It is set once.
        let _ = self.shared.losses.set(Teller(Box::new(tell)));
    }

    /// Keeps a text until it is sent, unless too much waits.
    pub(super) fn keep(&self, text: String) {
        let kept = self.shared.queue().push(text);
        match kept {
            Ok(()) => self.shared.bell.notify_one(),
            Err(text) => self.shared.lose(count(&text), "it takes less than there is"),
        }
    }

    /// Sends what is left, for a moment, and no more.
    pub(super) async fn end(&self) {
        self.shared.queue().is_closed = true;
        self.shared.bell.notify_waiters();
        let posts = std::mem::take(&mut *self.posts.lock().unwrap_or_else(PoisonError::into_inner));
        let is_late = timeout(PARTING, posts.join_all()).await.is_err();
        let left: u64 = self.shared.queue().texts.iter().map(|text| count(text)).sum();
        let left = left.saturating_add(self.shared.sending.load(Ordering::Relaxed));
        if is_late && left > 0 {
            self.shared.lose(left, "the server has ended before");
        }
        self.shared.tell();
    }
}

impl Queue {
    /// Takes a text, or gives it back.
    fn push(&mut self, text: String) -> Result<(), String> {
        let bytes = self.bytes.saturating_add(text.len());
        let is_full = self.texts.len() >= Limit::TraceQueue.fixed_count()
            || bytes > Limit::TraceRoom.fixed_count();
        if is_full || self.is_closed {
            return Err(text);
        }
        self.bytes = bytes;
        self.texts.push_back(text);
        Ok(())
    }

    /// The first texts that go together.
    fn pop(&mut self) -> Option<Vec<String>> {
        let first = self.texts.pop_front()?;
        let mut bytes = first.len();
        let mut together = vec![first];
        let fits = |next: &mut String, bytes| next.len().saturating_add(bytes) <= MOST_TOGETHER;
        while let Some(next) = self.texts.pop_front_if(|next| fits(next, bytes)) {
            bytes += next.len();
            together.push(next);
        }
        self.bytes = self.bytes.saturating_sub(bytes);
        Some(together)
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for texts; None: no more will come.
    async fn next(&self) -> Option<Vec<String>> {
        loop {
            let rung = self.bell.notified();
            {
                let mut queue = self.queue();
                if let Some(texts) = queue.pop() {
                    return Some(texts);
                }
                if queue.is_closed {
                    return None;
                }
            }
            rung.await;
        }
    }

    async fn post_all(self: Arc<Self>) {
        while let Some(texts) = self.next().await {
            let bodies = joined(&texts).map_or(texts, |body| vec![body]);
            let calls: Vec<u64> = bodies.iter().map(|body| count(body)).collect();
            self.sending.fetch_add(calls.iter().sum(), Ordering::Relaxed);
            for (body, calls) in bodies.into_iter().zip(calls) {
                let posted = self.post(body).await;
                self.sending.fetch_sub(calls, Ordering::Relaxed);
                match posted {
                    Err(why) => self.lose(calls, &why),
                    Ok(Some(Partial { rejected, why })) => self.lose(calls.min(rejected), &why),
                    Ok(None) => {}
                }
            }
        }
    }

    /// Posts a body, and once more if the collector says when.
    async fn post(&self, body: String) -> Result<Option<Partial>, String> {
        let response = self.send(body.clone()).await?;
        let Some(pause) = pause(&response) else { return finish(response).await };
        drop(response);
        sleep(pause).await;
        finish(self.send(body).await?).await
    }

    async fn send(&self, body: String) -> Result<Response, String> {
        let client = self.client.get_or_init(|| build(&self.url));
        let client = client.as_ref().ok_or("no connections can be made")?;
        let request = client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        request.send().await.map_err(|error| reason(&error))
    }

    /// Counts traces that were dropped, and warns of them once in a while.
    fn lose(&self, calls: u64, why: &str) {
        let is_due = {
            let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
            if lost.calls == 0 {
                lost.why = text::line(why, LONGEST_REASON);
            }
            lost.calls = lost.calls.saturating_add(calls);
            lost.untold = lost.untold.saturating_add(calls);
            if self.losses.get().is_some_and(|tell| (tell.0)(lost.untold)) {
                lost.untold = 0;
            }
            lost.warned.is_none_or(|warned| warned.elapsed() >= BETWEEN)
        };
        if is_due {
            self.tell();
        }
    }

    /// Warns of what was dropped since the last time.
    fn tell(&self) {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = std::mem::take(&mut lost.calls);
        if calls > 0 {
            lost.warned = Some(Instant::now());
            let why = std::mem::take(&mut lost.why);
            tracing::warn!(calls, "the collector did not get traces: {why}");
        }
    }
}

fn build(url: &Url) -> Option<Client> {
    let time = Duration::from_nanos(Limit::TracePost.fixed());
    let mut client = Client::builder()
        .timeout(time)
        .redirect(Policy::none())
        .user_agent(concat!("mcp-pif/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" {
        // It is on this machine.
        client = client.no_proxy();
    }
    client.build().inspect_err(|error| tracing::error!(%error, "the collector")).ok()
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

/// Reads an answer to its end, if it is short. It may say that a part was not taken.
async fn finish(mut response: Response) -> Result<Option<Partial>, String> {
    let status = response.status();
    if !status.is_success() {
        return Err(format!("it answered {status}"));
    }
    let mut answer = Vec::new();
    // The collector has said already that it took the request.
    while answer.len() < MOST_ANSWER
        && let Ok(Some(piece)) = response.chunk().await
    {
        answer.extend_from_slice(&piece);
    }
    Ok(Partial::read(&answer))
}

/// Why a request failed, without its address.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it did not answer in time".to_owned();
    }
    let mut first = error.source();
    while let Some(source) = first.and_then(std::error::Error::source) {
        first = Some(source);
    }
    first.map_or_else(|| "the request failed".to_owned(), ToString::to_string)
}

/// A request as the server writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(borrow, rename = "resourceSpans")]
    calls: Vec<&'a RawValue>,
}

fn calls(text: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str::<Request<'_>>(text).ok().map(|it| it.calls)
}

/// The number of calls in a text.
fn count(text: &str) -> u64 {
    calls(text).map_or(1, |calls| u64::try_from(calls.len()).unwrap_or(u64::MAX))
}

/// Several requests as one. None: one of them is not as the server writes it.
fn joined(texts: &[String]) -> Option<String> {
    let mut all = Vec::new();
    for text in texts {
        all.extend(calls(text)?.into_iter().map(RawValue::get));
    }
    Some(format!(r#"{{"resourceSpans":[{}]}}"#, all.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(call: usize) -> String {
        format!(r#"{{"resourceSpans":[{{"n":{call}}}]}}"#)
    }

    #[test]
    fn as_many_traces_wait_as_there_is_room_for() {
        let mut queue = Queue::default();
        let most = Limit::TraceQueue.fixed_count();
        for call in 0..most {
            queue.push(text(call)).expect("there is room");
        }
        assert!(queue.push(text(0)).is_err());
        assert_eq!(queue.pop().map(|it| it.len()), Some(most));
        assert!(queue.pop().is_none() && queue.bytes == 0);
        let long = "x".repeat(Limit::TraceRoom.fixed_count() / 4);
        for _ in 0..4 {
            queue.push(long.clone()).expect("there is room");
        }
        assert!(queue.push("x".to_owned()).is_err());
        assert_eq!(queue.pop().map(|it| it.len()), Some(1));
        queue.push("x".to_owned()).expect("there is room again");
        queue.is_closed = true;
        assert!(queue.push("x".to_owned()).is_err());
    }

    #[test]
    fn texts_of_the_server_are_joined_and_others_are_not() {
        let both = joined(&[text(1), text(2)]).expect("one request");
        assert_eq!(both, r#"{"resourceSpans":[{"n":1},{"n":2}]}"#);
        assert_eq!((count(&both), count("{}")), (2, 1));
        assert_eq!(joined(&[text(1), r#"{"resourceSpans":[],"more":1}"#.to_owned()]), None);
        assert_eq!(joined(&["{}".to_owned()]), None);
    }
}
