//! `verify`: runs the examples of all that a snapshot changes or touches.

use std::sync::Arc;

use pif_domain::Fault;
use pif_sandbox::Watch;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::super::arguments::{malformed, schema};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, number};
use crate::render::{Refusal, verified};
use crate::workshop::{VerificationReport, Verify};

const TEXT: &str = "\
Run the examples and properties of every tool that a snapshot changes and of all that depend on these, and compare fuel and \
needs with before. `tests` adds names, patterns (\"tax_*\") or examples {\"tool\", \"input\", \"output\"}.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    snapshot: u64,
    #[serde(default)]
    #[schemars(schema_with = "tests")]
    tests: Option<Box<RawValue>>,
    /// tools of other servers that may be needed now
    #[serde(default)]
    allow_needs: Option<Vec<String>>,
}

fn tests(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "array"}))
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let snapshot = number(self.snapshot);
        match self.verify() {
            Ok(asked) => Ok(verified(verify(backend, snapshot, asked, &call).await?)),
            Err(fault) => Err(backend.refuse("verify", &call, fault).await),
        }
    }
}

impl Arguments {
    fn verify(self) -> Result<Verify, Fault> {
        let tests = match &self.tests {
            None => Vec::new(),
            Some(raw) => {
                let tests: Vec<&RawValue> = serde_json::from_str(raw.get())
                    .map_err(|_| malformed("`tests` must be a list", None))?;
                tests.iter().map(|raw| raw.get().to_owned()).collect()
            }
        };
        Ok(Verify { tests, allow_needs: self.allow_needs.unwrap_or_default() })
    }
}

/// Verifies a snapshot. A refusal is journaled.
pub(super) async fn verify(
    backend: &Arc<Backend>,
    snapshot: i64,
    asked: Verify,
    call: &Call,
) -> Result<VerificationReport, Refusal> {
    let arguments = call.text();
    let verify = move |backend: &Backend, watch: &Watch| {
        backend.workshop.verify(snapshot, &asked, &arguments, watch)
    };
    match backend.run_blocking(&call.caller, verify).await? {
        Ok(verified) => Ok(verified),
        Err(fault) => Err(backend.refuse("verify", call, fault).await),
    }
}
