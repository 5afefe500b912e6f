//! Calls of other servers' tools: who makes them, the budgets of a run, scripts in their place, and
//! what the journal is told.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::consent::Consent;
use super::record;
use super::refusal::stored;
use crate::domain::{
    Answered, Approval, Budget, Call, CallMade, CallOutcome, EffectClass, Fault, FaultCode, Offer,
    Reason, Refusal, Unsent,
};
use crate::journal::{Answer, Asked, Came, Digest, Draft, Journal, Made, Refused, Unfinished};
use crate::sandbox::{Asking, Request, Watch};
use crate::text::quote_one;

/// Who calls other servers. Whatever is granted is granted here.
pub trait Effects: Send + Sync + Debug {
    /// Makes calls, at most so many at the same time, within what the run may still use. Gives one
    /// answer for each, in their order, or says why none was sent. Whoever drops the question wants
    /// no answer any more.
    fn call<'a>(
        &'a self,
        calls: &'a [Call],
        at_most: usize,
        left: Budget,
    ) -> Asking<'a, Result<Vec<Answered>, Refusal>>;

    /// The same, where `approved` says for each call who has approved it; those beyond its end nobody
    /// has. Says which calls somebody has to approve first, and sends none then.
    fn call_approved<'a>(
        &'a self,
        calls: &'a [Call],
        at_most: usize,
        left: Budget,
        _approved: &'a [Option<Approval>],
    ) -> Asking<'a, Result<Vec<Answered>, Unsent>> {
        Box::pin(async move { Ok(self.call(calls, at_most, left).await?) })
    }

    /// The tools that other servers offer, as far as that is known now.
    fn offers(&self) -> Arc<[Offer]>;

    /// Tells when more or something else is known of them.
    fn changes(&self) -> watch::Receiver<Arc<[Offer]>> {
        watch::channel(self.offers()).1
    }

    /// Whether there are other servers at all.
    fn is_open(&self) -> bool {
        true
    }
}

/// Nothing is granted.
#[derive(Debug)]
pub struct Denied;

impl Effects for Denied {
    fn call<'a>(
        &'a self,
        calls: &'a [Call],
        _at_most: usize,
        _left: Budget,
    ) -> Asking<'a, Result<Vec<Answered>, Refusal>> {
        Box::pin(ready(Err(Refusal::denied(calls))))
    }

    fn offers(&self) -> Arc<[Offer]> {
        Arc::default()
    }

    fn is_open(&self) -> bool {
        false
    }
}

/// What a call comes to in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The tool that is to be called.
    pub tool: String,
    /// What comes of the call.
    pub outcome: CallOutcome,
}

/// The hint of a call for which an example has no answer.
const UNSCRIPTED: &str = "an example calls nobody: script what it gets by \
    \"answers\": [{\"tool\": \"x.y\", \"value\": …}]";

/// A script: calls get its answers one after another. What it does not foresee is denied.
#[derive(Debug, Default)]
pub struct Script(Mutex<VecDeque<Line>>);

impl Script {
    /// A script of these answers.
    #[must_use]
    pub fn new(lines: &[Line]) -> Self {
        Self(Mutex::new(lines.to_vec().into()))
    }

    fn answer(&self, calls: &[Call]) -> Result<Vec<Answered>, Refusal> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let foreseen =
            |(at, call): &(usize, &Call)| lines.get(*at).is_some_and(|line| line.tool == call.tool);
        if let Some((index, call)) = calls.iter().enumerate().find(|it| !foreseen(it)) {
            let next = |line: &Line| format!("the next of `answers` is for {}", quote_one(&line.tool));
            let hint = lines.get(index).map_or_else(|| UNSCRIPTED.to_owned(), next);
            let refusal = Refusal { index, ..Refusal::denied(std::slice::from_ref(call)) };
            return Err(Refusal { hint: Some(hint), ..refusal });
        }
        let answered = |line: Line| Answered { outcome: line.outcome, millis: 0 };
        Ok(lines.drain(..calls.len()).map(answered).collect())
    }
}

impl Effects for Script {
    fn call<'a>(
        &'a self,
        calls: &'a [Call],
        _at_most: usize,
        _left: Budget,
    ) -> Asking<'a, Result<Vec<Answered>, Refusal>> {
        Box::pin(ready(self.answer(calls)))
    }

    fn offers(&self) -> Arc<[Offer]> {
        Arc::default()
    }
}

/// What all calls of a run may use.
#[derive(Debug, Clone, Copy)]
pub struct Allowed {
    /// Calls.
    pub calls: u64,
    /// Bytes of answers.
    pub bytes: u64,
}

