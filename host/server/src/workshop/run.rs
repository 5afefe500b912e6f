//! Runs a request, compares its value with the output schemas and journals the run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pif_domain::{CallSummary, Part, StepTold};
use pif_sandbox::{Limits, Outcome, Request, Watch, drive_in_turns, finish, give_way};
use pif_store::journal::{Draft, Durable};
use pif_store::{Error as StoreError, Wait, Write};

use super::bindings::Bindings;
use super::call_log::CallRecords;
use super::call_record::made;
use super::consent::Consents;
use super::intent::Intent;
use super::interruption::{StopReason, ended, interrupt};
use super::observer::Observer;
use super::opening::Workshop;
use super::past::{ApprovalWait, ReplayLog, waits};
use super::refusal::stored;
use super::session::TurnResult;
use super::step_log::{FAILED, steps};
use super::world::{CancelCheck, Live, Tools, Witness};
use super::{conform, record, schemas};

/// A completed run.
#[derive(Debug)]
pub struct RunResult {
    /// Its outcome.
    pub outcome: Outcome,
    /// The time from start to end.
    pub elapsed: Duration,
    /// The number of its journal entry.
    pub entry: Option<i64>,
    /// The question that it is kept for. It has no outcome then.
    pub waiting: Option<ApprovalWait>,
    /// Its number, if it is durable.
    pub run: Option<i64>,
    /// What it has made, as a turn of a session.
    pub turned: Option<TurnResult>,
    /// The calls that it has made.
    pub made: Vec<CallSummary>,
    /// Its steps that have names, if it is durable.
    pub steps: Vec<StepTold>,
    /// The limits of each step.
    pub limits: Limits,
    /// sha256 of the term, where somebody wants to know it.
    pub revision: Option<String>,
    /// The first evaluation steps, if the caller asked for them.
    pub evaluation: Vec<String>,
}

impl RunResult {
    /// A run that waits.
    pub(super) fn waiting(waiting: ApprovalWait, limits: Limits) -> Self {
        let outcome = Outcome::before(waits());
        Self { waiting: Some(waiting), ..Self::new(outcome, limits, Duration::ZERO) }
    }

    /// A run that stopped before its end.
    pub(super) fn stopped(stopped: StopReason, limits: Limits) -> Self {
        match stopped {
            StopReason::Waiting(waiting) => Self::waiting(waiting, limits),
            StopReason::Interrupted(run, fault, steps) => {
                let outcome = Outcome::before(*fault);
                Self { run: Some(run), steps, ..Self::new(outcome, limits, Duration::ZERO) }
            }
        }
    }

    /// A run without an entry.
    #[must_use]
    pub fn new(outcome: Outcome, limits: Limits, elapsed: Duration) -> Self {
        Self {
            outcome,
            elapsed,
            entry: None,
            waiting: None,
            run: None,
            turned: None,
            made: Vec::new(),
            steps: Vec::new(),
            limits,
            revision: None,
            evaluation: Vec::new(),
        }
    }
}

/// How a run starts.
#[derive(Debug, Default)]
pub(super) struct Start {
    /// What others answered before.
    pub(super) past: ReplayLog,
    /// What was said before.
    pub(super) consents: Consents,
    /// What the store keeps of it.
    pub(super) pending: Option<i64>,
    /// The bindings of the session, if it is a run of a turn. Such a run is not kept to wait.
    pub(super) bindings: Option<Bindings>,
    /// Whether it is not kept to wait for an approval.
    pub(super) unkept: bool,
    /// How it is kept, if it is durable.
    pub(super) durable: Option<Durable>,
    /// Whether somebody ends it.
    pub(super) by_hand: CancelCheck,
}

