//! What is written down of a run while it goes on: its questions with their answers, and the calls
//! that it makes.

use std::time::{Duration, Instant};

use pif_domain::{Answered, Approval, Call, Decision, Fault, Need, Refusal};
use pif_sandbox::milliseconds;
use pif_store::journal::{Answer, Came as Outcome, Ran};

use super::bindings::Term;
use super::consent::{self, Consent, Consents, Said};
use super::effects;
use super::intent::Intent;
use super::observer::Observer;
use super::past::{Waiting, waits};

/// What came of calls, or why none was made.
pub(super) type Came = Result<Vec<Answered>, Refusal>;

/// The questions of a run with their answers, and who is asked about its calls.
pub(super) struct Ledger<'a> {
    pub(super) observer: &'a mut (dyn Observer + Send),
    pub(super) answers: Vec<Answer>,
    /// Texts of which the answers hold the digests.
    texts: Vec<String>,
    /// Hashes of terms that the answers name, which the store has.
    pins: Vec<String>,
    /// Writes down what the run asks for, before it is sent.
    intent: Option<Intent<'a>>,
    /// Since when calls wait for what comes of them.
    waits: Option<Instant>,
    /// The tools whose calls were sent and have not ended.
    sent: Vec<String>,
    /// What ran for calls of native capabilities: the place of the calls, and of the call in them.
    ran: Vec<(usize, usize, Ran)>,
    /// What those who were asked have said.
    consents: Consents,
    /// The question that the run is kept for.
    pub(super) waiting: Option<Waiting>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(observer: &'a mut (dyn Observer + Send)) -> Self {
        Self {
            observer,
            answers: Vec::new(),
            texts: Vec::new(),
            pins: Vec::new(),
            intent: None,
            waits: None,
            sent: Vec::new(),
            ran: Vec::new(),
            consents: Consents::default(),
            waiting: None,
        }
    }

    /// The ledger of a run that is journaled: calls are on the disk before they are sent.
    pub(super) fn intending(self, intent: Intent<'a>, consents: Consents) -> Self {
        Self { intent: Some(intent), consents, ..self }
    }

    /// What is known of calls before anybody is asked.
    pub(super) fn known(&self, calls: &[Call]) -> Vec<Consent> {
        self.consents.of(calls)
    }

    /// Asks whether calls that stand at this place may be made. If nobody answers now, the run is kept
    /// and ends.
    pub(super) async fn consider(
        &mut self,
        calls: &[Call],
        needs: &[Need],
        place: usize,
    ) -> Result<Result<Vec<Consent>, Refusal>, Fault> {
        self.waits = None;
        let Some(intent) = &mut self.intent else { return Ok(Err(Refusal::denied(calls))) };
        let wishes = consent::wishes(calls, needs);
        if let Some(decision) = self.consents.recall(&wishes) {
            return Ok(Ok(self.consents.decide(calls, needs, &Ok(decision))));
        }
        let before = self.answers.get(..place).unwrap_or_default();
        intent.withdraw(before, &self.texts)?;
        let asked = self.observer.ask(&wishes);
        let decided = match intent.watch.while_asking(asked).await {
            Said::Chosen(choice) => Ok(Decision { choice, by: Approval::Once }),
            Said::Not(reason) => Err(reason),
            Said::Later(bound) => {
                let granted = self.consents.granted.clone();
                let run = intent.so_far(before, &self.texts);
                match intent.put_off(run, wishes, granted, bound.as_deref())? {
                    Ok(waiting) => self.waiting = Some(waiting),
                    Err(refusal) => return Ok(Err(refusal)),
                }
                return Err(waits());
            }
        };
        Ok(Ok(self.consents.decide(calls, needs, &decided)))
    }

    /// Writes down what came of one of the calls at a place before all of them have ended.
    pub(super) fn tell(&mut self, place: usize, index: usize, answered: &Answered) {
        let Some(Answer::Calls(made) | Answer::Within(made)) = self.answers.get_mut(place) else {
            return;
        };
        let Some(made) = made.get_mut(index) else { return };
        if made.outcome == Outcome::Unknown {
            self.texts.extend(effects::texts(answered));
        }
        effects::come(made, answered);
    }

    /// Writes down calls before anything comes of them. Gives their place. `is_within` says that a
    /// native capability makes them.
    pub(super) fn begin(&mut self, calls: &[Call], is_within: bool) -> Begun {
        let begun = Begun { place: self.answers.len(), texts: self.texts.len(), is_within };
        let (asked, args) = effects::asked(calls);
        self.answers.push(if is_within { within(asked) } else { asked });
        self.texts.extend(args);
        begun
    }

    /// Brings all that was written down to the disk. Of it these calls are about to be sent.
    pub(super) fn send(&mut self, calls: &[Call]) -> Result<(), Fault> {
        if let Some(intent) = &mut self.intent {
            intent.note(calls, &self.answers, &self.texts)?;
        }
        self.waits = Some(Instant::now());
        self.sent = calls.iter().map(|call| call.tool.clone()).collect();
        Ok(())
    }

    /// Tells the observer of calls that have ended. Without answers none was sent.
    pub(super) fn observe<E>(
        &mut self,
        calls: &[Call],
        came: Result<Vec<Answered>, E>,
    ) -> Result<Vec<Answered>, E> {
        self.sent.clear();
        if let (Some(since), Ok(answered)) = (self.waits, &came) {
            let (time, alone) = (since.elapsed(), calls.len() == 1);
            for (call, it) in calls.iter().zip(answered) {
                let own = Duration::from_millis(it.millis).min(time);
                let time = if alone { time } else { own };
                self.observer.called(since, time, &call.tool, Some(&it.outcome));
            }
        }
        came
    }

    /// Notes which revision ran for a call, and what it took.
    pub(super) fn note(&mut self, place: usize, index: usize, ran: Ran) {
        self.ran.push((place, index, ran));
    }

    /// Writes down what came of calls.
    pub(super) fn end(&mut self, begun: Begun, calls: &[Call], came: &Came) {
        let Begun { place, texts, is_within } = begun;
        self.waits = None;
        // A denied call is not recorded, and what a capability may not call is told by its own.
        if *came == Err(Refusal::denied(calls)) || (is_within && came.is_err()) {
            if place + 1 == self.answers.len() {
                self.texts.truncate(texts);
            }
            self.answers.remove(place);
            if let Some(intent) = &mut self.intent {
                intent.rewind(place, self.texts.len());
            }
            self.ran.retain(|it| it.0 != place);
            return;
        }
        let (mut answer, _) = effects::answered(calls, came);
        for (index, answered) in came.iter().flatten().enumerate() {
            if !self.is_told(place, index) {
                self.texts.extend(effects::texts(answered));
            }
        }
        if let Answer::Calls(made) = &mut answer {
            for (_, index, ran) in self.ran.extract_if(.., |it| it.0 == place) {
                if let Some(made) = made.get_mut(index) {
                    made.ran = Some(ran);
                }
            }
        }
        if let Some(kept) = self.answers.get_mut(place) {
            *kept = if is_within { within(answer) } else { answer };
        }
    }

    /// Whether what came of a call was written down before.
    fn is_told(&self, place: usize, index: usize) -> bool {
        let Some(Answer::Calls(made) | Answer::Within(made)) = self.answers.get(place) else {
            return false;
        };
        made.get(index).is_some_and(|made| made.outcome != Outcome::Unknown)
    }

    /// Writes down calls that were made for others which are refused.
    pub(super) fn keep(&mut self, calls: &[Call], came: &Came) {
        if !calls.is_empty() {
            let (answer, values) = effects::answered(calls, came);
            self.answers.push(within(answer));
            self.texts.extend(values);
        }
    }

    /// Writes down that the run has read a binding. Gives its term.
    pub(super) fn recall(&mut self, name: &str, binding: Term) -> String {
        let Term { term, hash, is_kept } = binding;
        if is_kept {
            self.pins.push(hash.clone());
        } else {
            self.texts.push(term.clone());
        }
        self.answers.push(Answer::Binding(name.to_owned(), hash));
        term
    }

    /// Ends the run. Gives all that was written down.
    pub(super) fn close(mut self) -> Written {
        // The run ended while it waited.
        if let Some(waits) = self.waits {
            let ms = milliseconds(waits.elapsed());
            for tool in &self.sent {
                self.observer.called(waits, waits.elapsed(), tool, None);
            }
            let made = self.answers.iter_mut().filter_map(|answer| match answer {
                Answer::Calls(made) | Answer::Within(made) => Some(made),
                _ => None,
            });
            for made in made.flatten().filter(|made| made.outcome == Outcome::Unknown) {
                made.ms = ms;
            }
        }
        let Self { answers, texts, pins, intent, .. } = self;
        Written { answers, texts, pins, pending: intent.and_then(Intent::pending) }
    }
}

/// What was written down of a run.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// All recorded questions with their answers.
    pub(super) answers: Vec<Answer>,
    /// The texts whose digests the answers hold.
    pub(super) texts: Vec<String>,
    /// Hashes of terms that the answers name, which the store has.
    pub(super) pins: Vec<String>,
    /// What the store keeps of the run until it has ended.
    pub(super) pending: Option<i64>,
}

/// Calls that were written down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    /// Where they stand among the answers.
    pub(super) place: usize,
    /// How many texts there were before.
    texts: usize,
    is_within: bool,
}

fn within(answer: Answer) -> Answer {
    match answer {
        Answer::Calls(made) => Answer::Within(made),
        other => other,
    }
}
