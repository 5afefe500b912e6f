//! The way of the calls of a run: what came of them before, else the intent, the sending, an approval
//! where one is needed, the answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pif_domain::text::similar::similar;
use pif_domain::text::{self, quote, quote_one};
use pif_domain::{Call, CallResult, Fault, FaultCode, Need, NotSent, Reason, Refusal};
use pif_sandbox::{Wait, Watch, milliseconds};

use super::analyze::ANALYZE;
use super::bindings::Bindings;
use super::budget::{CallBudget, beyond};
use super::call_log::{CallLog, EndedCalls, IntendedCalls, RequestedCalls};
use super::consent::Consent;
use super::effects::{Effects, PendingCalls};
use super::native::Native;
use super::opening::Workshop;
use super::past::{RecordedAnswers, ReplayLog};
use super::types::Sight;
use super::world::{CancelCheck, Live, Tools};

impl Workshop {
    /// The world of a run.
    pub(super) fn live(&self, tools: Tools, effects: Arc<dyn Effects>, watch: &Watch) -> Live {
        let budget = CallBudget::new(self.allowed, watch);
        let (past, bindings) = (ReplayLog::default(), Bindings::default());
        let (sandbox, watch) = (Arc::clone(&self.sandbox), watch.clone());
        let by_hand = CancelCheck::default();
        Live { tools, sandbox, watch, effects, budget, past, bindings, by_hand }
    }
}

impl Live {
    /// Has calls made, unless it is known what came of them before the run waited.
    pub(super) async fn make(
        &mut self,
        asked: RequestedCalls<'_>,
        log: &mut CallLog<'_>,
    ) -> Result<EndedCalls, Fault> {
        if let Some(refusal) = self.refusal(&asked.calls.calls)? {
            self.past.pass_refused();
            return Ok(log.end(asked, Err(refusal)));
        }
        let before = match self.past.recall(asked.calls)? {
            None => Vec::new(),
            Some(RecordedAnswers::Some(before)) => before,
            Some(RecordedAnswers::All(mut came)) => {
                if let Ok(answered) = &mut came {
                    self.budget.charge(answered);
                }
                return Ok(log.end(asked, came));
            }
        };
        for (index, answered) in before.iter().enumerate() {
            if let Some(answered) = answered {
                log.know(&asked, index, answered);
            }
        }
        if asked.calls.calls.iter().all(|it| it.tool == ANALYZE) {
            let answered = asked.calls.calls.iter().map(|it| self.analyze(it)).collect();
            return Ok(log.end(asked, Ok(answered)));
        }
        let known = PriorAnswers { consents: log.known(&asked.calls.calls), before };
        let intended = log.intend(asked)?;
        let (intended, unsent) = match self.send(&intended, &known, log).await {
            Err(NotSent::Asks(needs)) => match log.consider(intended, &needs).await? {
                Err(ended) => return Ok(ended),
                Ok((asked, consents)) => {
                    let (intended, known) =
                        (log.intend(asked)?, PriorAnswers { consents, ..known });
                    match self.send(&intended, &known, log).await {
                        Ok(answered) => return finish(intended, answered, log),
                        Err(unsent) => (intended, unsent),
                    }
                }
            },
            Ok(answered) => return finish(intended, answered, log),
            Err(unsent) => (intended, unsent),
        };
        let refusal = unsent.refusal(&intended.calls().calls);
        log.answer(intended, Err(refusal))
    }

    /// Decides whether a `retry` tries again, and waits before that. Whatever may not be repeated must
    /// not have been called in it.
    pub(super) async fn wait(
        &mut self,
        wait: &Wait,
        log: &mut CallLog<'_>,
    ) -> Result<Option<u64>, Fault> {
        if let Some(waited) = self.past.waited()? {
            log.waited(waited, false)?;
            return Ok(waited);
        }
        let calls = usize::try_from(wait.calls).unwrap_or(usize::MAX);
        let may_repeat = log.last_calls(calls).all(|tool| self.effects.is_repeatable(tool));
        // A server that takes no more calls may say how long.
        let asked = log.after.filter(|_| wait.reason == Reason::RateLimited.name());
        let millis = wait.milliseconds.max(asked.unwrap_or_default());
        let waited = (may_repeat && millis <= wait.most).then_some(millis);
        if let Some(millis) = waited {
            let pause = self.effects.pause(Duration::from_millis(millis));
            self.budget.watch().while_asking(pause).await;
        }
        log.waited(waited, true)?;
        Ok(waited)
    }

