//! Durable runs: each answer is on the disk before the program goes on, so that a run goes on from
//! there after its server, its client or its time is gone.

use std::sync::Arc;
use std::time::Duration;

use pif_domain::text::time::now;
use pif_domain::{EntryKind, EntryOutcome, Fault, FaultCode, StepTold, fault, named};
use pif_sandbox::{Limits, Outcome, Request, Usage, Watch};
use pif_store::Write;
use pif_store::journal::{
    Answer, Came, Decision, Digest, Draft, Durable, Pending, Policy, RunProgress, RunStatus,
};
use serde_json::Value;

use super::call_record::{made, outcome_unknown};
use super::consent::Consents;
use super::interruption::{StopReason, advised, ended, time_left};
use super::observer::Observer;
use super::opening::Workshop;
use super::past::{ReplayLog, WaitingRun};
use super::record::{self, RequestRecord};
use super::refusal::stored;
use super::run::{RunResult, Start};
use super::step_log::steps;
use super::world::{CancelCheck, Tools};
use crate::render::RunSummary;

/// Bytes of a program that a list of runs shows.
const SHOWN: usize = 80;

/// A run that the store keeps: a durable one, or one that waits for an approval.
#[derive(Debug, Clone)]
pub struct KeptRun {
    row: Pending,
    run: RunProgress,
}

/// A durable run that begins.
#[derive(Debug, Clone)]
pub struct DurableRun {
    /// Its number.
    pub run: i64,
    durable: Durable,
}

/// What somebody says of a call of which nobody knows what it has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// It is made again.
    Retry,
    /// The program gets a fault that `try` catches.
    Skip,
    /// It was done, and this JSON is its value.
    Done(String),
}

impl KeptRun {
    fn read(row: Pending) -> Option<Self> {
        let run = RunProgress::read(&row.parts);
        (run.durable.is_some() || run.waits.is_some()).then_some(Self { row, run })
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> i64 {
        self.row.id.unwrap_or_default()
    }

    /// How it stands.
    #[must_use]
    pub fn standing(&self) -> RunStatus {
        self.row.standing(&self.run)
    }

    /// Whether the server that worked on it is gone, or has stopped, and nothing else interrupted it.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        let interrupted = self.run.durable.as_ref().map(|it| &it.interrupted["code"]);
        let is_stopped = |code: &Value| code.is_null() || *code == FaultCode::Cancelled.name();
        self.row.is_abandoned() && interrupted.is_some_and(is_stopped)
    }

    /// Whether it goes on by itself.
    #[must_use]
    pub fn is_background(&self) -> bool {
        self.run.durable.as_ref().is_some_and(|it| it.background)
    }

    /// Who it belongs to.
    #[must_use]
    pub fn owner(&self) -> &Arc<str> {
        &self.run.principal
    }

    /// What is told of it.
    #[must_use]
    pub fn status(&self) -> RunSummary {
        let began = self.run.durable.as_ref().map(|it| it.began);
        let until = self.run.durable.as_ref().map_or(self.row.until, |it| it.until);
        RunSummary {
            run: self.number(),
            status: self.standing().name(),
            program: self.program(),
            calls: self.calls(),
            began,
            until,
            is_background: self.is_background(),
            steps: self.steps(),
            fault: self.fault(),
            unsure: self.unsure(),
        }
    }

    /// What is run: the tool, or the beginning of the program.
    fn program(&self) -> String {
        let text = |name: &str| self.run.request.get(name).and_then(Value::as_str);
        match (&self.run.subject, text("code")) {
            (Some(tool), _) => tool.clone(),
            (None, Some(code)) => pif_domain::text::line(code, SHOWN),
            (None, None) => String::new(),
        }
    }

    /// The calls that have an answer.
    #[must_use]
    pub fn calls(&self) -> usize {
        made(&self.run.answers).iter().filter(|it| it.outcome != Came::Unknown.name()).count()
    }

    /// Its steps that have names.
    #[must_use]
    pub fn steps(&self) -> Vec<StepTold> {
        steps(&self.run.answers, self.standing().name())
    }

