//! Goes on with runs that wait for an approval.

use std::sync::Arc;
use std::time::Duration;

use pif_domain::text::time;
use pif_domain::{Approval, Choice, Decision, Fault, Limit};
use pif_sandbox::Watch;
use rmcp::model::{CallToolRequestParams, ErrorData};
use tokio::sync::watch;

use super::ask::{APPROVAL, UNSEEN, chosen};
use super::backend::Backend;
use super::call::{Call, Caller};
use super::lines::{Lines, Progress};
use super::present::render;
use super::tool::ToolResult;
use crate::render::Reply;
use crate::workshop::{ApprovalWait, WaitingRun};

impl Backend {
    /// The run with this number, if it waits.
    pub(super) async fn find_kept(
        self: &Arc<Self>,
        run: u64,
        caller: &Caller,
    ) -> Result<WaitingRun, Fault> {
        let run = i64::try_from(run).unwrap_or(i64::MAX);
        self.look(caller, move |backend, _| backend.workshop.find_kept(run)).await?
    }

    /// Goes on with a run. Without a decision it still waits.
    pub(super) async fn resume(
        self: &Arc<Self>,
        kept: WaitingRun,
        decision: Option<Decision>,
        caller: &Caller,
    ) -> ToolResult {
        let (advance, _) = watch::channel(Progress::default());
        let mut observer = Lines::new(advance, 0, 0, &self.config, caller);
        let run = async move |backend: Arc<Self>, watch: Watch| {
            backend.workshop.resume_in_turns(kept, decision, &mut observer, &watch).await
        };
        let run = self.run_in_turns(caller, run).await??;
        caller.note(&run);
        render(run, &self.config)
    }
}

/// Goes on with the run of a call that a client repeats with its answer.
pub(super) async fn retry(
    backend: &Arc<Backend>,
    request: &CallToolRequestParams,
    state: &str,
    call: &Call,
) -> Result<ToolResult, ErrorData> {
    let invalid = |message: &str| Err(ErrorData::invalid_params(message.to_owned(), None));
    let unknown = "`requestState` names no question of this call that waits: it was answered before, \
        it has expired, or it is not what the server gave";
    let Some(bound) = call.caller.asker.bound() else { return invalid(unknown) };
    let handle = state.to_owned();
    let found = backend
        .look(&call.caller, move |backend, _| backend.workshop.unseal(&handle, &bound))
        .await
        .and_then(|found| found);
    let kept = match found {
        Ok(Some(kept)) => kept,
        Ok(None) => return invalid(unknown),
        Err(fault) => return Ok(Err(fault.into())),
    };
    let answers = request.input_responses.as_ref();
    let Some(answer) = answers.and_then(|answers| answers.get(APPROVAL)) else {
        // Nothing was answered: the question comes again.
        let waiting = ApprovalWait { handle: Some(state.to_owned()), ..kept.waiting() };
        call.caller.keep(waiting);
        return Ok(Ok(Reply::new("", serde_json::Value::Null)));
    };
    let Some(choice) = chosen(answer) else {
        return invalid(
            "the answer to `approval` is no result of an elicitation with a `decision`",
        );
    };
    let decision = Decision { choice, by: Approval::Once };
    // Nobody saw the question: the run waits on for somebody who does.
    let is_answered = choice != Choice::Decline || asked_for(&kept, backend) >= UNSEEN;
    Ok(backend.resume(kept, is_answered.then_some(decision), &call.caller).await)
}

/// The time since a run was kept, which is when its question went out.
fn asked_for(kept: &WaitingRun, backend: &Backend) -> Duration {
    let left = kept.waiting().until.saturating_sub(time::now());
    let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
    backend.config.values.time(Limit::PendingLife).saturating_sub(left)
}