    /// Sends as many of the calls as the run may still make, except those that were declined.
    async fn send(
        &mut self,
        intended: &IntendedCalls<'_>,
        known: &PriorAnswers,
        log: &mut CallLog<'_>,
    ) -> Result<Vec<CallResult>, NotSent> {
        let left = self.budget.left();
        let most = usize::try_from(left.calls).unwrap_or(usize::MAX);
        let (calls, at_most) = (&intended.calls().calls, intended.calls().at_most);
        let consent = |index: usize| known.consents.get(index).unwrap_or(&Consent::Unasked);
        let before = |index: usize| known.before.get(index).cloned().flatten();
        let (mut sent, mut approved, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let is_own = |index: usize| calls.get(index).is_some_and(|it| it.tool == ANALYZE);
        let theirs = (0..calls.len()).filter(|it| !is_own(*it));
        let theirs: Vec<usize> = theirs.take(most).collect();
        for index in &theirs {
            let is_open = before(*index).is_none() && consent(*index).outcome().is_none();
            if let Some(call) = calls.get(*index).filter(|_| is_open) {
                sent.push(call.clone());
                approved.push(consent(*index).approval());
                places.push(*index);
            }
        }
        let mut told = |index: usize, answered: &CallResult| {
            if let Some(index) = places.get(index) {
                log.observe(intended, *index, answered);
            }
        };
        let answered = match sent.as_slice() {
            [] => Vec::new(),
            calls => {
                let sending = PendingCalls::new(intended, (calls, at_most), left, &approved);
                let sent = self.effects.call(sending, &mut told).await;
                sent.map_err(|unsent| placed(unsent, &places))?
            }
        };
        let mut answered = answered.into_iter();
        let mut came: Vec<CallResult> = Vec::with_capacity(theirs.len());
        for index in &theirs {
            match (before(*index), consent(*index).outcome()) {
                (Some(answered), _) => came.push(answered),
                (None, Some(outcome)) => came.push(CallResult::new(outcome, 0)),
                (None, None) => came.extend(answered.next()),
            }
        }
        self.budget.charge(&mut came);
        let mut came = came.into_iter();
        let answer = |(index, call)| match is_own(index) {
            true => self.analyze(call),
            false => came.next().unwrap_or_else(beyond),
        };
        Ok(calls.iter().enumerate().map(answer).collect())
    }

    /// Asks the analyst. It counts among no budget.
    fn analyze(&self, call: &Call) -> CallResult {
        let since = Instant::now();
        let Self { sandbox, tools, effects, watch, .. } = self;
        let sight = Sight { sandbox, kept: None, tools, effects: effects.as_ref() };
        CallResult::new(sight.answer_call(call, watch), milliseconds(since.elapsed()))
    }

    /// Why no server gets these calls: one is for a native capability, which has no such function, or
    /// would not give a whole result.
    fn refusal(&self, calls: &[Call]) -> Result<Option<Refusal>, Fault> {
        for (index, call) in calls.iter().enumerate() {
            if let Some((native, member)) =
                self.tools.native_of(&call.tool, self.effects.as_ref())?
            {
                return Ok(Some(native.refusal(index, member)));
            }
        }
        Ok(None)
    }
}

/// What is known of calls before they are sent.
struct PriorAnswers {
    consents: Vec<Consent>,
    /// What came of some of them before the run was interrupted.
    before: Vec<Option<CallResult>>,
}

/// Ends calls that were sent, unless the run stops at one of which nobody knows what it has done.
fn finish(
    intended: IntendedCalls<'_>,
    answered: Vec<CallResult>,
    log: &mut CallLog<'_>,
) -> Result<EndedCalls, Fault> {
    log.doubt(&intended, &answered)?;
    log.answer(intended, Ok(answered))
}

/// Why calls were not sent, with the places that they have among all calls.
fn placed(unsent: NotSent, places: &[usize]) -> NotSent {
    let place = |index: usize| places.get(index).copied().unwrap_or(index);
    match unsent {
        NotSent::Refused(it) => NotSent::Refused(Refusal { index: place(it.index), ..it }),
        NotSent::Asks(needs) => {
            let needs = needs.into_iter().map(|it| Need { index: place(it.index), ..it });
            NotSent::Asks(needs.collect())
        }
    }
}

impl Native {
    /// The refusal of a call that does not apply one of the functions.
    fn refusal(&self, index: usize, member: &str) -> Refusal {
        let Self { name, members, .. } = self;
        if members.iter().any(|it| it == member) {
            let message = format!("`{name}.{member}` is a function of the tool `{name}`");
            let hint = Some("it takes a record and no options".to_owned());
            return Refusal { index, code: FaultCode::Malformed, message, hint };
        }
        let hint = match similar(member, members.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{name}.{near}`?"),
            None => format!("its functions are {}", quote(members)),
        };
        let message = format!("the capability `{name}` has no function {}", quote_one(member));
        let (code, hint) = (FaultCode::UnknownCapability, Some(text::line(&hint, 400)));
        Refusal { index, code, message, hint }
    }
}