    /// The tool that is run, if it is one.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.run.subject.as_deref()
    }

    /// The calls of which nobody knows what they have done, each with its arguments.
    fn unsure(&self) -> Vec<(String, String)> {
        let Some(Answer::Calls(made)) = self.run.answers.last() else { return Vec::new() };
        let text = |digest: &Digest| {
            let found = self.run.texts.iter().find(|text| Digest::of(text) == *digest);
            found.cloned().unwrap_or_default()
        };
        let unsure = self.run.unsure.iter().filter_map(|at| made.get(*at));
        unsure.map(|it| (it.asked.tool.clone(), text(&it.asked.args))).collect()
    }

    /// The fault that interrupted it: its code and its message.
    fn fault(&self) -> Option<(String, String)> {
        let told = match (&self.run.ended, &self.run.durable) {
            (Some(end), _) => &end.outcome["fault"],
            (None, Some(durable)) => &durable.interrupted,
            (None, None) => return None,
        };
        let text = |name: &str| told[name].as_str().map(str::to_owned);
        Some((text("code")?, text("message")?))
    }

    /// What came of it, if it has ended.
    #[must_use]
    pub fn finished(&self) -> Option<RunResult> {
        let end = self.run.ended.as_ref()?;
        let usage = Usage { fuel: end.fuel, peak_memory: end.memory, peak_depth: end.depth };
        let ending = record::read_outcome(&end.outcome);
        let driven = end.outcome["steps"].as_u64().unwrap_or_default();
        let outcome = Outcome { ending, usage, driven, tool: self.run.subject.clone() };
        let elapsed = Duration::from_micros(end.micros);
        let (entry, run) = (Some(end.entry), Some(self.number()));
        let made = made(&self.run.answers);
        let steps = self.steps();
        Some(RunResult {
            entry,
            run,
            made,
            steps,
            ..RunResult::new(outcome, limits(self)?, elapsed)
        })
    }

    /// The run as one that waits for an approval.
    #[must_use]
    pub fn waiting(&self) -> Option<WaitingRun> {
        WaitingRun::read(self.row.clone())
    }
}

impl Workshop {
    /// Writes a durable run down before it begins.
    pub fn begin_durable(
        &self,
        request: &Request,
        tools: &Tools,
        background: bool,
    ) -> Result<DurableRun, Fault> {
        let refuse = |message: &str, hint: &str| {
            Err(fault(FaultCode::Malformed, message.to_owned(), Some(hint)))
        };
        if self.snapshot.is_some() {
            let message = "a run in a snapshot is not durable, since the snapshot may be gone";
            return refuse(message, "leave `durable` or `snapshot` out");
        }
        if self.journal.settings().policy != Policy::Full {
            let message =
                "a durable run is kept with its answers, and the journal keeps no payloads";
            return refuse(message, "start the server with --journal-payload full");
        }
        let (began, as_of) = (now(), tools.registered.as_of());
        let life = i64::try_from(self.patience.life.as_millis()).unwrap_or(i64::MAX);
        let until = began.saturating_add(life);
        let durable = Durable { as_of, began, until, background, interrupted: Value::Null };
        let Draft { subject, request, .. } = record::begun(request);
        let kept = Some(durable.clone());
        let run = RunProgress { subject, request, durable: kept, ..RunProgress::default() };
        let run = self.journal.pend(None, run, self.patience.life, false).map_err(stored)?;
        let run = run.ok_or_else(|| fault(FaultCode::Internal, "a run has no number".into(), None));
        Ok(DurableRun { run: run?, durable })
    }

