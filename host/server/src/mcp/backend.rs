//! The shared state behind the tools: the workshop, the settings and the limits on concurrency.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use pif_domain::{Excess, Fault, FaultCode, Limit, Part, Principal, fault};
use pif_sandbox::{
    Code, Crowd, Gate, GateTimeout, LOOKS, Outcome, Request, Summary, Turns, Watch, milliseconds,
};
use pif_system::harden;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::call::{Call, Caller};
use super::lines::{Lines, Progress};
use super::works::Works;
use crate::config::{Config, Profile};
use crate::observe::{Measures, Slots};
use crate::render::Refusal;
use crate::workshop::{Plan, RunResult, Tools, Workshop, too_large};

/// The interval of progress notifications.
const REPORTED: Duration = Duration::from_millis(100);

/// The server behind the protocol.
#[derive(Debug, Clone)]
pub(super) struct Backend {
    pub(super) config: Arc<Config>,
    pub(super) workshop: Workshop,
    /// Set when the sandbox is open.
    pub(super) hardening: Arc<OnceLock<harden::Hardening>>,
    /// What is measured of calls.
    pub(super) measures: Arc<Measures>,
    runs: Arc<Gate>,
    /// Limits work that runs no term. It is short, so it does not wait for runs.
    looks: Arc<Gate>,
    /// Limits runs that wait for effects.
    waits: Arc<Gate>,
    /// The durable runs on which it works.
    pub(super) work: Arc<Works>,
}

impl Backend {
    pub(super) fn new(
        config: Config,
        workshop: Workshop,
        hardening: Arc<OnceLock<harden::Hardening>>,
    ) -> Self {
        let patience = config.values.time(Limit::Patience);
        let gate = |places| Arc::new(Gate::new(places, patience));
        let runs = gate(config.values.size(Limit::Concurrency));
        let looks = gate(LOOKS);
        let waits = gate(Limit::WaitingRuns.fixed_count());
        let config = Arc::new(config);
        let measures = Arc::new(Measures::new());
        Self { config, workshop, hardening, measures, runs, looks, waits, work: Arc::default() }
    }

    /// The server as a principal sees it. All share the gates.
    pub(super) fn of(&self, principal: &Principal) -> Arc<Self> {
        Arc::new(Self { workshop: self.workshop.of(principal), ..self.clone() })
    }

    /// The server within a snapshot.
    pub(super) fn within(&self, workshop: Workshop) -> Arc<Self> {
        Arc::new(Self { workshop, ..self.clone() })
    }

    /// For whom it works.
    pub(super) fn principal(&self) -> &Principal {
        self.workshop.principal()
    }

    /// The owner of what belongs to the principal.
    pub(super) fn owner(&self) -> String {
        self.principal().owner().to_string()
    }

    /// How full the server is.
    pub(super) fn slots(&self) -> Slots {
        let Crowd { taken, places, waiting } = self.runs.crowd();
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Slots { taken: count(taken), places: count(places), waiting: count(waiting) }
    }

    /// Runs a request to its end with the tools of a snapshot.
    pub(super) async fn evaluate(
        self: &Arc<Self>,
        request: Request,
        tools: Tools,
        caller: &Caller,
    ) -> RunResult {
        self.evaluate_in(None, request, tools, caller).await
    }

    /// Makes a turn of a session with the tools of a snapshot.
    pub(super) async fn evaluate_turn(
        self: &Arc<Self>,
        plan: Plan,
        request: Request,
        tools: Tools,
        caller: &Caller,
    ) -> RunResult {
        self.evaluate_in(Some(plan), request, tools, caller).await
    }

    async fn evaluate_in(
        self: &Arc<Self>,
        plan: Option<Plan>,
        mut request: Request,
        tools: Tools,
        caller: &Caller,
    ) -> RunResult {
        let keep = if request.debug { self.config.profile.lines() } else { 0 };
        request.debug |= self.config.debug;
        let limits = request.limits;
        let (advance, advanced) = watch::channel(Progress::default());
        let mut observer = Lines::new(advance, keep, request.steps, &self.config, caller);
        let is_told = self.config.profile == Profile::Debug;
        let run = self.run_in_turns(caller, async move |backend: Arc<Self>, watch: Watch| {
            let revision =
                is_told.then(|| backend.revision(&request.code, &tools, &watch)).flatten();
            let workshop = &backend.workshop;
            let observed = &mut observer;
            let known = tools.clone();
            let mut report = match &plan {
                None => workshop.run_in_turns(&request, tools, observed, &watch).await,
                Some(plan) => {
                    workshop.turn_in_turns(plan, &request, &tools, observed, &watch).await
                }
            };
            report.outcome.ending =
                report.outcome.ending.map_err(|fault| workshop.explain(fault, &known, &watch));
            let evaluation = [observer.kept, observer.steps.lines()].concat();
            RunResult { evaluation, revision, ..report }
        });
        let report = tokio::select! {
            report = run => report,
            never = report_progress(caller.progress.clone(), advanced) => match never {},
        };
        let before = |fault| RunResult::new(Outcome::before(fault), limits, Duration::ZERO);
        let report = report.unwrap_or_else(before);
        caller.note(&report);
        report
    }

