//! Where traces are sent.

use std::collections::BTreeMap;

use super::error::Error;
use super::reader::Node;
use super::secret::{Secret, Template};
use super::server::address;

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

/// Reads `{"otlp": ADDRESS, "headers": {…}}`.
pub(super) fn read(
    node: &Node<'_>,
    secrets: &BTreeMap<String, Secret>,
) -> Result<Telemetry, Error> {
    node.only(&["otlp", "headers"])?;
    let url = node.get("otlp").ok_or_else(|| {
        node.wrong("write the address of a collector: {\"otlp\": \"https://…/v1/traces\"}")
    })?;
    let (otlp, headers) = address(&url, node, secrets)?;
    Ok(Telemetry { otlp, headers })
}
