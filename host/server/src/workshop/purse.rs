//! The budgets of a run, and the calls that are sent within them.

use pif_domain::{Answered, Budget, Call, CallOutcome, Failure, Limit, Reason, Unsent};
use pif_sandbox::{Calls, Watch, milliseconds};

use super::consent::Consent;
use super::effects::{Allowed, Effects, Told};

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
        consents: &[Consent],
        told: &mut Told<'_>,
    ) -> Result<Vec<Answered>, Unsent> {
        let left = usize::try_from(self.allowed.calls).unwrap_or(usize::MAX);
        let sent = calls.get(..left).unwrap_or(calls);
        let budget = Budget {
            calls: self.allowed.calls,
            bytes: self.allowed.bytes,
            millis: milliseconds(self.watch.waiting_left()),
        };
        let mut answered = match sent {
            [] => Vec::new(),
            sent => send(effects, (sent, *at_most), budget, consents, told).await?,
        };
        self.allowed.calls -= count(sent.len());
        for Answered { outcome, .. } in &mut answered {
            self.weigh(outcome);
        }
        let unsent = calls.len() - sent.len();
        answered.extend(vec![Answered::new(beyond_calls(), 0); unsent]);
        Ok(answered)
    }

    /// Takes one call off the budget. The error is what comes of a call beyond it.
    pub(super) fn take(&mut self) -> Result<(), CallOutcome> {
        let left = self.allowed.calls.checked_sub(1);
        self.allowed.calls = left.ok_or_else(beyond_calls)?;
        Ok(())
    }

    /// Takes off what calls used that were made before.
    pub(super) fn charge(&mut self, came: &[Answered]) {
        self.allowed.calls = self.allowed.calls.saturating_sub(count(came.len()));
        for Answered { outcome, .. } in came {
            if let CallOutcome::Value(text) = outcome {
                self.allowed.bytes = self.allowed.bytes.saturating_sub(count(text.len()));
            }
        }
    }

    /// Takes the bytes of an answer off the budget, or the answer away.
    pub(super) fn weigh(&mut self, outcome: &mut CallOutcome) {
        let CallOutcome::Value(text) = &*outcome else { return };
        if let Some(left) = self.allowed.bytes.checked_sub(count(text.len())) {
            self.allowed.bytes = left;
        } else {
            let message = "all answers to a run may not have so many bytes together";
            let message = format!("{message} [{}]", Limit::AnswersSize);
            *outcome = Failure::new(Reason::TooLarge, message).into();
        }
    }
}

/// Sends calls, except those that were declined.
async fn send(
    effects: &dyn Effects,
    (calls, at_most): (&[Call], usize),
    budget: Budget,
    consents: &[Consent],
    told: &mut Told<'_>,
) -> Result<Vec<Answered>, Unsent> {
    let by = |consent: &Consent| match consent {
        Consent::Given(by) => Some(*by),
        Consent::Unasked | Consent::Declined(_) => None,
    };
    if consents.iter().all(|it| it.outcome().is_none()) {
        let approved: Vec<_> = consents.iter().map(by).collect();
        return effects.call_approved(calls, at_most, budget, &approved, told).await;
    }
    let given = calls.iter().zip(consents).enumerate();
    let given: Vec<_> = given.filter(|(_, (_, consent))| consent.outcome().is_none()).collect();
    let sent: Vec<Call> = given.iter().map(|(_, (call, _))| (*call).clone()).collect();
    let approved: Vec<_> = given.iter().map(|(_, (_, consent))| by(consent)).collect();
    let mut told = |index: usize, answered: &Answered| {
        if let Some((index, _)) = given.get(index) {
            told(*index, answered);
        }
    };
    let answered = match sent.as_slice() {
        [] => Vec::new(),
        sent => effects.call_approved(sent, at_most, budget, &approved, &mut told).await?,
    };
    let mut answered = answered.into_iter();
    let answer = |consent: &Consent| match consent.outcome() {
        Some(outcome) => Some(Answered::new(outcome, 0)),
        None => answered.next(),
    };
    Ok(consents.iter().take(calls.len()).filter_map(answer).collect())
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

fn beyond_calls() -> CallOutcome {
    over(Limit::Calls, "the run has made all calls that a run may make")
}

/// What comes of a call beyond a limit.
pub(super) fn over(limit: Limit, message: &str) -> CallOutcome {
    Failure::new(Reason::Budget, format!("{message} [{limit}]")).into()
}
