//! Durable runs: they begin, go on and end by the wishes of clients, in the background or while a client
//! waits.

use std::iter;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pif_domain::{Fault, FaultCode, Limit, Principal, Scope, StepTold};
use pif_sandbox::{Outcome, Request, Watch};
use pif_store::journal::RunStatus;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::arguments::malformed;
use super::backend::{Backend, report_progress};
use super::call::Caller;
use super::lines::{Lines, Progress};
use super::present::render;
use super::tool::ToolResult;
use super::works::RunningRun;
use crate::render::{Reply, kept_run, working};
use crate::transport::{Bounds, Session};
use crate::workshop::{
    CancelCheck, DurableRun, KeptRun, Resolution, RunResult, Tools, kept_limits,
};

/// The time between two looks at a run of another process.
const LOOK: Duration = Duration::from_millis(200);

/// How long a server waits before it tries again to leave a run that it could not write down.
const AGAIN: Duration = Duration::from_secs(1);

/// The pauses before a starting server looks for runs in the background.
const STARTS: [Duration; 3] = [Duration::ZERO, Duration::from_secs(1), Duration::from_secs(10)];

/// How long a run that somebody ends may take to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// What there is to do for a run.
enum Work {
    Begin(DurableRun, Box<Request>, Tools),
    GoOn(Box<KeptRun>),
}

impl Work {
    fn number(&self) -> i64 {
        match self {
            Self::Begin(begun, ..) => begun.run,
            Self::GoOn(kept) => kept.number(),
        }
    }
}

/// A run that this server has begun to work on.
struct ActiveRun {
    stop: CancellationToken,
    steps: Arc<Mutex<Vec<StepTold>>>,
    by_hand: CancelCheck,
    ended: watch::Sender<bool>,
}

/// What a client wants of a run that is kept.
#[derive(Debug, Default)]
pub(super) struct ResumeOptions {
    /// How long to wait for it.
    pub(super) wait: Duration,
    /// What came of a call of which nobody knows what it has done.
    pub(super) resolution: Option<Resolution>,
}

impl Backend {
    /// Begins a durable run. One in the background has a number as its answer.
    pub(super) async fn begin_durable(
        self: &Arc<Self>,
        request: Request,
        tools: Tools,
        background: bool,
        caller: &Caller,
    ) -> Result<RunResult, Result<Reply, Fault>> {
        let (asked, known) = (request.clone(), tools.clone());
        let begun = self
            .look(caller, move |backend, _| {
                backend.workshop.begin_durable(&asked, &known, background)
            })
            .await
            .and_then(|begun| begun);
        let begun = begun.map_err(Err)?;
        let work = Work::Begin(begun, Box::new(request), tools);
        if background {
            let run = work.number();
            self.work_apart(work, caller.clone());
            caller.begin(run);
            return Err(Ok(working(run, 0, &[])));
        }
        Ok(self.work(work, caller).await)
    }

    /// Gives what came of a run, or goes on with it.
    pub(super) async fn resume_run(
        self: &Arc<Self>,
        run: i64,
        wanted: ResumeOptions,
        caller: &Caller,
    ) -> ToolResult {
        let mut kept = self.find_run(run, caller).await?;
        if let Some(resolution) = wanted.resolution {
            let decided = move |backend: &Self, _: &Watch| backend.workshop.say(&kept, &resolution);
            kept = self.look(caller, decided).await??;
        }
        if kept.standing() == RunStatus::Waiting
            && let Some(waiting) = kept.waiting()
        {
            return self.resume(waiting, None, caller).await;
        }
        if matches!(kept.standing(), RunStatus::Interrupted | RunStatus::OutcomeUnknown) {
            if !kept.is_background() || kept.standing() == RunStatus::OutcomeUnknown {
                let done = self.work(Work::GoOn(Box::new(kept)), caller).await;
                return render(done, &self.config);
            }
            self.work_apart(Work::GoOn(Box::new(kept)), caller.clone());
        }
        self.wait_for(run, wanted.wait, caller).await?;
        let kept = self.find_run(run, caller).await?;
        self.render_run(&kept)
    }

    /// Ends a run.
    pub(super) async fn cancel_run(self: &Arc<Self>, run: i64, caller: &Caller) -> ToolResult {
        // It has to be the caller's own.
        let kept = self.find_run(run, caller).await?;
        if let Some(running) = self.work.find(run) {
            running.by_hand.store(true, Ordering::Relaxed);
            running.stop.cancel();
            self.wait_for(run, FAREWELL, caller).await?;
        } else {
            self.look(caller, move |backend, _| backend.workshop.cancel(&kept)).await??;
        }
        let kept = self.find_run(run, caller).await?;
        Ok(kept_run(&kept.status()))
    }

