//! Finds texts by the digests that an entry holds: in the store, or in a file beside a receipt.

use std::fmt::Debug;
use std::sync::Arc;

use pif_domain::Fault;
use pif_receipt::sha256;
use pif_store::registry::Snapshot;
use pif_store::{Error, Store};
use serde::{Deserialize, Serialize};

use super::library::library;
use super::opening::Workshop;
use super::refusal::stored;

/// Finds texts by their digests.
pub(super) trait Archive: Debug + Send + Sync {
    /// The source of a revision of a tool.
    fn source(&self, hash: &str) -> Result<Option<String>, Error>;
    /// A text that an entry keeps, by its sha256.
    fn text(&self, sha256: &str) -> Result<Option<String>, Error>;
    /// The output schema that a change gave its tool.
    fn output_schema(&self, change: i64) -> Result<Option<String>, Error>;
}

/// The texts of a store and of the library.
#[derive(Debug)]
pub(super) struct StoredTexts {
    pub(super) tools: Snapshot,
    pub(super) store: Arc<dyn Store>,
}

impl Archive for StoredTexts {
    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        let found = self.tools.source(hash)?;
        Ok(found.or_else(|| library().source(hash).map(str::to_owned)))
    }

    fn text(&self, sha256: &str) -> Result<Option<String>, Error> {
        self.store.text(sha256)
    }

    fn output_schema(&self, change: i64) -> Result<Option<String>, Error> {
        self.tools.output_schema(change)
    }
}

impl Workshop {
    /// The texts of its store, and of the library.
    pub(super) fn archive(&self) -> Result<StoredTexts, Fault> {
        let tools = self.registry.snapshot().map_err(stored)?;
        Ok(StoredTexts { tools, store: Arc::clone(&self.store) })
    }
}

/// The texts of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Texts {
    /// Each text once. It is found by its sha256.
    texts: Vec<String>,
    /// Output schemas of tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    schemas: Vec<OutputSchema>,
}

/// The output schema that a change gave its tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputSchema {
    /// The number of the change of the registry.
    change: i64,
    /// The sha256 of the schema.
    sha256: String,
}

impl Texts {
    /// Adds a text. Returns its sha256.
    pub(super) fn add(&mut self, text: String) -> String {
        let digest = sha256(&text);
        if !self.texts.contains(&text) {
            self.texts.push(text);
        }
        digest
    }

    /// The sha256 of each text, in their order.
    pub(super) fn digests(&self) -> Vec<String> {
        self.texts.iter().map(sha256).collect()
    }

    /// Adds the output schema that a change gave its tool. Returns its sha256.
    pub(super) fn add_schema(&mut self, change: i64, text: String) -> String {
        let digest = self.add(text);
        let schema = OutputSchema { change, sha256: digest.clone() };
        if !self.schemas.contains(&schema) {
            self.schemas.push(schema);
        }
        digest
    }
}

impl Archive for Texts {
    fn source(&self, hash: &str) -> Result<Option<String>, Error> {
        self.text(hash)
    }

    fn text(&self, digest: &str) -> Result<Option<String>, Error> {
        Ok(self.texts.iter().find(|text| sha256(text) == digest).cloned())
    }

    fn output_schema(&self, change: i64) -> Result<Option<String>, Error> {
        let schema = self.schemas.iter().find(|it| it.change == change);
        schema.map_or(Ok(None), |it| self.text(&it.sha256))
    }
}
