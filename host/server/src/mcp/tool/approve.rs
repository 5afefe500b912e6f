//! `approve`: decides a run that waits, where the operator lets the model.

use std::sync::Arc;

use pif_domain::{Approval, Choice, Decision, FaultCode, fault};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::super::backend::Backend;
use super::run::output_schema;
use super::{Call, Tool, ToolResult};
use crate::config::Profile;

const TEXT: &str = "\
Decide a run that waits for an approval, and go on with it: the reply is that of the run. It takes runs whose \
calls the operator lets you approve.";

/// A choice, as arguments have it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ApprovalChoice {
    Once,
    Run,
    Decline,
}

/// What it takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in super::super) struct Arguments {
    /// the number of the run
    run: u64,
    /// `once`, `run` (these tools for the whole run) or `decline`
    decision: ApprovalChoice,
}

impl Tool for Arguments {
    const TEXT: &'static str = TEXT;

    fn output(profile: Profile) -> Value {
        output_schema(profile)
    }

    async fn call(self, backend: &Arc<Backend>, call: Call) -> ToolResult {
        let kept = backend.find_kept(self.run, &call.caller).await?;
        let wishes = kept.waiting().wishes;
        if let Some(wish) = wishes.iter().find(|wish| !wish.model) {
            let message = format!("the model may not approve a call of `{}`", wish.call.tool);
            let hint = format!("a person decides it: mcp-pif approve {}", self.run);
            let fault = fault(FaultCode::CapabilityDenied, message, Some(&hint));
            return Err(backend.refuse("approve", &call, fault).await);
        }
        let choice = match self.decision {
            ApprovalChoice::Once => Choice::Once,
            ApprovalChoice::Run => Choice::Run,
            ApprovalChoice::Decline => Choice::Decline,
        };
        let decision = Decision { choice, by: Approval::Model };
        backend.resume(kept, Some(decision), &call.caller).await
    }
}
