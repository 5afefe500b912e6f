//! The endpoint that tells what texts mean.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::address::{address, headers};
use super::error::Error;
use super::reader::Place;
use super::secret::Template;

/// An endpoint for embeddings, as `OpenAI` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embeddings {
    /// Its address.
    pub url: Template,
    /// The name of the model.
    pub model: String,
    /// Headers of each request.
    pub headers: Vec<(String, Template)>,
}

impl Embeddings {
    /// The names of the secrets that it needs.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.iter().map(|(_, text)| text);
        headers.chain([&self.url]).flat_map(Template::secrets)
    }
}

/// What the file writes.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with `url`, `model`, and perhaps `key`, the name of a secret, and `headers`"
)]
struct Written {
    url: String,
    model: String,
    key: Option<String>,
    headers: Option<BTreeMap<String, String>>,
}

/// Reads `{"url": ADDRESS, "model": NAME, "key": SECRET, "headers": {…}}`.
pub(super) fn read(value: &Value, place: &Place<'_>) -> Result<Embeddings, Error> {
    let written: Written = place.read(value)?;
    if written.model.trim().is_empty() {
        return Err(place.member("model").wrong("name the model"));
    }
    let url = address(&written.url, &place.member("url"))?;
    let mut headers = headers(&written.headers.unwrap_or_default(), &place.member("headers"))?;
    if let Some(key) = written.key {
        let place = place.member("key");
        if !place.secrets.contains(&key) {
            return Err(place.wrong(format!("no secret is named `{key}`; put it under `secrets`")));
        }
        let bearer = Template::read(&format!("Bearer ${{{key}}}"), &place)?;
        headers.push(("authorization".to_owned(), bearer));
    }
    Ok(Embeddings { url, model: written.model, headers })
}