impl Workshop {
    /// Runs a request to its end and journals it before it returns. If the entry cannot be written,
    /// the outcome is a fault: every reported run has an entry.
    pub fn run(
        &self,
        request: &Request,
        tools: Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> RunResult {
        finish(self.run_in_turns(request, tools, observer, watch))
    }

    /// Like [`Self::run`], but yields the thread after each turn and before steps that may wait.
    pub async fn run_in_turns(
        &self,
        request: &Request,
        tools: Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> RunResult {
        self.go_on(request, tools, Start::default(), observer, watch).await
    }

    /// Runs a request that may have waited.
    pub(super) async fn go_on(
        &self,
        request: &Request,
        tools: Tools,
        before: Start,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> RunResult {
        let run = before.durable.is_some().then_some(before.pending).flatten();
        let ran = self.run_unwritten(request, tools, before, observer, watch).await;
        let (mut finished, draft) = match ran {
            Ok(ran) => ran,
            Err(stopped) => return RunResult::stopped(stopped, request.limits),
        };
        let since = Instant::now();
        let entry = Write::entry(draft);
        let appended = match self.journal.append_within(&entry, Wait::Never) {
            Err(StoreError::Locked) => {
                give_way().await;
                self.journal.append_within(&entry, Wait::Patiently)
            }
            appended => appended,
        };
        observer.passed(Part::Journal, since);
        match appended {
            Ok(entry) => finished.entry = Some(entry),
            Err(error) => finished.outcome.ending = Err(stored(error)),
        }
        finished.run = run;
        finished
    }

    /// Runs a request and leaves its entry to the caller, unless it waits.
    pub(super) async fn run_unwritten(
        &self,
        request: &Request,
        tools: Tools,
        before: Start,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> Result<(RunResult, Draft), StopReason> {
        let start = Instant::now();
        let mut written = CallRecords { pending: before.pending, ..CallRecords::default() };
        let durable = before.durable;
        let asked = match &request.output_schema {
            Some(text) => schemas::recall_in_turns(text).await.map(Some),
            None => Ok(None),
        };
        let mut outcome = match asked {
            Ok(asked) => {
                let known = tools.clone();
                let as_of = tools.registered.as_of();
                let live = self.live(tools, Arc::clone(&self.effects), watch);
                // A run in a snapshot does not wait: the snapshot may be gone.
                let waits = before.bindings.is_none() && self.snapshot.is_none() && !before.unkept;
                let patience = waits.then_some(self.patience);
                let live = live.after(before.past).binding(before.bindings.unwrap_or_default());
                let live = Live { by_hand: before.by_hand, ..live };
                let keeper = (&self.journal, self.longest, patience);
                let offers = self.effects.is_open().then(|| self.effects.changes());
                let intent = Intent::new(keeper, request, offers, watch);
                let intent = intent.after(before.pending, as_of).durable(durable.clone());
                let witness = Witness::new(live, observer).intending(intent, before.consents);
                let mut witness = witness.telling_steps(durable.is_some());
                let request = request.clone();
                let mut outcome = drive_in_turns(&self.sandbox, request, &mut witness, watch).await;
                if let Some(waiting) = witness.waiting() {
                    return Err(StopReason::Waiting(waiting));
                }
                if durable.is_some()
                    && let Some(stopped) = interrupt(&mut outcome, &mut witness)
                {
                    return Err(stopped);
                }
                written = witness.close();
                let (answer, schema) = conform::conform(&mut outcome, asked, &known, watch).await;
                written.answers.extend(answer);
                written.texts.extend(schema);
                outcome
            }
            Err(fault) => Outcome::before(fault),
        };
        let elapsed = start.elapsed();
        let CallRecords { answers, texts, pins, pending } = written;
        let made = made(&answers);
        let steps = steps(&answers, FAILED);
        if let Err(fault) = &mut outcome.ending {
            fault.calls_made.clone_from(&made);
        }
        let mut draft = record::run(request, answers, &outcome, elapsed);
        if let (Some(snapshot), Some(request)) = (self.snapshot, draft.request.as_object_mut()) {
            request.insert("snapshot".to_owned(), snapshot.into());
        }
        let ended = durable.map(|durable| Box::new(ended(&draft, durable)));
        let finished =
            RunResult { made, steps, ..RunResult::new(outcome, request.limits, elapsed) };
        Ok((finished, Draft { texts, pins, pending, ended, ..draft }))
    }
}
