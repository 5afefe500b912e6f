//! Durable runs as tasks of the protocol's extension. A client that declares it gets a task as the answer
//! to a call that begins a run in the background.

use std::sync::Arc;

use pif_domain::text::time;
use pif_domain::{Approval, Decision, StepTold};
use pif_store::journal::RunStatus;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CancelTaskParams, CreateTaskResult, DetailedTask, ErrorData, GetTaskParams,
    GetTaskResult, Task, TaskPayload, TaskStatus, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::ask::{APPROVAL, Asker, chosen, questions};
use super::backend::Backend;
use super::call::Caller;
use super::present::present;
use super::server::Server;
use crate::render::{object, step_line};
use crate::workshop::KeptRun;

/// How long a client should wait before it asks again, in milliseconds.
const AGAIN: u64 = 500;

impl Server {
    /// The answer to a call that has begun a run in the background, for a client that knows tasks.
    pub(super) async fn task_begun(
        &self,
        backend: &Arc<Backend>,
        caller: &Caller,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallToolResponse> {
        let run = caller.begun()?;
        if !context.client_capabilities().is_some_and(|it| it.supports_tasks()) {
            return None;
        }
        let kept = backend.find_run(run, caller).await.ok()?;
        Some(CallToolResponse::Task(CreateTaskResult::new(task(&kept, &kept.steps()))))
    }

    /// A run as a task, with what came of it or what it asks for.
    pub(super) async fn task_of(
        &self,
        request: &GetTaskParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let backend = self.backend_of(&context.extensions);
        let caller = self.task_caller(context, &backend);
        let kept = find(&backend, &request.task_id, &caller).await?;
        let steps = backend.steps_of(&kept);
        Ok(GetTaskResult::new(DetailedTask::new(task(&kept, &steps), payload(&backend, &kept))))
    }

    /// Goes on with a run that waits for an approval.
    pub(super) async fn answer_task(
        &self,
        request: &UpdateTaskParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let backend = self.backend_of(&context.extensions);
        let caller = self.task_caller(context, &backend);
        let kept = find(&backend, &request.task_id, &caller).await?;
        let waiting = kept.waiting().filter(|_| kept.standing() == RunStatus::Waiting);
        let waiting = waiting.ok_or_else(|| invalid("the task asks for nothing"))?;
        let answer = request.input_responses.get(APPROVAL);
        let choice = answer.and_then(chosen).ok_or_else(|| {
            invalid("the answer to `approval` is no result of an elicitation with a `decision`")
        })?;
        let decision = Decision { choice, by: Approval::Once };
        let caller = backend.detached(caller);
        tokio::spawn(async move { backend.resume(waiting, Some(decision), &caller).await.is_ok() });
        Ok(())
    }

    /// Ends a run.
    pub(super) async fn end_task(
        &self,
        request: &CancelTaskParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let backend = self.backend_of(&context.extensions);
        let caller = self.task_caller(context, &backend);
        let kept = find(&backend, &request.task_id, &caller).await?;
        if kept.standing().is_over() {
            return Ok(());
        }
        let ended = backend.cancel_run(kept.number(), &caller).await;
        ended.map(drop).map_err(|refusal| invalid(refusal.text.clone()))
    }

    fn task_caller(&self, context: &RequestContext<RoleServer>, backend: &Backend) -> Caller {
        self.caller(context, Asker::Nobody, backend.principal())
    }
}

async fn find(backend: &Arc<Backend>, id: &str, caller: &Caller) -> Result<KeptRun, ErrorData> {
    let unknown =
        || invalid("there is no such task: it has ended long ago, or is of somebody else");
    let run: i64 = id.parse().map_err(|_| unknown())?;
    let kept = backend.find_run(run, caller).await.map_err(|_| unknown())?;
    if *kept.owner() == *backend.principal().owner() { Ok(kept) } else { Err(unknown()) }
}

fn task(kept: &KeptRun, steps: &[StepTold]) -> Task {
    let told = kept.status();
    let began = told.began.unwrap_or_default();
    let now = time::now();
    let life = u64::try_from(told.until.saturating_sub(began)).unwrap_or_default();
    let step = steps.iter().rfind(|it| it.ms.is_none()).or(steps.last());
    let mut message = format!("{}, {} calls done", told.status, told.calls);
    if let Some(step) = step {
        message = format!("{message}; {}", step_line(step));
    }
    if let Some((code, fault)) = &told.fault {
        message = format!("{message}; {code}: {fault}");
    }
    let task = Task::new(
        told.run.to_string(),
        status(kept.standing()),
        time::format(began),
        time::format(now),
    );
    task.with_status_message(message).with_ttl_ms(life).with_poll_interval_ms(AGAIN)
}

/// A run that was interrupted can go on, so its task has not ended.
fn status(standing: RunStatus) -> TaskStatus {
    match standing {
        RunStatus::Working | RunStatus::Interrupted | RunStatus::OutcomeUnknown => {
            TaskStatus::Working
        }
        RunStatus::Waiting => TaskStatus::InputRequired,
        RunStatus::Done | RunStatus::Failed => TaskStatus::Completed,
        RunStatus::Cancelled => TaskStatus::Cancelled,
    }
}

/// What a task holds beside its status. A fault of the program is a result, as that of any call.
fn payload(backend: &Backend, kept: &KeptRun) -> TaskPayload {
    match status(kept.standing()) {
        TaskStatus::Completed => {
            let result = present(backend.render_run(kept), backend.config.profile);
            let result = serde_json::to_value(result).unwrap_or(Value::Null);
            TaskPayload::Completed { result: object(result) }
        }
        TaskStatus::Cancelled => TaskPayload::Cancelled,
        TaskStatus::InputRequired => {
            let waiting = kept.waiting().map(|it| it.waiting());
            match waiting.as_ref().and_then(questions) {
                Some(input_requests) => TaskPayload::InputRequired { input_requests },
                None => TaskPayload::Working,
            }
        }
        _ => TaskPayload::Working,
    }
}

fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}
