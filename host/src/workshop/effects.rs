//! Calls of other servers' tools: who makes them, the budgets of a run, scripts in their place, and
//! what the journal is told.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::record;
use super::refusal::stored;
use crate::domain::{
    Answered, Budget, Call, CallMade, CallOutcome, EffectClass, Fault, FaultCode, Limit, Offer,
    Reason, Refusal,
};
use crate::journal::{Answer, Asked, Came, Digest, Draft, Journal, Made, Refused, Unfinished};
use crate::sandbox::{Asking, Calls, Request, Watch, milliseconds};

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

    /// The tools that other servers offer, as far as that is known now.
    fn offers(&self) -> Arc<[Offer]>;

    /// Tells when more or something else is known of them.
    fn changes(&self) -> watch::Receiver<Arc<[Offer]>> {
        watch::channel(self.offers()).1
    }

    /// Whether calls of this tool go to a server, and to no native capability of its name.
    fn answers(&self, tool: &str) -> bool {
        let id = tool.split('.').next();
        self.offers().iter().any(|offer| offer.name.split('.').next() == id)
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

    fn lines(&self) -> MutexGuard<'_, VecDeque<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, calls: &[Call]) -> Result<Vec<Answered>, Refusal> {
        let mut lines = self.lines();
        let foreseen =
            |(at, call): &(usize, &Call)| lines.get(*at).is_some_and(|line| line.tool == call.tool);
        if let Some((index, call)) = calls.iter().enumerate().find(|it| !foreseen(it)) {
            let next = |line: &Line| format!("the next of `answers` is for `{}`", line.tool);
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

    /// A native capability runs in an example, unless a line answers for it.
    fn answers(&self, tool: &str) -> bool {
        self.lines().iter().any(|line| line.tool == tool)
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

/// Keeps the budgets of one run.
#[derive(Debug)]
pub(super) struct Purse {
    allowed: Allowed,
    watch: Watch,
}

impl Purse {
    pub(super) fn new(allowed: Allowed, watch: &Watch) -> Self {
        Self { allowed, watch: watch.clone() }
    }

    /// Makes as many of the calls as the run may still make.
    pub(super) async fn spend(
        &mut self,
        effects: &dyn Effects,
        Calls { calls, at_most }: &Calls,
    ) -> Result<Vec<Answered>, Refusal> {
        let left = usize::try_from(self.allowed.calls).unwrap_or(usize::MAX);
        let sent = calls.get(..left).unwrap_or(calls);
        let budget = Budget {
            calls: self.allowed.calls,
            bytes: self.allowed.bytes,
            millis: milliseconds(self.watch.waiting_left()),
        };
        let mut answered = match sent {
            [] => Vec::new(),
            sent => effects.call(sent, *at_most, budget).await?,
        };
        self.allowed.calls -= count(sent.len());
        for Answered { outcome, .. } in &mut answered {
            self.weigh(outcome);
        }
        let unsent = calls.len() - sent.len();
        answered.extend(vec![Answered { outcome: beyond_calls(), millis: 0 }; unsent]);
        Ok(answered)
    }

    /// Takes one call off the budget. The error is what comes of a call beyond it.
    pub(super) fn take(&mut self) -> Result<(), CallOutcome> {
        let left = self.allowed.calls.checked_sub(1);
        self.allowed.calls = left.ok_or_else(beyond_calls)?;
        Ok(())
    }

    /// Takes the bytes of an answer off the budget, or the answer away.
    pub(super) fn weigh(&mut self, outcome: &mut CallOutcome) {
        let CallOutcome::Value(text) = &*outcome else { return };
        if let Some(left) = self.allowed.bytes.checked_sub(count(text.len())) {
            self.allowed.bytes = left;
        } else {
            let message = "all answers to a run may not have so many bytes together";
            *outcome = over(Limit::AnswersSize, message);
        }
    }
}

/// Writes down what a run asks others for, before it is sent. What only reads may be asked again.
#[derive(Debug)]
pub(super) struct Intent<'a> {
    journal: &'a Journal,
    /// The longest that the run takes.
    longest: Duration,
    request: &'a Request,
    effects: &'a Arc<dyn Effects>,
    pending: Option<i64>,
}

impl<'a> Intent<'a> {
    pub(super) fn new(
        journal: &'a Journal,
        longest: Duration,
        request: &'a Request,
        effects: &'a Arc<dyn Effects>,
    ) -> Self {
        Self { journal, longest, request, effects, pending: None }
    }

    /// What the store keeps of the run.
    pub(super) fn pending(self) -> Option<i64> {
        self.pending
    }

    /// Writes down all that the run has asked for, these calls last.
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
        let Draft { subject, request, .. } = record::begun(self.request);
        let (answers, texts) = (answers.to_vec(), texts.to_vec());
        let run = Unfinished { subject, request, answers, texts };
        let pended = self.journal.pend(self.pending, run, self.longest);
        self.pending = Some(pended.map_err(stored)?);
        Ok(())
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

fn beyond_calls() -> CallOutcome {
    over(Limit::Calls, "the run has made all calls that a run may make")
}

/// What comes of a call beyond a limit.
pub(super) fn over(limit: Limit, message: &str) -> CallOutcome {
    CallOutcome::Failed { reason: Reason::Budget, message: format!("{message} [{limit}]") }
}

/// What the journal is told of calls before anything comes of them, and the texts beside it.
pub(super) fn asked(calls: &[Call]) -> (Answer, Vec<String>) {
    let made = |asked| Made { asked, outcome: Came::Unknown, ms: 0, ran: None };
    let answer = Answer::Calls(calls.iter().map(digested).map(made).collect());
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
                Made { asked, outcome, ms: *millis, ran: None }
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
        Answer::Calls(made) | Answer::Within(made) => Some(made),
        _ => None,
    });
    let told = |Made { asked, outcome, ms, .. }: &Made| CallMade {
        tool: asked.tool.clone(),
        outcome: outcome.name().to_owned(),
        ms: *ms,
    };
    calls.flatten().map(told).collect()
}

/// The fuel of native capabilities that a run has called.
pub(super) fn fuel(answers: &[Answer]) -> u64 {
    let made = answers.iter().filter_map(|answer| match answer {
        Answer::Calls(made) | Answer::Within(made) => Some(made),
        _ => None,
    });
    let ran = made.flatten().filter_map(|made| made.ran.as_ref());
    ran.fold(0, |sum, ran| sum.saturating_add(ran.fuel))
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
            for Made { asked, outcome, ms, .. } in made {
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
