//! The way of the calls of a run: what came of them before, else the intent, the sending, an approval
//! where one is needed, the answers.

use std::sync::Arc;
use std::time::Instant;

use pif_domain::text::similar::similar;
use pif_domain::text::{self, quote, quote_one};
use pif_domain::{Answered, Call, Fault, FaultCode, Refusal, Unsent};
use pif_sandbox::{Watch, milliseconds};

use super::analyze::ANALYZE;
use super::bindings::Bindings;
use super::budget::{CallBudget, beyond};
use super::call_log::{Asked, CallLog, Ended, Intended};
use super::consent::Consent;
use super::effects::{Effects, Sending};
use super::native::Native;
use super::opening::Workshop;
use super::past::Past;
use super::types::Sight;
use super::world::{Live, Tools};

impl Workshop {
    /// The world of a run.
    pub(super) fn live(&self, tools: Tools, effects: Arc<dyn Effects>, watch: &Watch) -> Live {
        let budget = CallBudget::new(self.allowed, watch);
        let (past, bindings) = (Past::default(), Bindings::default());
        let (sandbox, watch) = (Arc::clone(&self.sandbox), watch.clone());
        Live { tools, sandbox, watch, effects, budget, past, bindings }
    }
}

impl Live {
    /// Has calls made, unless it is known what came of them before the run waited.
    pub(super) async fn make(
        &mut self,
        asked: Asked<'_>,
        log: &mut CallLog<'_>,
    ) -> Result<Ended, Fault> {
        if let Some(refusal) = self.refusal(&asked.calls.calls)? {
            self.past.pass_refused();
            return Ok(log.end(asked, Err(refusal)));
        }
        if let Some(mut came) = self.past.recall(asked.calls)? {
            if let Ok(answered) = &mut came {
                self.budget.charge(answered);
            }
            return Ok(log.end(asked, came));
        }
        if asked.calls.calls.iter().all(|it| it.tool == ANALYZE) {
            let answered = asked.calls.calls.iter().map(|it| self.analyze(it)).collect();
            return Ok(log.end(asked, Ok(answered)));
        }
        let known = log.known(&asked.calls.calls);
        let intended = log.intend(asked)?;
        let (intended, unsent) = match self.send(&intended, &known, log).await {
            Err(Unsent::Asks(needs)) => match log.consider(intended, &needs).await? {
                Err(ended) => return Ok(ended),
                Ok((asked, decided)) => {
                    let intended = log.intend(asked)?;
                    match self.send(&intended, &decided, log).await {
                        Ok(answered) => return Ok(log.answer(intended, Ok(answered))),
                        Err(unsent) => (intended, unsent),
                    }
                }
            },
            Ok(answered) => return Ok(log.answer(intended, Ok(answered))),
            Err(unsent) => (intended, unsent),
        };
        let refusal = unsent.refusal(&intended.calls().calls);
        Ok(log.answer(intended, Err(refusal)))
    }

    /// Sends as many of the calls as the run may still make, except those that were declined.
    async fn send(
        &mut self,
        intended: &Intended<'_>,
        consents: &[Consent],
        log: &mut CallLog<'_>,
    ) -> Result<Vec<Answered>, Unsent> {
        let left = self.budget.left();
        let most = usize::try_from(left.calls).unwrap_or(usize::MAX);
        let (calls, at_most) = (&intended.calls().calls, intended.calls().at_most);
        let consent = |index: usize| consents.get(index).unwrap_or(&Consent::Unasked);
        let (mut sent, mut approved, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let is_own = |index: usize| calls.get(index).is_some_and(|it| it.tool == ANALYZE);
        let count = calls.len();
        let theirs: Vec<usize> = (0..count).filter(|it| !is_own(*it)).take(most).collect();
        for index in &theirs {
            if let (Some(call), None) = (calls.get(*index), consent(*index).outcome()) {
                sent.push(call.clone());
                approved.push(consent(*index).approval());
                places.push(*index);
            }
        }
        let mut told = |index: usize, answered: &Answered| {
            if let Some(index) = places.get(index) {
                log.tell(intended, *index, answered);
            }
        };
        let answered = match sent.as_slice() {
            [] => Vec::new(),
            calls => {
                let sending = Sending::new(intended, (calls, at_most), left, &approved);
                self.effects.call(sending, &mut told).await?
            }
        };
        let mut answered = answered.into_iter();
        let mut came: Vec<Answered> = Vec::with_capacity(theirs.len());
        for index in &theirs {
            match consent(*index).outcome() {
                Some(outcome) => came.push(Answered::new(outcome, 0)),
                None => came.extend(answered.next()),
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
    fn analyze(&self, call: &Call) -> Answered {
        let since = Instant::now();
        let Self { sandbox, tools, effects, watch, .. } = self;
        let sight = Sight { sandbox, tools, effects: effects.as_ref() };
        Answered::new(sight.answer_call(call, watch), milliseconds(since.elapsed()))
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
