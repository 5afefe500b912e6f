//! What is on the disk of a run before its calls leave: a server that dies leaves it behind.

use std::sync::Arc;
use std::time::Duration;

use pif_domain::{Call, EffectClass, Fault, FaultCode, Offer, fault};
use pif_sandbox::{Request, Watch};
use pif_store::journal::{Answer, Came, Draft, Durable, Journal, RunProgress, SentCall};
use tokio::sync::watch;

use super::record;
use super::refusal::stored;

/// Writes down what a run asks others for, before it is sent. What only reads may be asked again.
#[derive(Debug)]
pub(super) struct Intent<'a> {
    pub(super) journal: &'a Journal,
    /// The longest that the run takes.
    longest: Duration,
    request: &'a Request,
    /// What other servers offer; None: there are none.
    offers: Option<watch::Receiver<Arc<[Offer]>>>,
    pub(super) pending: Option<i64>,
    /// How many answers, and how many texts, are written down and stay as they are.
    written: (usize, usize),
    /// The last change of a tool that the run sees.
    pub(super) as_of: i64,
    /// The clocks of the run.
    pub(super) watch: &'a Watch,
    /// How a run is kept that waits; None: a run of a turn, which is not kept.
    pub(super) patience: Option<Patience>,
    /// How a durable run is kept.
    pub(super) durable: Option<Durable>,
}

/// How runs are kept that wait for approvals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// How many there may be.
    pub(super) most: u64,
    /// For how long.
    pub(super) life: Duration,
}

impl<'a> Intent<'a> {
    pub(super) fn new(
        (journal, longest, patience): (&'a Journal, Duration, Option<Patience>),
        request: &'a Request,
        offers: Option<watch::Receiver<Arc<[Offer]>>>,
        watch: &'a Watch,
    ) -> Self {
        let (pending, written, as_of) = (None, (0, 0), 0);
        let durable = None;
        Self {
            journal,
            longest,
            request,
            offers,
            pending,
            written,
            as_of,
            watch,
            patience,
            durable,
        }
    }

    /// The intent of a durable run.
    pub(super) fn durable(self, durable: Option<Durable>) -> Self {
        Self { durable, ..self }
    }

    /// The run that the store keeps so, with the tools as of a change.
    pub(super) fn after(self, pending: Option<i64>, as_of: i64) -> Self {
        Self { pending, as_of, ..self }
    }

    /// What the store keeps of the run.
    pub(super) fn pending(self) -> Option<i64> {
        self.pending
    }

    /// Writes down what the run has asked for since it last did, these calls last.
    pub(super) fn note(
        &mut self,
        calls: &[Call],
        answers: &[Answer],
        texts: &[String],
    ) -> Result<(), Fault> {
        let Some(offers) = &self.offers else { return Ok(()) };
        let offers = Arc::clone(&offers.borrow());
        let reads = |call: &Call| {
            offers.iter().any(|it| it.name == call.tool && it.class == EffectClass::Read)
        };
        if calls.iter().all(reads) {
            return Ok(());
        }
        self.keep(answers, texts, true)
    }

    /// Writes down what a durable run has been told, before it goes on.
    pub(super) fn append(&mut self, answers: &[Answer], texts: &[String]) -> Result<(), Fault> {
        if self.durable.is_some() { self.keep(answers, texts, false) } else { Ok(()) }
    }

    /// Writes down that a durable run is interrupted. Gives its number.
    pub(super) fn put_down(
        &mut self,
        answers: &[Answer],
        texts: &[String],
        fault: &Fault,
    ) -> Result<Option<i64>, Fault> {
        if let Some(durable) = &mut self.durable {
            durable.interrupted = record::fault(fault)["fault"].take();
        }
        self.keep(answers, texts, true)?;
        Ok(self.pending)
    }

    /// Writes down that a durable run is interrupted which has not come as far as it was before: what
    /// was written then stays.
    pub(super) fn put_down_again(
        &mut self,
        fault: &Fault,
        unsure: Vec<usize>,
    ) -> Result<Option<i64>, Fault> {
        let interrupted = record::fault(fault)["fault"].take();
        let durable = self.durable.clone().map(|it| Durable { interrupted, ..it });
        let part = RunProgress { from: usize::MAX, unsure, durable, ..RunProgress::default() };
        let pended = self.journal.pend(self.pending, part, self.longest, true);
        self.pending = Some(pended.map_err(stored)?.ok_or_else(lost)?);
        Ok(self.pending)
    }

    /// Whether a call of a tool may be made again though nobody knows what it has done.
    pub(super) fn may_repeat(&self, tool: &str) -> bool {
        self.offers.as_ref().is_some_and(|offers| Offer::may_repeat(&offers.borrow(), tool))
    }

    /// The calls among these answers that may have done something, where nobody knows: their places in
    /// the last answer.
    pub(super) fn unsure(&self, answers: &[Answer]) -> Vec<usize> {
        let (Some(Answer::Calls(made)), Some(_)) = (answers.last(), &self.durable) else {
            return Vec::new();
        };
        let is_unsure =
            |it: &SentCall| it.outcome == Came::Unknown && !self.may_repeat(&it.asked.tool);
        (0..made.len()).filter(|at| made.get(*at).is_some_and(is_unsure)).collect()
    }

    /// Takes back what was written down behind these: it was not sent.
    pub(super) fn withdraw(&mut self, answers: &[Answer], texts: &[String]) -> Result<(), Fault> {
        self.rewind(answers.len(), texts.len());
        if self.pending.is_some() { self.keep(answers, texts, true) } else { Ok(()) }
    }

    /// Notes that answers and texts behind these are others now.
    pub(super) fn rewind(&mut self, answers: usize, texts: usize) {
        let (written, texts_written) = self.written;
        self.written = (written.min(answers), texts_written.min(texts));
    }

    /// Writes down what is new.
    fn keep(
        &mut self,
        answers: &[Answer],
        texts: &[String],
        is_lasting: bool,
    ) -> Result<(), Fault> {
        let (from, texts_from) = self.written;
        let new = |all: &[Answer]| all.get(from..).unwrap_or_default().to_vec();
        let run = match self.pending {
            None => self.so_far(answers, texts),
            Some(_) => RunProgress {
                from,
                answers: new(answers),
                texts: texts.get(texts_from..).unwrap_or_default().to_vec(),
                unsure: self.unsure(answers),
                durable: self.durable.clone().filter(|it| !it.interrupted.is_null()),
                ..RunProgress::default()
            },
        };
        let known = run.answers.iter().take_while(|answer| !answer.is_open()).count();
        let pended = self.journal.pend(self.pending, run, self.longest, is_lasting);
        self.pending = Some(pended.map_err(stored)?.ok_or_else(lost)?);
        // Calls without an outcome, and what came after them, are told again.
        self.written = (from + known, texts.len());
        Ok(())
    }

    /// The run as far as it has come.
    pub(super) fn so_far(&self, answers: &[Answer], texts: &[String]) -> RunProgress {
        let Draft { subject, request, .. } = record::begun(self.request);
        let (unsure, durable) = (self.unsure(answers), self.durable.clone());
        let (answers, texts) = (answers.to_vec(), texts.to_vec());
        RunProgress { subject, request, answers, texts, unsure, durable, ..RunProgress::default() }
    }
}

/// The fault of a run that another process has taken over or ended.
pub(super) fn lost() -> Fault {
    let message = "the run was cancelled, or goes on elsewhere".to_owned();
    fault(FaultCode::Cancelled, message, None)
}
