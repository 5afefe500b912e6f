//! Runs that wait for an approval: found, decided, and taken up again. What others answered before is
//! taken from the store, so nobody is called twice.

use std::sync::Arc;
use std::time::Duration;

use pif_domain::{Decision, Fault, FaultCode, fault};
use pif_sandbox::Watch;
use pif_store::journal::{RunProgress, WaitState};

use super::consent::Consents;
use super::interruption::time_left;
use super::observer::Observer;
use super::opening::Workshop;
use super::past::{ApprovalWait, ReplayLog, WaitingRun};
use super::record::RequestRecord;
use super::refusal::stored;
use super::run::{RunResult, Start};
use super::world::Tools;

impl Workshop {
    /// Whether the operator lets the model approve any calls.
    #[must_use]
    pub fn may_model_approve(&self) -> bool {
        self.broker().is_some_and(|broker| !broker.greeting().approvable.is_empty())
    }

    /// All runs that wait and that the principal sees.
    pub fn kept(&self) -> Result<Vec<WaitingRun>, Fault> {
        self.journal.recover().map_err(stored)?;
        let rows = self.store.pending().map_err(stored)?;
        let is_seen = |it: &WaitingRun| {
            self.principal.sees_all() || it.run.principal == *self.principal.owner()
        };
        Ok(rows.into_iter().filter_map(WaitingRun::read).filter(is_seen).collect())
    }

    /// The run with this number, if it waits.
    pub fn find_kept(&self, run: i64) -> Result<WaitingRun, Fault> {
        let found = self.kept()?.into_iter().find(|it| it.row.id == Some(run));
        found.ok_or_else(|| no_longer(run))
    }

    /// The run that a handle names which is bound to this text.
    pub fn unseal(&self, handle: &str, bound: &str) -> Result<Option<WaitingRun>, Fault> {
        let Some((run, secret)) = handle.split_once('.') else { return Ok(None) };
        let Ok(run) = run.parse() else { return Ok(None) };
        let mut kept = self.kept()?.into_iter();
        Ok(kept.find(|it| {
            it.row.id == Some(run)
                && it.run.principal == *self.principal.owner()
                && it.fits(secret, bound)
        }))
    }

    /// Writes down what was decided. The run goes on when somebody asks for it.
    pub fn decide(&self, kept: &WaitingRun, decision: Decision) -> Result<(), Fault> {
        let waits = WaitState { decision: Some(decision), ..kept.waits.clone() };
        let run = RunProgress { waits: Some(waits), ..kept.run.clone() };
        let next = self.journal.exchange(&kept.row, run, None).map_err(stored)?;
        next.map(drop).ok_or_else(|| no_longer(kept.waiting().run))
    }

    /// Goes on with a run. Without a decision it still waits.
    pub async fn resume_in_turns(
        &self,
        kept: WaitingRun,
        decision: Option<Decision>,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> Result<RunResult, Fault> {
        let run = kept.waiting().run;
        let Some(decision) = decision.or(kept.waits.decision) else {
            let waiting = ApprovalWait { decision: None, ..kept.waiting() };
            return Ok(RunResult::waiting(waiting, self.limits));
        };
        let WaitingRun { row, run: unfinished, waits } = kept;
        let request = serde_json::from_value::<RequestRecord>(unfinished.request.clone()).ok();
        let request =
            request.and_then(RequestRecord::into_request).ok_or_else(|| no_longer(run))?;
        // From here on it is the run of this process; nobody else can go on with it.
        let time: Duration = match &unfinished.durable {
            Some(durable) => time_left(durable),
            None => self.longest,
        };
        let own = self.journal.exchange(&row, unfinished.clone(), Some(time)).map_err(stored)?;
        if own.is_none() {
            return Err(no_longer(run));
        }
        let registered = self.registry.snapshot_as_of(waits.as_of);
        let tools = Tools { registered, candidates: Arc::default() };
        let start = Start {
            past: ReplayLog::new(unfinished.answers, unfinished.texts, Vec::new()),
            consents: Consents { granted: waits.granted, decided: Some((waits.wishes, decision)) },
            pending: row.id,
            bindings: None,
            unkept: false,
            durable: unfinished.durable,
            by_hand: Arc::default(),
        };
        Ok(self.go_on(&request, tools, start, observer, watch).await)
    }
}

fn no_longer(run: i64) -> Fault {
    let message = format!("no run {run} waits for an approval");
    let hint = "it has gone on, or it waited too long: `journal_recent` shows what came of runs";
    fault(FaultCode::UnknownEntry, message, Some(hint))
}
