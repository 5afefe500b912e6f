//! Where traces are sent.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::address::{address, headers};
use super::error::Error;
use super::reader::Place;
use super::secret::Template;

/// Where traces are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Telemetry {
    /// The address of a collector that takes OTLP in JSON.
    pub otlp: Template,
    /// Headers of each request.
    pub headers: Vec<(String, Template)>,
}

impl Telemetry {
    /// The names of the secrets that it needs.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        let headers = self.headers.iter().map(|(_, text)| text);
        headers.chain([&self.otlp]).flat_map(Template::secrets)
    }
}

/// What the file writes.
#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with `otlp`, an address, and perhaps `headers`"
)]
struct Written {
    otlp: String,
    headers: Option<BTreeMap<String, String>>,
}

/// Reads `{"otlp": ADDRESS, "headers": {…}}`.
pub(super) fn read(value: &Value, place: &Place<'_>) -> Result<Telemetry, Error> {
    let written: Written = place.read(value)?;
    let otlp = address(&written.otlp, &place.member("otlp"))?;
    let headers = headers(&written.headers.unwrap_or_default(), &place.member("headers"))?;
    Ok(Telemetry { otlp, headers })
}
