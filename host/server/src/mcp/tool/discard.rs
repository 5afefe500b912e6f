//! `discard`: gives up a snapshot.

use std::sync::Arc;

use pif_sandbox::Watch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, number};
use crate::render::Reply;

const TEXT: &str = "Give up a snapshot: its changes are gone.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    snapshot: u64,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let snapshot = self.snapshot;
        let arguments = call.text();
        let discard = move |backend: &Backend, _: &Watch| {
            backend.workshop.discard(number(snapshot), &arguments)
        };
        match backend.look(&call.caller, discard).await? {
            Ok(area) => {
                let text =
                    format!("discarded snapshot {snapshot}: {} operations", area.operations.len());
                Ok(Reply::new(text, json!({ "snapshot": snapshot, "discarded": true })))
            }
            Err(fault) => Err(backend.refuse("discard", &call, fault).await),
        }
    }
}