    /// Goes on with the runs in the background that have not ended, for whoever they belong to. A server
    /// that worked on them may still be ending, so it looks more than once. From then on it looks for runs
    /// of servers that are gone.
    pub(super) async fn go_on_with_all(self: Arc<Self>) {
        self.workshop.sandbox.opened().await;
        let period = self.workshop.journal.lease().life() / 2;
        let starts = STARTS.into_iter().map(|pause| (pause, true));
        for (pause, is_start) in starts.chain(iter::repeat((period, false))) {
            tokio::select! {
                () = sleep(pause) => {}
                () = self.work.leave.cancelled() => return,
            }
            match self.go_on_with_those_left(is_start).await {
                // A database that is away is told of elsewhere.
                Err(fault) if fault.code == FaultCode::StoreUnavailable => {}
                Err(fault) => {
                    tracing::error!(message = fault.message, "runs in the background do not go on");
                }
                Ok(()) => {}
            }
        }
    }

    async fn go_on_with_those_left(self: &Arc<Self>, is_start: bool) -> Result<(), Fault> {
        let caller = self.apart(&Principal::local());
        let runs = self.look(&caller, |backend, _| backend.workshop.runs()).await??;
        let is_left = |it: &KeptRun| {
            it.is_background()
                && it.standing() == RunStatus::Interrupted
                && (is_start || it.is_abandoned())
        };
        for kept in runs.into_iter().filter(is_left) {
            let owner = match &**kept.owner() {
                "" => Principal::local(),
                name => Principal::new(name, Scope::Run),
            };
            let (backend, caller) = (self.of(&owner), self.apart(&owner));
            backend.work_apart(Work::GoOn(Box::new(kept)), caller);
        }
        Ok(())
    }

    /// The run with this number, if the caller sees it.
    pub(super) async fn find_run(
        self: &Arc<Self>,
        run: i64,
        caller: &Caller,
    ) -> Result<KeptRun, Fault> {
        self.look(caller, move |backend, _| backend.workshop.find_run(run)).await?
    }

    /// Works on a run for whom nobody waits.
    fn work_apart(self: &Arc<Self>, work: Work, caller: Caller) {
        let (backend, session) = (Arc::clone(self), self.apart_session());
        let caller = caller.detached(session);
        let Some(entered) = self.enter_work(&work, &caller) else { return };
        tokio::spawn(async move {
            let run = work.number();
            let done = backend.work_on(work, entered, caller).await;
            if let Err(fault) = &done.outcome.ending {
                let code = fault.code.name();
                tracing::info!(run, code, message = fault.message, "a run stopped");
            }
        });
    }

    /// Works on a run until it ends or stops.
    async fn work(self: &Arc<Self>, work: Work, caller: &Caller) -> RunResult {
        match self.enter_work(&work, caller) {
            Some(entered) => self.work_on(work, entered, caller.clone()).await,
            None => {
                let fault = malformed(format!("run {} is working", work.number()), None);
                RunResult::new(Outcome::before(fault), self.config.limits, Duration::ZERO)
            }
        }
    }

    /// Notes that this server works on a run; None: it does already.
    fn enter_work(&self, work: &Work, caller: &Caller) -> Option<ActiveRun> {
        let (ended, done) = watch::channel(false);
        let (stop, by_hand) = (caller.cancelled.child_token(), CancelCheck::default());
        let steps = Arc::<Mutex<Vec<StepTold>>>::default();
        let running = RunningRun {
            stop: stop.clone(),
            by_hand: Arc::clone(&by_hand),
            steps: Arc::clone(&steps),
            done,
        };
        let mut all = self.work.running();
        if all.contains_key(&work.number()) {
            return None;
        }
        all.insert(work.number(), running);
        Some(ActiveRun { stop, steps, by_hand, ended })
    }

    async fn work_on(
        self: &Arc<Self>,
        work: Work,
        entered: ActiveRun,
        caller: Caller,
    ) -> RunResult {
        let ActiveRun { stop, steps, by_hand, ended } = entered;
        let run = work.number();
        let caller = caller.stopped_by(stop);
        let evaluated = self.work_until_it_stops(work, (by_hand, steps), &caller).await;
        self.work.running().remove(&run);
        ended.send_replace(true);
        if evaluated.outcome.ending.as_ref().is_err_and(|fault| fault.code.is_of_store()) {
            tokio::spawn(Arc::clone(self).leave_behind(run, self.detached(caller)));
        }
        evaluated
    }

