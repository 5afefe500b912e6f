//! Endpoints of models: one tells what texts mean, one writes programs.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::address::{address, headers};
use super::error::Error;
use super::reader::{Object, Place};
use super::secret::Template;

/// An endpoint of a model, as `OpenAI` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its address.
    pub url: Template,
    /// The name of the model.
    pub model: String,
    /// Headers of each request.
    pub headers: Vec<(String, Template)>,
}

impl Endpoint {
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
struct RawEndpoint {
    url: String,
    model: String,
    key: Option<String>,
    headers: Option<BTreeMap<String, String>>,
}

/// Reads `{"url": ADDRESS, "model": NAME, "key": SECRET, "headers": {…}}`.
pub(super) fn read(value: &Value, place: &Place<'_>) -> Result<Endpoint, Error> {
    let written: RawEndpoint = place.read(value)?;
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
    Ok(Endpoint { url, model: written.model, headers })
}

/// The name of the model that writes programs.
const DEFAULT: &str = "default";

/// Reads `{"default": {…}}`: the model that writes programs. A model of another name is passed over.
pub(super) fn read_models(
    value: &Value,
    place: &Place<'_>,
    warnings: &mut Vec<String>,
) -> Result<Endpoint, Error> {
    let mut found = None;
    for (name, value) in place.read::<Object>(value)? {
        let place = place.member(&name);
        if name == DEFAULT {
            found = Some(read(&value, &place)?);
        } else {
            let error = place.wrong(format!("only the model `{DEFAULT}` is asked"));
            warnings.push(format!("{error}: it is ignored"));
        }
    }
    found.ok_or_else(|| place.wrong(format!("name the model `{DEFAULT}`")))
}
