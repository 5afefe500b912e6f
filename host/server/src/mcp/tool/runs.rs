//! `runs`: lists durable runs and those that wait for an approval.

use std::sync::Arc;

use pif_domain::Fault;
use pif_sandbox::Watch;
use pif_store::journal::RunStatus;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::json;

use super::super::arguments::{malformed, schema};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult};
use crate::render::{Reply, kept_runs};
use crate::workshop::KeptRun;

/// The number of runs in a list, unless the client says another.
const USUAL: usize = 20;

const TEXT: &str = "\
List your durable runs and those that wait for an approval, the latest first: status, calls done, what \
stopped them.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    #[serde(default)]
    #[schemars(schema_with = "statuses")]
    status: Option<String>,
    #[serde(default)]
    limit: Option<u64>,
}

fn statuses(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = RunStatus::ALL.iter().map(|it| it.name()).collect();
    schema(json!({"type": "string", "enum": names}))
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let listed = move |backend: &Backend, _: &Watch| self.list(backend);
        Ok(backend.look(&call.caller, listed).await??)
    }
}

impl Arguments {
    fn list(&self, backend: &Backend) -> Result<Reply, Fault> {
        let status = match self.status.as_deref() {
            None => None,
            Some(name) => Some(RunStatus::find(name).ok_or_else(|| {
                let names: Vec<&str> = RunStatus::ALL.iter().map(|it| it.name()).collect();
                malformed(
                    format!("`status` has no `{name}`"),
                    Some(&format!("write one of: {}", names.join(", "))),
                )
            })?),
        };
        let mut runs = backend.workshop.runs()?;
        runs.retain(|it| *it.owner() == *backend.principal().owner());
        runs.retain(|it| status.is_none_or(|status| it.standing() == status));
        runs.reverse();
        let limit = self.limit.map_or(USUAL, |it| usize::try_from(it).unwrap_or(USUAL));
        let more = runs.len().saturating_sub(limit);
        runs.truncate(limit);
        let told: Vec<_> = runs.iter().map(KeptRun::status).collect();
        Ok(kept_runs(&told, more))
    }
}