    /// Journals a call that was refused before it changed anything.
    pub(super) async fn refuse(self: &Arc<Self>, tool: &str, call: &Call, fault: Fault) -> Refusal {
        let backend = Arc::clone(self);
        let tool = tool.to_owned();
        let arguments = call.text();
        let journaled = spawn_blocking(move || {
            backend.workshop.refuse(&tool, &arguments, &fault);
            fault
        });
        journaled.await.unwrap_or_else(|error| lost(&error.to_string())).into()
    }

    /// The revision of the code: of the tool, or of the term as `evolve` would keep it.
    fn revision(&self, code: &Code, tools: &Tools, watch: &Watch) -> Option<String> {
        match code {
            Code::Tool(name) => Some(tools.find(name).ok()??.hash),
            Code::Term(text) => {
                self.workshop.sandbox.check(text, watch).ok().map(|summary| summary.hash)
            }
        }
    }

    /// Checks a term without running it.
    pub(super) async fn check(
        self: &Arc<Self>,
        code: String,
        caller: &Caller,
    ) -> Result<Summary, Vec<Fault>> {
        self.opened(caller).await.map_err(|fault| vec![fault])?;
        let length = code.len();
        if length > self.config.values.size(Limit::Code) {
            return Err(vec![too_large(
                Limit::Code,
                "code",
                length,
                self.config.values.size(Limit::Code),
            )]);
        }
        let checked = self.look(caller, move |backend, watch| backend.workshop.check(&code, watch));
        checked.await.map_err(|fault| vec![fault])?
    }

    /// Waits until the sandbox is open.
    pub(super) async fn opened(&self, caller: &Caller) -> Result<(), Fault> {
        tokio::select! {
            () = self.workshop.sandbox.opened() => Ok(()),
            () = caller.cancelled.cancelled() => Err(cancelled()),
            () = caller.session.stop.cancelled() => Err(cancelled()),
        }
    }

