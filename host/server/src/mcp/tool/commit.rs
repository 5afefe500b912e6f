//! `commit`: makes the changes of a snapshot count.

use std::sync::Arc;

use pif_sandbox::Watch;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::backend::Backend;
use super::{Call, Tool, ToolResult, number};
use crate::render::{Refusal, Reply, committed};

const TEXT: &str = "\
Make the changes of a verified snapshot count, all of them or none. It is refused if something that they touch \
has changed since.";

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    snapshot: u64,
    /// without a verification
    #[serde(default)]
    force: bool,
    /// why, for the journal
    #[serde(default)]
    #[expect(dead_code, reason = "the entry keeps the arguments")]
    message: Option<String>,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        commit(backend, number(self.snapshot), self.force, &call).await
    }
}

/// Commits a snapshot. A refusal is journaled.
pub(super) async fn commit(
    backend: &Arc<Backend>,
    snapshot: i64,
    force: bool,
    call: &Call,
) -> Result<Reply, Refusal> {
    let arguments = call.text();
    let commit =
        move |backend: &Backend, _: &Watch| backend.workshop.commit(snapshot, force, &arguments);
    match backend.look(&call.caller, commit).await? {
        Ok(commit) => Ok(committed(snapshot, &commit)),
        Err(fault) => Err(backend.refuse("commit", call, fault).await),
    }
}
