//! Calls of other servers' tools: who makes them, the budgets of a run, scripts in their place, and
//! what the journal is told.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pif_domain::text::quote_one;
use pif_domain::{
    Answered, Approval, Beside, Budget, Call, CallMade, CallOutcome, Failure, FaultCode, Offer,
    Refusal, Unsent,
};
use pif_sandbox::Asking;
use pif_store::journal::{Answer, Asked, Came, Digest, Made, Refused};
use tokio::sync::watch;

/// Hears what comes of a call, by its place in the list.
pub type Told<'a> = dyn FnMut(usize, &Answered) + Send + 'a;

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

    /// Makes calls, where `approved` says for each who has approved it; those beyond its end nobody
    /// has. Says which calls somebody has to approve first, and sends none then. `told` hears what
    /// comes of each as soon as it does.
    fn call_approved<'a>(
        &'a self,
        calls: &'a [Call],
        at_most: usize,
        left: Budget,
        _approved: &'a [Option<Approval>],
        _told: &'a mut Told<'_>,
    ) -> Asking<'a, Result<Vec<Answered>, Unsent>> {
        Box::pin(async move { Ok(self.call(calls, at_most, left).await?) })
    }

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
            let next =
                |line: &Line| format!("the next of `answers` is for {}", quote_one(&line.tool));
            let hint = lines.get(index).map_or_else(|| UNSCRIPTED.to_owned(), next);
            let refusal = Refusal { index, ..Refusal::denied(std::slice::from_ref(call)) };
            return Err(Refusal { hint: Some(hint), ..refusal });
        }
        let answered = |line: Line| Answered::new(line.outcome, 0);
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

/// What the journal is told of calls before anything comes of them, and the texts beside it.
pub(super) fn asked(calls: &[Call]) -> (Answer, Vec<String>) {
    let answer = Answer::Calls(calls.iter().map(digested).map(Made::new).collect());
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
            let made = asked.zip(answered).map(|(asked, answered)| {
                let mut made = Made::new(asked);
                come(&mut made, answered);
                made
            });
            (Answer::Calls(made.collect()), answered.iter().flat_map(texts).collect())
        }
        Err(Refusal { index, code, message, hint }) => {
            let (code, message, hint) = (code.name().to_owned(), message.clone(), hint.clone());
            let refused = Refused { index: *index, code, message, hint };
            (Answer::Refused(asked.collect(), refused), Vec::new())
        }
    }
}

/// Writes down what came of a call.
pub(super) fn come(made: &mut Made, Answered { outcome, millis, beside }: &Answered) {
    made.outcome = match outcome {
        CallOutcome::Value(text) => Came::Value(Digest::of(text)),
        CallOutcome::Failed(Failure { reason, message, value }) => Came::Failed {
            reason: *reason,
            message: message.clone(),
            value: value.as_deref().map(Digest::of),
        },
    };
    made.ms = *millis;
    made.whole = beside.whole.as_deref().map(Digest::of);
    made.warning.clone_from(&beside.warning);
}

/// The texts of which the journal keeps the digests.
pub(super) fn texts(answered: &Answered) -> impl Iterator<Item = String> {
    let own = match &answered.outcome {
        CallOutcome::Value(text) => Some(text.clone()),
        CallOutcome::Failed(failure) => failure.value.clone(),
    };
    own.into_iter().chain(answered.beside.whole.clone())
}

fn digested(call: &Call) -> Asked {
    Asked { tool: call.tool.clone(), args: Digest::of(&call.args), raw: call.is_raw }
}

/// The calls among what a run asked for.
pub(super) fn made(answers: &[Answer]) -> Vec<CallMade> {
    let calls = answers.iter().filter_map(|answer| match answer {
        Answer::Calls(made) | Answer::Within(made) => Some(made),
        _ => None,
    });
    let told = |Made { asked, outcome, ms, warning, .. }: &Made| CallMade {
        tool: asked.tool.clone(),
        outcome: outcome.name().to_owned(),
        ms: *ms,
        bytes: match outcome {
            Came::Value(digest) => digest.bytes,
            Came::Failed { .. } | Came::Unknown => 0,
        },
        warning: warning.clone(),
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
    mut text: impl FnMut(&Digest) -> Result<Option<String>, pif_store::Error>,
) -> Result<Option<Result<Vec<Answered>, Refusal>>, Missing> {
    let is_same = |asked: &[&Asked]| {
        asked.len() == calls.len()
            && asked.iter().zip(calls).all(|(asked, call)| **asked == digested(call))
    };
    match recorded {
        Answer::Calls(made) if is_same(&made.iter().map(|it| &it.asked).collect::<Vec<_>>()) => {
            let mut answered = Vec::with_capacity(made.len());
            for Made { asked, outcome, ms, whole, warning, .. } in made {
                let mut find = |digest: &Digest| {
                    let found = text(digest).map_err(Missing::Store)?;
                    found.ok_or_else(|| Missing::Text(asked.tool.clone()))
                };
                let outcome = match outcome {
                    Came::Unknown => return Err(Missing::Text(asked.tool.clone())),
                    Came::Value(digest) => CallOutcome::Value(find(digest)?),
                    Came::Failed { reason, message, value } => {
                        let value = value.as_ref().map(&mut find).transpose()?;
                        Failure { reason: *reason, message: message.clone(), value }.into()
                    }
                };
                let whole = whole.as_ref().map(find).transpose()?;
                let beside = Beside { whole, warning: warning.clone() };
                answered.push(Answered { outcome, millis: *ms, beside });
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
    Store(pif_store::Error),
}
