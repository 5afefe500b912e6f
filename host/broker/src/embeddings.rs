//! Asks an endpoint what texts mean. It answers with a vector of numbers for each: texts that mean nearly
//! the same have nearly the same direction.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use serde::{Deserialize, Serialize};

use super::config::{Embeddings, Error, Secrets, fill};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of an answer: 64 vectors of 4,096 numbers, and their digits.
const MOST_ANSWER: usize = 8 << 20;

/// The numbers that a vector may have. A message of one fits into a frame.
const MOST_NUMBERS: usize = 16_384;

/// Where the endpoint is below an address that does not name it.
const PATH: [&str; 2] = ["v1", "embeddings"];

/// The endpoint.
#[derive(Debug)]
pub(super) struct Embedder {
    url: Url,
    model: String,
    headers: HeaderMap,
    /// Made for the first request. None: it cannot be made.
    client: OnceLock<Option<Client>>,
}

#[derive(Serialize)]
struct Asked<'a> {
    model: &'a str,
    input: &'a [String],
}

#[derive(Deserialize)]
struct Answered {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    index: usize,
    embedding: Vec<f32>,
}

impl Embedder {
    /// Asks this endpoint.
    pub(super) fn open(embeddings: &Embeddings, secrets: &Secrets) -> Result<Self, Error> {
        let url = Url::parse(&fill(&embeddings.url, secrets));
        let mut url = url.map_err(|error| Error::new(format!("/embeddings/url: {error}")))?;
        if !url.path().trim_end_matches('/').ends_with("/embeddings")
            && let Ok(mut path) = url.path_segments_mut()
        {
            path.pop_if_empty();
            let has_version = PATH
                .first()
                .is_some_and(|it| embeddings.url.written().trim_end_matches('/').ends_with(it));
            path.extend(PATH.iter().skip(usize::from(has_version)));
        }
        let mut headers = HeaderMap::new();
        for (name, text) in &embeddings.headers {
            let value = HeaderValue::try_from(fill(text, secrets)).ok();
            let pair = HeaderName::try_from(name).ok().zip(value);
            let (key, mut value) = pair.ok_or_else(|| {
                Error::new(format!(
                    "/embeddings/headers/{name}: the header has a value that cannot be"
                ))
            })?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(Self { url, model: embeddings.model.clone(), headers, client: OnceLock::new() })
    }

    /// What texts mean, in their order.
    pub(super) async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
        let client = self.client.get_or_init(|| build(&self.url));
        let client = client.as_ref().ok_or("no connections can be made")?;
        let asked = Asked { model: &self.model, input: texts };
        let body = serde_json::to_string(&asked).map_err(|error| error.to_string())?;
        let request = client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let mut response = request.send().await.map_err(|error| reason(&error))?;
        match response.status() {
            StatusCode::TOO_MANY_REQUESTS => {
                let after = response.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok());
                let after = after.and_then(|it| it.trim().parse::<u64>().ok());
                let after = after.map(|it| format!("; try again in {it} s")).unwrap_or_default();
                return Err(format!("it takes no more requests now (429){after}"));
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                return Err(format!("it refuses the key ({})", response.status().as_u16()));
            }
            status if !status.is_success() => return Err(format!("it answered {status}")),
            _ => {}
        }
        let mut answer = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| reason(&error))? {
            answer.extend_from_slice(&piece);
            if answer.len() > MOST_ANSWER {
                return Err("its answer is too long".to_owned());
            }
        }
        vectors(&answer, texts.len()).ok_or_else(|| "its answer holds no vectors".to_owned())
    }
}

/// The vectors of an answer, one for each text, all with as many numbers; None: it has others.
fn vectors(answer: &[u8], count: usize) -> Option<Vec<Vec<f32>>> {
    let mut rows = serde_json::from_slice::<Answered>(answer).ok()?.data;
    rows.sort_by_key(|row| row.index);
    let is_in_place = rows.iter().enumerate().all(|(place, row)| row.index == place);
    let length = rows.first()?.embedding.len();
    let is_vector = |row: &Row| {
        let numbers = &row.embedding;
        numbers.len() == length
            && numbers.iter().all(|it| it.is_finite())
            && numbers.iter().any(|it| *it != 0.0)
    };
    let is_sound = rows.len() == count && is_in_place && (1..=MOST_NUMBERS).contains(&length);
    (is_sound && rows.iter().all(is_vector))
        .then(|| rows.into_iter().map(|row| row.embedding).collect())
}

fn build(url: &Url) -> Option<Client> {
    let mut client = Client::builder()
        .timeout(PATIENCE)
        .redirect(Policy::none())
        .user_agent(concat!("mcp-pif/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" {
        // It is on this machine.
        client = client.no_proxy();
    }
    client.build().inspect_err(|error| tracing::error!(%error, "the endpoint for embeddings")).ok()
}

/// Why a request failed, without its address.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it did not answer in time".to_owned();
    }
    if error.is_connect() {
        return "it cannot be reached".to_owned();
    }
    "the request failed".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_answers_are_vectors() {
        let read = |text: &str, count| vectors(text.as_bytes(), count);
        let two = r#"{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0.5]}]}"#;
        assert_eq!(read(two, 2), Some(vec![vec![1.0, 0.5], vec![0.0, 1.0]]));
        assert_eq!(read(two, 3), None);
        for text in [
            "",
            "null",
            "{}",
            r#"{"data":[]}"#,
            r#"{"data":[{"index":0,"embedding":[]}]}"#,
            r#"{"data":[{"index":1,"embedding":[1]}]}"#,
            r#"{"data":[{"index":0,"embedding":[0,0]}]}"#,
            r#"{"data":[{"index":0,"embedding":["a"]}]}"#,
            r#"{"data":[{"index":0,"embedding":[1e999]}]}"#,
            r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#,
        ] {
            assert_eq!(read(text, 1), None, "{text}");
        }
        let uneven = r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}"#;
        assert_eq!(read(uneven, 2), None);
    }
}
