//! Asks an endpoint what texts mean. It answers with a vector of numbers for each: texts that mean nearly
//! the same have nearly the same direction.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::config::{self, Error, Secrets};
use super::endpoint::Endpoint;

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
pub(super) struct Embedder(Endpoint);

#[derive(Serialize)]
struct RequestBody<'a> {
    model: &'a str,
    input: &'a [String],
}

#[derive(Deserialize)]
struct ResponseBody {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    index: usize,
    embedding: Vec<f32>,
}

impl Embedder {
    /// Asks this endpoint.
    pub(super) fn open(told: &config::Endpoint, secrets: &Secrets) -> Result<Self, Error> {
        Endpoint::open(told, secrets, ("/embeddings", &PATH)).map(Self)
    }

    /// What texts mean, in their order.
    pub(super) async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
        let asked = RequestBody { model: &self.0.model, input: texts };
        let body = serde_json::to_string(&asked).map_err(|error| error.to_string())?;
        let answer = self.0.post(body, PATIENCE, MOST_ANSWER).await.map_err(|it| it.message)?;
        vectors(&answer, texts.len()).ok_or_else(|| "its answer holds no vectors".to_owned())
    }
}

/// The vectors of an answer, one for each text, all with as many numbers; None: it has others.
fn vectors(answer: &[u8], count: usize) -> Option<Vec<Vec<f32>>> {
    let mut rows = serde_json::from_slice::<ResponseBody>(answer).ok()?.data;
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