    /// Runs a durable run from its beginning.
    pub async fn run_durable_in_turns(
        &self,
        begun: &DurableRun,
        by_hand: CancelCheck,
        (request, tools): (&Request, Tools),
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> RunResult {
        let DurableRun { run, durable } = begun;
        let (pending, durable) = (Some(*run), Some(durable.clone()));
        let start = Start { pending, durable, by_hand, ..Start::default() };
        self.go_on(request, tools, start, observer, watch).await
    }

    /// All runs that are kept and that the principal sees.
    pub fn runs(&self) -> Result<Vec<KeptRun>, Fault> {
        self.journal.recover().map_err(stored)?;
        let rows = self.store.pending().map_err(stored)?;
        let is_seen =
            |it: &KeptRun| self.principal.sees_all() || *it.owner() == *self.principal.owner();
        Ok(rows.into_iter().filter_map(KeptRun::read).filter(is_seen).collect())
    }

    /// The kept run with this number.
    pub fn find_run(&self, run: i64) -> Result<KeptRun, Fault> {
        let found = self.runs()?.into_iter().find(|it| it.number() == run);
        found.ok_or_else(|| {
            let message = format!("no run {run} is kept");
            let hint = "only durable runs and those that wait for an approval are: \
                `journal_recent` shows what came of others";
            fault(FaultCode::UnknownEntry, message, Some(hint))
        })
    }

    /// Says of the first call of a run of which nobody knows what it has done.
    pub fn say(&self, kept: &KeptRun, resolution: &Resolution) -> Result<KeptRun, Fault> {
        let (mut run, at) = (kept.run.clone(), kept.run.unsure.first().copied());
        let call = match (run.answers.last_mut(), at, kept.standing()) {
            (Some(Answer::Calls(made)), Some(at), RunStatus::OutcomeUnknown) => made.get_mut(at),
            _ => None,
        };
        let Some(call) = call else {
            let message = format!("run {} has no call to decide", kept.number());
            return Err(fault(FaultCode::Malformed, message, Some("see it with `runs`")));
        };
        match resolution {
            Resolution::Retry => call.decided = Some(Decision::Retry),
            Resolution::Skip => {
                call.decided = Some(Decision::Skip);
                let message = "somebody decided to go on without the outcome".to_owned();
                let reason = pif_domain::Reason::Skipped;
                call.outcome = Came::Failed { reason, message, value: None };
            }
            Resolution::Done(value) => {
                call.decided = Some(Decision::Done);
                call.outcome = Came::Value(Digest::of(value));
                run.texts.push(value.clone());
            }
        }
        run.unsure.remove(0);
        self.exchange(kept, run)
    }

    /// Goes on with a durable run.
    pub async fn resume_durable_in_turns(
        &self,
        kept: KeptRun,
        by_hand: CancelCheck,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> Result<RunResult, Fault> {
        let number = kept.number();
        let request = serde_json::from_value::<RequestRecord>(kept.run.request.clone()).ok();
        let request = request.and_then(RequestRecord::into_request);
        let (Some(request), Some(durable)) = (request, kept.run.durable.clone()) else {
            let message = format!("run {number} cannot be read");
            return Err(fault(FaultCode::Internal, message, None));
        };
        if kept.standing() == RunStatus::OutcomeUnknown {
            return Ok(unknown(&kept, request.limits));
        }
        if kept.standing() != RunStatus::Interrupted {
            return Err(busy(&kept));
        }
        let durable = Durable { interrupted: Value::Null, ..durable };
        let run = RunProgress { durable: Some(durable.clone()), ..kept.run.clone() };
        self.exchange(&kept, run)?;
        let RunProgress { answers, texts, .. } = kept.run;
        let registered = self.registry.snapshot_as_of(durable.as_of);
        let tools = Tools { registered, candidates: Arc::default() };
        let start = Start {
            past: ReplayLog::new(answers, texts, Vec::new()),
            consents: Consents::default(),
            pending: Some(number),
            bindings: None,
            unkept: false,
            durable: Some(durable),
            by_hand,
        };
        Ok(self.go_on(&request, tools, start, observer, watch).await)
    }

    /// Ends a run on which no process works.
    pub fn cancel(&self, kept: &KeptRun) -> Result<(), Fault> {
        let standing = kept.standing();
        if standing.is_over() || standing == RunStatus::Working {
            return Err(busy(kept));
        }
        let run = RunProgress { waits: None, ..kept.run.clone() };
        let own = self.exchange(kept, run)?;
        let KeptRun { run, .. } = own;
        let told = fault(FaultCode::Cancelled, "the run was cancelled".to_owned(), None);
        let ending = EntryOutcome::Fault(FaultCode::Cancelled);
        let draft = Draft {
            request: run.request,
            answers: run.answers,
            texts: run.texts,
            pending: Some(kept.number()),
            outcome: record::fault(&told),
            ..Draft::new(EntryKind::Run, run.subject.as_deref(), ending)
        };
        let ended = run.durable.map(|durable| Box::new(ended(&draft, durable)));
        let draft = Draft { ended, ..draft };
        self.journal.commit_one(Write::entry(draft)).map(drop).map_err(super::refusal::unwritten)
    }

    /// Leaves a run to whoever goes on with it, if this process has it and has stopped working on it.
    pub fn leave_run(&self, run: i64) -> Result<(), Fault> {
        let kept = self.find_run(run)?;
        let own = self.journal.lease().name();
        if kept.standing() == RunStatus::Working && own.as_ref() == Some(&kept.row.owner) {
            self.store.exchange(&kept.row, &kept.row.left()).map_err(stored)?;
        }
        Ok(())
    }

    /// Takes a run over, as it was read.
    fn exchange(&self, kept: &KeptRun, run: RunProgress) -> Result<KeptRun, Fault> {
        let time = run.durable.as_ref().map_or(self.longest, time_left);
        let row = self.journal.exchange(&kept.row, run.clone(), Some(time)).map_err(stored)?;
        row.map(|row| KeptRun { row, run }).ok_or_else(|| busy(kept))
    }
}

/// The refusal to change a run that another one works on, or that has ended.
fn busy(kept: &KeptRun) -> Fault {
    let (run, standing) = (kept.number(), kept.standing().name());
    let place = kept.row.lease.as_ref().map(|lease| format!(", by {}", lease.told()));
    let message = format!("run {run} is {standing}{}", place.unwrap_or_default());
    let hint = named(&format!("run {{\"resume\": {run}, \"wait\": 30}}")).into_owned();
    fault(FaultCode::Malformed, message, Some(&hint))
}

/// What is told of a run that stopped at a call of which nobody knows what it has done.
fn unknown(kept: &KeptRun, limits: Limits) -> RunResult {
    let (code, message) = kept.fault().unwrap_or_else(|| {
        let tool = kept.unsure().into_iter().next().map(|it| it.0).unwrap_or_default();
        let fault = outcome_unknown(&tool);
        (fault.code.name().to_owned(), fault.message)
    });
    let code = FaultCode::find(&code).unwrap_or(FaultCode::OutcomeUnknown);
    let told = advised(&fault(code, message, None), kept.number());
    RunResult::stopped(StopReason::Interrupted(kept.number(), Box::new(told), kept.steps()), limits)
}

/// The limits of a run that the store keeps.
#[must_use]
pub fn limits(kept: &KeptRun) -> Option<Limits> {
    let request = serde_json::from_value::<RequestRecord>(kept.run.request.clone()).ok();
    Some(request?.into_request()?.limits)
}
