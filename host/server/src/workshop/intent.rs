//! What is on the disk of a run before its calls leave: a server that dies leaves it behind.

use std::sync::Arc;
use std::time::Duration;

use pif_domain::{Call, EffectClass, Fault, Offer};
use pif_sandbox::{Request, Watch};
use pif_store::journal::{Answer, Draft, Journal, Unfinished};
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
        Self { journal, longest, request, offers, pending, written, as_of, watch, patience }
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
        self.keep(answers, texts)
    }

    /// Takes back what was written down behind these: it was not sent.
    pub(super) fn withdraw(&mut self, answers: &[Answer], texts: &[String]) -> Result<(), Fault> {
        self.rewind(answers.len(), texts.len());
        if self.pending.is_some() { self.keep(answers, texts) } else { Ok(()) }
    }

    /// Notes that answers and texts behind these are others now.
    pub(super) fn rewind(&mut self, answers: usize, texts: usize) {
        let (written, texts_written) = self.written;
        self.written = (written.min(answers), texts_written.min(texts));
    }

    /// Writes down what is new.
    fn keep(&mut self, answers: &[Answer], texts: &[String]) -> Result<(), Fault> {
        let (from, texts_from) = self.written;
        let new = |all: &[Answer]| all.get(from..).unwrap_or_default().to_vec();
        let run = match self.pending {
            None => self.so_far(answers, texts),
            Some(_) => Unfinished {
                from,
                answers: new(answers),
                texts: texts.get(texts_from..).unwrap_or_default().to_vec(),
                ..Unfinished::default()
            },
        };
        let known = run.answers.iter().take_while(|answer| !answer.is_open()).count();
        let pended = self.journal.pend(self.pending, run, self.longest);
        self.pending = Some(pended.map_err(stored)?);
        // Calls without an outcome, and what came after them, are told again.
        self.written = (from + known, texts.len());
        Ok(())
    }

    /// The run as far as it has come.
    pub(super) fn so_far(&self, answers: &[Answer], texts: &[String]) -> Unfinished {
        let Draft { subject, request, .. } = record::begun(self.request);
        let (answers, texts) = (answers.to_vec(), texts.to_vec());
        Unfinished { subject, request, answers, texts, ..Unfinished::default() }
    }
}
