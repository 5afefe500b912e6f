//! `stage`: puts changes of tools and of the memory into a snapshot, where they are tried before they
//! count.

use std::sync::Arc;

use pif_domain::Fault;
use pif_sandbox::Watch;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::super::arguments::{malformed, schema};
use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, commit, number, verify};
use crate::render::{self, snapshots};
use crate::workshop::Verify;

const TEXT: &str = "\
Try changes before they count: they go into a snapshot, which nobody else sees. Give its number as \
`snapshot` to `run`, `check`, `inspect`, `list`, `session_eval` and `memory_retrieve`, then `verify` it and \
`commit` or `discard` it. Operations apply in order, all or none: {\"evolve\": {\"name\", \
\"description\", \"code\", …}}, {\"rollback\": {\"tool\", \"revision\"}}, {\"retire\": NAME}, \
{\"rename\": [OLD, NEW]} with all callers, {\"memory\": {\"key\", \"value\"}}. Without arguments it lists \
your snapshots.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// a number, to add to it; none: a new one
    snapshot: Option<u64>,
    #[serde(default)]
    #[schemars(schema_with = "operations")]
    operations: Option<Box<RawValue>>,
    /// apply its operations on the registry of now
    #[serde(default)]
    rebase: bool,
    /// verify, and commit what passes
    #[serde(default)]
    auto_commit: bool,
}

fn operations(_: &mut SchemaGenerator) -> Schema {
    schema(json!({"type": "array", "items": {"type": "object"}}))
}

/// What is asked for.
enum StageRequest {
    List,
    Rebase(i64),
    Stage(Option<i64>, Vec<String>),
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let commits = self.auto_commit;
        let asked = match self.asked() {
            Ok(StageRequest::List) => return list(backend, &call).await,
            Ok(asked) => asked,
            Err(fault) => return Err(backend.refuse("stage", &call, fault).await),
        };
        let arguments = call.text();
        let stage = move |backend: &Backend, watch: &Watch| match asked {
            StageRequest::Rebase(snapshot) => backend.workshop.rebase(snapshot, &arguments, watch),
            StageRequest::Stage(snapshot, operations) => {
                backend.workshop.stage(snapshot, &operations, &arguments, watch)
            }
            StageRequest::List => Err(malformed("there is nothing to stage", None)),
        };
        let staged = match backend.run_blocking(&call.caller, stage).await? {
            Ok(staged) => staged,
            Err(fault) => return Err(backend.refuse("stage", &call, fault).await),
        };
        let snapshot = staged.area.id;
        let mut reply = render::staged(&staged, backend.workshop.expires(&staged.area));
        if !commits {
            return Ok(reply);
        }
        let verified = verify::verify(backend, snapshot, Verify::default(), &call).await?;
        let passed = verified.passed;
        reply.structured.insert("verification".to_owned(), verified.record);
        reply.structured.insert("committed".to_owned(), passed.into());
        if !passed {
            reply.text.push_str("\nnot committed: it did not pass its verification");
            return Ok(reply);
        }
        let committed = commit::commit(backend, snapshot, false, &call).await?;
        reply.text.push_str("\n");
        reply.text.push_str(&committed.text);
        reply.structured.extend(committed.structured);
        Ok(reply)
    }
}

impl Arguments {
    fn asked(self) -> Result<StageRequest, Fault> {
        let hint = "write {\"operations\": [{\"evolve\": {…}}, …]}";
        match (self.operations, self.rebase, self.snapshot.map(number)) {
            (None, false, None) => Ok(StageRequest::List),
            (None, true, Some(snapshot)) => Ok(StageRequest::Rebase(snapshot)),
            (_, true, _) => {
                let hint = "write {\"snapshot\": …, \"rebase\": true}";
                Err(malformed("`rebase` takes a snapshot and no operations", Some(hint)))
            }
            (None, false, Some(_)) => Err(malformed("there are no operations", Some(hint))),
            (Some(raw), false, snapshot) => {
                let operations: Vec<&RawValue> = serde_json::from_str(raw.get())
                    .map_err(|_| malformed("`operations` must be a list", Some(hint)))?;
                if operations.is_empty() {
                    return Err(malformed("there are no operations", Some(hint)));
                }
                let texts = operations.iter().map(|raw| raw.get().to_owned()).collect();
                Ok(StageRequest::Stage(snapshot, texts))
            }
        }
    }
}

async fn list(backend: &Arc<Backend>, call: &Call) -> ToolResult {
    let list = |backend: &Backend, _: &Watch| {
        let areas = backend.workshop.areas()?;
        Ok::<_, Fault>(snapshots(&areas, |area| backend.workshop.expires(area)))
    };
    Ok(backend.look(&call.caller, list).await??)
}
