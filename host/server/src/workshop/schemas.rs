//! Parses output schemas and caches them.

use std::sync::{Arc, LazyLock};

use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::{finish, give_way};
use pif_schema::{Invalid, Schema};
use pif_store::recall::Recall;

/// The most schemas in the cache, and the most bytes of their texts. A parsed schema takes a
/// multiple of its text.
const MOST_READ: usize = 64;
const MOST_BYTES: usize = 256 << 10;

/// Schemas that were parsed before.
static READ: LazyLock<Recall<Arc<Schema>>> = LazyLock::new(|| Recall::new(MOST_READ, MOST_BYTES));

/// Returns the schema of a text, from the cache or parsed.
pub(super) fn recall(text: &str) -> Result<Arc<Schema>, Fault> {
    finish(recall_in_turns(text))
}

/// Like [`recall`], but yields the thread before it parses.
pub(super) async fn recall_in_turns(text: &str) -> Result<Arc<Schema>, Fault> {
    if let Some(schema) = READ.get(text) {
        return Ok(schema);
    }
    give_way().await;
    let schema = Arc::new(read(text)?);
    READ.keep(text, Arc::clone(&schema), text.len());
    Ok(schema)
}

/// Parses the text of a schema. An invalid schema fails with `invalid-schema`.
pub(super) fn read(text: &str) -> Result<Schema, Fault> {
    Schema::parse(text).map_err(invalid)
}

fn invalid(Invalid { at, reason, hint }: Invalid) -> Fault {
    let message = format!("the output schema is invalid: {reason}");
    let hint = hint.as_deref().unwrap_or("correct it there; it is JSON Schema, draft 2020-12");
    Fault {
        at: format!("/output_schema{at}"),
        ..fault(FaultCode::InvalidSchema, message, Some(hint))
    }
}