/// Writes down what a run asks others for, before it is sent. What only reads may be asked again.
#[derive(Debug)]
pub(super) struct Intent<'a> {
    pub(super) journal: &'a Journal,
    /// The longest that the run takes.
    longest: Duration,
    request: &'a Request,
    effects: &'a Arc<dyn Effects>,
    pub(super) pending: Option<i64>,
    /// How many answers, and how many texts, are written down and stay as they are.
    written: (usize, usize),
    /// The last change of a tool that the run sees.
    pub(super) as_of: i64,
    /// The clocks of the run.
    pub(super) watch: &'a Watch,
    /// How a run is kept that waits.
    pub(super) patience: Patience,
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
        (journal, longest, patience): (&'a Journal, Duration, Patience),
        request: &'a Request,
        effects: &'a Arc<dyn Effects>,
        watch: &'a Watch,
    ) -> Self {
        let (pending, written, as_of) = (None, (0, 0), 0);
        Self { journal, longest, request, effects, pending, written, as_of, watch, patience }
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
        if !self.effects.is_open() {
            return Ok(());
        }
        let offers = self.effects.offers();
        let reads = |call: &Call| {
            offers.iter().any(|it| it.name == call.tool && it.class == EffectClass::Read)
        };
        if calls.iter().all(reads) {
            return Ok(());
        }
        self.keep(answers, texts, calls.len())
    }

    /// Takes back what was written down last: it was not sent.
    pub(super) fn withdraw(&mut self, answers: &[Answer], texts: &[String]) -> Result<(), Fault> {
        if self.pending.is_some() { self.keep(answers, texts, 0) } else { Ok(()) }
    }

    /// Writes down what is new. The last texts are those of calls that are on their way.
    fn keep(&mut self, answers: &[Answer], texts: &[String], open: usize) -> Result<(), Fault> {
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
        // What was asked last is told again when it is answered, or taken back.
        self.written = (from + known, texts.len().saturating_sub(open));
        Ok(())
    }

    /// The run as far as it has come.
    pub(super) fn so_far(&self, answers: &[Answer], texts: &[String]) -> Unfinished {
        let Draft { subject, request, .. } = record::begun(self.request);
        let (answers, texts) = (answers.to_vec(), texts.to_vec());
        Unfinished { subject, request, answers, texts, ..Unfinished::default() }
    }
}

/// What the journal is told of calls before anything comes of them, and the texts beside it.
pub(super) fn asked(calls: &[Call], consents: &[Consent]) -> (Answer, Vec<String>) {
    let came = |index| match consents.get(index) {
        Some(Consent::Declined(message)) => {
            Came::Failed { reason: Reason::Declined, message: message.clone() }
        }
        _ => Came::Unknown,
    };
    let made = |(index, call)| Made { asked: digested(call), outcome: came(index), ms: 0 };
    let answer = Answer::Calls(calls.iter().enumerate().map(made).collect());
    (answer, calls.iter().map(|call| call.args.clone()).collect())
}

/// What the journal is told of calls once it is known what came of them, and the texts beside it.
pub(super) fn answered(
    calls: &[Call],
    answer: &Result<Vec<Answered>, Refusal>,
) -> (Answer, Vec<String>) {
    let asked = calls.iter().map(digested);
    match answer {
        Ok(answered) => {
            let values = answered.iter().filter_map(|it| match &it.outcome {
                CallOutcome::Value(text) => Some(text.clone()),
                CallOutcome::Failed { .. } => None,
            });
            let made = asked.zip(answered).map(|(asked, Answered { outcome, millis })| {
                let outcome = match outcome {
                    CallOutcome::Value(text) => Came::Value(Digest::of(text)),
                    CallOutcome::Failed { reason, message } => {
                        Came::Failed { reason: *reason, message: message.clone() }
                    }
                };
                Made { asked, outcome, ms: *millis }
            });
            (Answer::Calls(made.collect()), values.collect())
        }
        Err(Refusal { index, code, message, hint }) => {
            let (code, message, hint) = (code.name().to_owned(), message.clone(), hint.clone());
            let refused = Refused { index: *index, code, message, hint };
            (Answer::Refused(asked.collect(), refused), Vec::new())
        }
    }
}

fn digested(call: &Call) -> Asked {
    Asked { tool: call.tool.clone(), args: Digest::of(&call.args) }
}

/// The calls among what a run asked for.
pub(super) fn made(answers: &[Answer]) -> Vec<CallMade> {
    let calls = answers.iter().filter_map(|answer| match answer {
        Answer::Calls(made) => Some(made),
        _ => None,
    });
    let told = |Made { asked, outcome, ms }: &Made| CallMade {
        tool: asked.tool.clone(),
        outcome: outcome.name().to_owned(),
        ms: *ms,
    };
    calls.flatten().map(told).collect()
}

/// The answer that an entry holds to these calls, with the texts that `text` finds. None: the entry
/// tells of other calls. The error names a text that is not there any more.
pub(super) fn recall(
    calls: &[Call],
    recorded: &Answer,
    mut text: impl FnMut(&Digest) -> Result<Option<String>, crate::state::Error>,
) -> Result<Option<Result<Vec<Answered>, Refusal>>, Missing> {
    let is_same = |asked: &[&Asked]| {
        asked.len() == calls.len()
            && asked.iter().zip(calls).all(|(asked, call)| **asked == digested(call))
    };
    match recorded {
        Answer::Calls(made) if is_same(&made.iter().map(|it| &it.asked).collect::<Vec<_>>()) => {
            let mut answered = Vec::with_capacity(made.len());
            for Made { asked, outcome, ms } in made {
                let outcome = match outcome {
                    Came::Unknown => return Err(Missing::Text(asked.tool.clone())),
                    Came::Value(digest) => match text(digest).map_err(Missing::Store)? {
                        Some(text) => CallOutcome::Value(text),
                        None => return Err(Missing::Text(asked.tool.clone())),
                    },
                    Came::Failed { reason, message } => {
                        CallOutcome::Failed { reason: *reason, message: message.clone() }
                    }
                };
                answered.push(Answered { outcome, millis: *ms });
            }
            Ok(Some(Ok(answered)))
        }
        Answer::Refused(asked, refused) if is_same(&asked.iter().collect::<Vec<_>>()) => {
            let Refused { index, code, message, hint } = refused.clone();
            let code = FaultCode::find(&code).unwrap_or(FaultCode::CapabilityDenied);
            Ok(Some(Err(Refusal { index, code, message, hint })))
        }
        _ => Ok(None),
    }
}

/// Why an answer cannot be had from an entry.
pub(super) enum Missing {
    /// The text of what this tool answered is not there any more.
    Text(String),
    /// The store fails.
    Store(crate::state::Error),
}
