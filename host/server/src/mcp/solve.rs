//! Tasks of clients: the model is the operator's or the client's, programs run at the gate of all runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pif_broker::Client;
use pif_domain::{Completion, Failure, Fault, FaultCode, Limit, Message, Reason, Thinking, fault};
use pif_sandbox::{AnswerFuture, Watch};
use tokio::sync::watch;

use super::backend::Backend;
use super::call::Caller;
use super::lines::{Lines, Progress};
use super::sample::Sampler;
use crate::workshop::{Assignment, Helper, ModelError, Ran, Screening, Solution, solve, until};

/// Who writes the programs of a task.
pub(super) enum Model {
    /// The operator's model, which the broker asks.
    Operators(Client),
    /// The client's model.
    Clients(Sampler),
}

impl Model {
    /// The model for the tasks of a caller; None: there is none.
    pub(super) fn of(backend: &Backend, caller: &Caller) -> Option<Self> {
        let broker = backend.workshop.broker().filter(|it| it.model().is_some());
        let own = caller.sampler.clone().map(Self::Clients);
        broker.cloned().map(Self::Operators).or(own)
    }

    async fn complete(
        &self,
        messages: &[Message],
        thinking: Option<Thinking>,
        within: Duration,
    ) -> Result<Completion, Failure> {
        match self {
            Self::Operators(broker) => broker.complete(messages.to_vec(), thinking, within).await,
            Self::Clients(sampler) => sampler.complete(messages, within).await,
        }
    }
}

impl Backend {
    /// Has a model work on a task.
    pub(super) async fn solve(
        self: &Arc<Self>,
        asked: &Arc<Assignment>,
        model: Model,
        caller: &Caller,
    ) -> Result<Solution, Fault> {
        let within = self.within(self.workshop.of_task(asked)?);
        let (asked, caller, until) = (Arc::clone(asked), caller.clone(), until(asked));
        let mut live = Live { backend: within, asked: Arc::clone(&asked), model, caller, until };
        Ok(solve(&asked, &mut live).await)
    }
}

/// The helper of a task while it is worked on.
struct Live {
    backend: Arc<Backend>,
    asked: Arc<Assignment>,
    model: Model,
    caller: Caller,
    until: Instant,
}

impl Live {
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    async fn complete(&self, messages: &[Message]) -> Result<Completion, ModelError> {
        let left = self.left();
        if left.is_zero() {
            let message = "the time of the task is over, nothing was asked";
            return Err(ModelError::Failed(Failure::new(Reason::Timeout, message)));
        }
        tokio::select! {
            answer = self.model.complete(messages, self.asked.thinking, left) => {
                answer.map_err(ModelError::Failed)
            }
            () = self.caller.cancelled.cancelled() => Err(ModelError::Stopped(cancelled())),
            () = self.caller.session.stop.cancelled() => Err(ModelError::Stopped(cancelled())),
        }
    }

    async fn check_now(&self, program: &str) -> Result<Screening, Fault> {
        self.backend.opened(&self.caller).await?;
        let asked = Arc::clone(&self.asked);
        let program = program.to_owned();
        let check = move |backend: &Backend, watch: &Watch| {
            backend.workshop.check_program(&asked, &program, watch)
        };
        self.backend.look(&self.caller, check).await?
    }

    async fn run_now(&self, program: &str, data: Option<&str>) -> Result<Ran, Fault> {
        let (advance, _advanced) = watch::channel(Progress::default());
        let mut observer = Lines::new(advance, 0, 0, &self.backend.config, &self.caller);
        let waiting = self.backend.config.values.time(Limit::Waiting).min(self.left());
        let asked = Arc::clone(&self.asked);
        let program = program.to_owned();
        let data = data.map(str::to_owned);
        let run = async move |backend: Arc<Backend>, watch: Watch| {
            let what = (program.as_str(), data.as_deref());
            backend.workshop.run_program(&asked, what, &mut observer, &watch).await
        };
        self.backend.run_in_turns_within(&self.caller, waiting, run).await?
    }
}

impl Helper for Live {
    fn ask<'a>(
        &'a mut self,
        messages: &'a [Message],
    ) -> AnswerFuture<'a, Result<Completion, ModelError>> {
        Box::pin(self.complete(messages))
    }

    fn check<'a>(&'a mut self, program: &'a str) -> AnswerFuture<'a, Result<Screening, Fault>> {
        Box::pin(self.check_now(program))
    }

    fn run<'a>(
        &'a mut self,
        program: &'a str,
        data: Option<&'a str>,
    ) -> AnswerFuture<'a, Result<Ran, Fault>> {
        Box::pin(self.run_now(program, data))
    }
}

fn cancelled() -> Fault {
    fault(FaultCode::Cancelled, "the task was cancelled".to_owned(), None)
}