    /// Leaves a run that could not be written down when the store failed. One in the background goes on.
    async fn leave_behind(self: Arc<Self>, run: i64, caller: Caller) {
        loop {
            tokio::select! {
                () = sleep(AGAIN) => {}
                () = self.work.leave.cancelled() => return,
            }
            let left = self.look(&caller, move |backend, _| backend.workshop.leave_run(run)).await;
            match left.and_then(|left| left) {
                Err(fault) if fault.code.is_of_store() => {}
                // It has ended, or it is not kept any more.
                Err(_) => return,
                Ok(()) => break,
            }
        }
        if let Ok(kept) = self.find_run(run, &caller).await
            && kept.is_background()
            && kept.standing() == RunStatus::Interrupted
        {
            self.work_apart(Work::GoOn(Box::new(kept)), caller);
        }
    }

    async fn work_until_it_stops(
        self: &Arc<Self>,
        work: Work,
        (by_hand, steps): (CancelCheck, Arc<Mutex<Vec<StepTold>>>),
        caller: &Caller,
    ) -> RunResult {
        let (advance, advanced) = watch::channel(Progress::default());
        let mut observer = Lines::new(advance, 0, 0, &self.config, caller).telling(steps);
        let limits = match &work {
            Work::Begin(_, request, _) => request.limits,
            Work::GoOn(kept) => kept_limits(kept).unwrap_or(self.config.limits),
        };
        let waiting = self.config.values.time(Limit::DurableWaiting);
        let done = self.run_in_turns_within(
            caller,
            waiting,
            async move |backend: Arc<Self>, watch: Watch| {
                let (workshop, observer) = (&backend.workshop, &mut observer);
                match work {
                    Work::Begin(begun, request, tools) => {
                        let (request, known) = (&*request, tools.clone());
                        let asked = (request, tools);
                        let mut done = workshop
                            .run_durable_in_turns(&begun, by_hand, asked, observer, &watch)
                            .await;
                        done.outcome.ending = done
                            .outcome
                            .ending
                            .map_err(|fault| workshop.explain(fault, &known, &watch));
                        Ok(done)
                    }
                    Work::GoOn(kept) => {
                        workshop.resume_durable_in_turns(*kept, by_hand, observer, &watch).await
                    }
                }
            },
        );
        let done = tokio::select! {
            done = done => done,
            never = report_progress(caller.progress.clone(), advanced) => match never {},
        };
        let done = match done {
            Ok(Ok(done)) => done,
            Ok(Err(fault)) | Err(fault) => {
                return RunResult::new(Outcome::before(fault), limits, Duration::ZERO);
            }
        };
        caller.note(&done);
        done
    }

    /// Waits until nobody works on a run any more, for so long.
    async fn wait_for(
        self: &Arc<Self>,
        run: i64,
        time: Duration,
        caller: &Caller,
    ) -> Result<(), Fault> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if let Some(mut running) = self.work.find(run) {
                let done = running.done.wait_for(|done| *done);
                tokio::select! {
                    _ = timeout(left, done) => {}
                    () = caller.cancelled.cancelled() => {}
                }
                return Ok(());
            }
            if left.is_zero() || self.find_run(run, caller).await?.standing() != RunStatus::Working
            {
                return Ok(());
            }
            sleep(LOOK.min(left)).await;
        }
    }

    /// The reply that a run has now.
    pub(super) fn render_run(&self, kept: &KeptRun) -> ToolResult {
        match (kept.finished(), kept.standing()) {
            (Some(finished), _) => render(finished, &self.config),
            (None, RunStatus::Working) => {
                Ok(working(kept.number(), kept.calls(), &self.steps_of(kept)))
            }
            (None, _) => Ok(kept_run(&kept.status())),
        }
    }

    /// The steps of a run so far: as this server knows them, if it works on the run.
    pub(super) fn steps_of(&self, kept: &KeptRun) -> Vec<StepTold> {
        let here = self.work.find(kept.number()).map(|it| it.steps());
        here.unwrap_or_else(|| kept.steps())
    }

    /// A caller for a run that goes on without its client.
    pub(super) fn detached(&self, caller: Caller) -> Caller {
        caller.detached(self.apart_session())
    }

    fn apart(&self, principal: &Principal) -> Caller {
        Caller::nobody(self.apart_session(), principal)
    }

    fn apart_session(&self) -> Arc<Session> {
        let values = &self.config.values;
        let bounds = Bounds::of_lines(values.size(Limit::Line), values.size(Limit::Nesting));
        Session::apart(1, bounds, &self.work.leave)
    }
}