    /// Waits for a place among the runs and does blocking work there. The work stops if the caller
    /// cancels or the server stops.
    pub(super) async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        caller: &Caller,
        work: impl FnOnce(&Self, &Watch) -> T + Send + 'static,
    ) -> Result<T, Fault> {
        self.opened(caller).await?;
        self.block(&self.runs, caller, work).await
    }

    /// Like [`Self::run_blocking`], for work that runs no term: it does not wait for runs.
    pub(super) async fn look<T: Send + 'static>(
        self: &Arc<Self>,
        caller: &Caller,
        work: impl FnOnce(&Self, &Watch) -> T + Send + 'static,
    ) -> Result<T, Fault> {
        self.block(&self.looks, caller, work).await
    }

    async fn block<T: Send + 'static>(
        self: &Arc<Self>,
        gate: &Gate,
        caller: &Caller,
        work: impl FnOnce(&Self, &Watch) -> T + Send + 'static,
    ) -> Result<T, Fault> {
        let (place, stop) = self.enter(gate, caller).await?;
        let backend = Arc::clone(self);
        let token = stop.clone();
        let task = spawn_blocking(move || {
            let _place = place;
            // The time limit starts here, after the wait for a place.
            work(&backend, &backend.watch(token))
        });
        watch_over(task, caller, &stop).await
    }

    /// Does work in turns, on a thread that may block.
    pub(super) async fn run_in_turns<T, W>(
        self: &Arc<Self>,
        caller: &Caller,
        work: impl FnOnce(Arc<Self>, Watch) -> W,
    ) -> Result<T, Fault>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let waiting = self.config.values.time(Limit::Waiting);
        self.run_in_turns_within(caller, waiting, work).await
    }

    /// Does work in turns that may wait so long for other servers.
    pub(super) async fn run_in_turns_within<T, W>(
        self: &Arc<Self>,
        caller: &Caller,
        waiting: Duration,
        work: impl FnOnce(Arc<Self>, Watch) -> W,
    ) -> Result<T, Fault>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        self.opened(caller).await?;
        let (place, stop) = self.enter(&self.runs, caller).await?;
        let watch = self.watch(stop.clone()).waiting_at_most(waiting);
        let mut turns = Turns::new(work(Arc::clone(self), watch.clone()));
        let mut place = Some(place);
        loop {
            let task = spawn_blocking(move || {
                let done = turns.go_on();
                (turns, place, done)
            });
            let done;
            (turns, place, done) = watch_over(task, caller, &stop).await?;
            if let Some(done) = done {
                return Ok(done);
            }
            place = self.wait(turns.woken(), place, caller, &stop, &watch).await;
        }
    }

    /// The clocks of a run, which the token can stop.
    fn watch(&self, stop: CancellationToken) -> Watch {
        let values = &self.config.values;
        Watch::cancelled_by(stop, values.time(Limit::WallClock))
            .waiting_at_most(values.time(Limit::Waiting))
    }

    /// Waits until work that waits for an effect can continue or must stop. Another run may use its
    /// place meanwhile, if there is room for one more machine.
    async fn wait(
        &self,
        woken: impl Future<Output = ()>,
        place: Option<OwnedSemaphorePermit>,
        caller: &Caller,
        stop: &CancellationToken,
        watch: &Watch,
    ) -> Option<OwnedSemaphorePermit> {
        let seat = self.waits.try_enter();
        let has_left = seat.is_some();
        // If the run gets a seat, it gives up its place.
        let held = seat.or(place);
        let again = async {
            woken.await;
            if has_left { self.runs.enter_again().await } else { None }
        };
        tokio::select! {
            place = again => place.or(held),
            // Work that must stop does not wait for a place.
            () = sleep(watch.waiting_left()) => held,
            () = stop.cancelled() => held,
            () = caller.cancelled.cancelled() => {
                stop.cancel();
                held
            }
        }
    }

    /// Waits for a place. Returns it with the token that stops the work.
    async fn enter(
        &self,
        gate: &Gate,
        caller: &Caller,
    ) -> Result<(OwnedSemaphorePermit, CancellationToken), Fault> {
        let session = &caller.session;
        let since = Instant::now();
        let stop = session.stop.child_token();
        let place = tokio::select! {
            place = async { session.window.relieved().await; gate.enter().await } => place.map_err(busy)?,
            () = caller.cancelled.cancelled() => return Err(cancelled()),
            () = stop.cancelled() => return Err(cancelled()),
        };
        caller.notes.passed(Part::Admission, since);
        Ok((place, stop))
    }
}

/// Waits for work. A caller that cancels stops it.
async fn watch_over<T>(
    mut task: JoinHandle<T>,
    caller: &Caller,
    stop: &CancellationToken,
) -> Result<T, Fault> {
    let done = tokio::select! {
        done = &mut task => done,
        () = caller.cancelled.cancelled() => {
            stop.cancel();
            task.await
        }
    };
    done.map_err(|error| lost(&error.to_string()))
}

/// Notifies the client of a run's progress until the run ends and this future is dropped.
pub(super) async fn report_progress(
    progress: Option<(Peer<RoleServer>, ProgressToken)>,
    mut advanced: watch::Receiver<Progress>,
) -> Infallible {
    let Some((peer, token)) = progress else { return std::future::pending().await };
    while advanced.changed().await.is_ok() {
        let Progress { count, message } = advanced.borrow_and_update().clone();
        #[expect(clippy::cast_precision_loss, reason = "at most a million steps are driven")]
        let param = ProgressNotificationParam::new(token.clone(), count as f64);
        if peer.notify_progress(param.with_message(message)).await.is_err() {
            break;
        }
        tokio::time::sleep(REPORTED).await;
    }
    std::future::pending().await
}

fn busy(busy: GateTimeout) -> Fault {
    let patience = milliseconds(busy.0);
    let limit = Excess { name: Limit::Patience, used: patience, limit: patience };
    let message = format!("the server is busy: {busy}");
    fault(FaultCode::Busy, message, Some("try again later")).by(Some(limit))
}

fn cancelled() -> Fault {
    fault(FaultCode::Cancelled, "the run was cancelled".to_owned(), None)
}

fn lost(reason: &str) -> Fault {
    tracing::error!(reason, "a run was lost");
    fault(
        FaultCode::Internal,
        "the server lost the run because of a defect in the server".to_owned(),
        None,
    )
}
