//! Calls of other servers' tools: who makes them, and what is sent to them.

use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use pif_domain::{Approval, Budget, Call, CallResult, NotSent, Offer, Refusal};
use pif_sandbox::AnswerFuture;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::call_log::IntendedCalls;

/// Hears what comes of a call, by its place in the list.
pub type CallObserver<'a> = dyn FnMut(usize, &CallResult) + Send + 'a;

/// Calls on their way. Only a run whose intent to make them is written down has one.
#[derive(Debug, Clone, Copy)]
pub struct PendingCalls<'a> {
    /// The calls.
    pub calls: &'a [Call],
    /// How many may be made at the same time.
    pub at_most: usize,
    /// What the run may still use.
    pub left: Budget,
    /// Who has approved each; those beyond its end nobody has.
    pub approved: &'a [Option<Approval>],
    /// Nobody else makes one of these.
    _intended: Proof,
}

/// Proof of an intent that is written down.
#[derive(Debug, Clone, Copy)]
struct Proof;

impl<'a> PendingCalls<'a> {
    /// Some of the calls that a run intends to make.
    pub(super) fn new(
        _intended: &IntendedCalls<'_>,
        (calls, at_most): (&'a [Call], usize),
        left: Budget,
        approved: &'a [Option<Approval>],
    ) -> Self {
        Self { calls, at_most, left, approved, _intended: Proof }
    }
}

/// Who calls other servers. Whatever is granted is granted here.
pub trait Effects: Send + Sync + Debug {
    /// Makes calls. Gives one answer for each, in their order, or says why none was sent: which of
    /// them somebody has to approve first, or what is wrong. `told` hears what comes of each as soon
    /// as it does. Whoever drops the question wants no answer any more.
    fn call<'a>(
        &'a self,
        sending: PendingCalls<'a>,
        told: &'a mut CallObserver<'_>,
    ) -> AnswerFuture<'a, Result<Vec<CallResult>, NotSent>>;

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

    /// Whether a call of a tool may be made again though nobody knows what it has done.
    fn is_repeatable(&self, tool: &str) -> bool {
        Offer::may_repeat(&self.offers(), tool)
    }

    /// Lets so much time pass before a call is made again.
    fn pause(&self, time: Duration) -> AnswerFuture<'_, ()> {
        Box::pin(async move {
            if Handle::try_current().is_ok() {
                tokio::time::sleep(time).await;
            } else {
                std::thread::sleep(time);
            }
        })
    }

    /// Whether there are other servers at all.
    fn is_open(&self) -> bool {
        true
    }
}

/// Nothing is granted.
#[derive(Debug)]
pub struct NoEffects;

impl Effects for NoEffects {
    fn call<'a>(
        &'a self,
        sending: PendingCalls<'a>,
        _told: &'a mut CallObserver<'_>,
    ) -> AnswerFuture<'a, Result<Vec<CallResult>, NotSent>> {
        Box::pin(ready(Err(Refusal::denied(sending.calls).into())))
    }

    fn offers(&self) -> Arc<[Offer]> {
        Arc::default()
    }

    fn is_open(&self) -> bool {
        false
    }
}
