//! The record of a run in progress: its questions with their answers, and its calls. The types of a call
//! are its stages: [`RequestedCalls`], then [`IntendedCalls`], then [`EndedCalls`].

use std::time::{Duration, Instant};

use pif_domain::{Approval, Call, CallOutcome, CallResult, Decision, Fault, Need, Refusal, Stage};
use pif_sandbox::{Calls, Left, milliseconds};
use pif_store::journal::{Answer, Came as Outcome, Left as Kept};

use super::bindings::Term;
use super::call_record as record;
use super::consent::{self, Consent, Consents, Said};
use super::intent::Intent;
use super::observer::Observer;
use super::past::{ApprovalWait, waits};
use super::step_log::{self, StepLog};

/// How long a step takes whose end is written at once.
const WORTH: Duration = Duration::from_millis(5);

/// What came of calls, or why none was made.
pub(super) type Came = Result<Vec<CallResult>, Refusal>;

/// Calls that a run asks for. They are written down.
pub(super) struct RequestedCalls<'c> {
    pub(super) calls: &'c Calls,
    /// Where they stand among the answers.
    place: usize,
    /// How many texts there were before.
    texts: usize,
}

/// Calls that may be sent: that the run makes them is on the disk, wherever it has to be.
pub(super) struct IntendedCalls<'c> {
    asked: RequestedCalls<'c>,
    since: Instant,
}

impl<'c> IntendedCalls<'c> {
    pub(super) fn calls(&self) -> &'c Calls {
        self.asked.calls
    }
}

/// Calls that have ended. What came of them is written down.
pub(super) struct EndedCalls(Came);

impl EndedCalls {
    pub(super) fn came(self) -> Came {
        self.0
    }
}

/// The questions of a run with their answers, and who is asked about its calls.
pub(super) struct CallLog<'a> {
    pub(super) observer: &'a mut (dyn Observer + Send),
    pub(super) answers: Vec<Answer>,
    /// Texts of which the answers hold the digests.
    texts: Vec<String>,
    /// Hashes of terms that the answers name, which the store has.
    pins: Vec<String>,
    /// Writes down what the run asks for, before it is sent.
    intent: Option<Intent<'a>>,
    /// The tools whose calls were sent and have not ended, and since when.
    sent: Option<(Instant, Vec<String>)>,
    /// The steps so far, and since when those run that have not ended, the innermost last.
    step_log: StepLog,
    steps: Vec<Instant>,
    /// For how many milliseconds a server of the last calls takes no more, if one says so.
    pub(super) after: Option<u64>,
    /// What those who were asked have said.
    consents: Consents,
    /// The question that the run is kept for.
    pub(super) waiting: Option<ApprovalWait>,
}

impl<'a> CallLog<'a> {
    pub(super) fn new(observer: &'a mut (dyn Observer + Send)) -> Self {
        Self {
            observer,
            answers: Vec::new(),
            texts: Vec::new(),
            pins: Vec::new(),
            intent: None,
            sent: None,
            step_log: StepLog::default(),
            steps: Vec::new(),
            after: None,
            consents: Consents::default(),
            waiting: None,
        }
    }

    /// The log of a run that is journaled: calls are on the disk before they are sent.
    pub(super) fn intending(self, intent: Intent<'a>, consents: Consents) -> Self {
        Self { intent: Some(intent), consents, ..self }
    }

    /// What is known of calls before anybody is asked.
    pub(super) fn known(&self, calls: &[Call]) -> Vec<Consent> {
        self.consents.of(calls)
    }

    /// Writes down calls before anything comes of them.
    pub(super) fn ask<'c>(&mut self, calls: &'c Calls) -> RequestedCalls<'c> {
        let asked = RequestedCalls { calls, place: self.answers.len(), texts: self.texts.len() };
        let (answer, args) = record::asked(&calls.calls);
        self.answers.push(answer);
        self.texts.extend(args);
        asked
    }

    /// Brings all that was written down to the disk.
    pub(super) fn intend<'c>(
        &mut self,
        asked: RequestedCalls<'c>,
    ) -> Result<IntendedCalls<'c>, Fault> {
        if let Some(intent) = &mut self.intent {
            intent.note(&asked.calls.calls, &self.answers, &self.texts)?;
        }
        let since = Instant::now();
        let tools = asked.calls.calls.iter().map(|call| call.tool.clone()).collect();
        self.sent = Some((since, tools));
        Ok(IntendedCalls { asked, since })
    }

    /// Asks whether calls may be made of which none was sent. If nobody answers now, the run is kept
    /// and ends.
    pub(super) async fn consider<'c>(
        &mut self,
        intended: IntendedCalls<'c>,
        needs: &[Need],
    ) -> Result<Result<(RequestedCalls<'c>, Vec<Consent>), EndedCalls>, Fault> {
        self.sent = None;
        let asked = intended.asked;
        let calls = &asked.calls.calls;
        let Some(intent) = &mut self.intent else {
            let refusal = Refusal::denied(calls);
            return Ok(Err(self.end(asked, Err(refusal))));
        };
        let wishes = consent::wishes(calls, needs);
        if let Some(decision) = self.consents.recall(&wishes) {
            return Ok(Ok(self.decide(asked, needs, &Ok(decision))));
        }
        let before = self.answers.get(..asked.place).unwrap_or_default();
        intent.withdraw(before, &self.texts)?;
        let question = self.observer.ask(&wishes);
        let decided = match intent.watch.while_asking(question).await {
            Said::Chosen(choice) => Ok(Decision { choice, by: Approval::Once }),
            Said::Not(reason) => Err(reason),
            Said::Later(bound) => {
                let granted = self.consents.granted.clone();
                let run = intent.so_far(before, &self.texts);
                match intent.put_off(run, wishes, granted, bound.as_deref())? {
                    Ok(waiting) => self.waiting = Some(waiting),
                    Err(refusal) => return Ok(Err(self.end(asked, Err(refusal)))),
                }
                return Err(waits());
            }
        };
        Ok(Ok(self.decide(asked, needs, &decided)))
    }

    /// Writes down what was decided of calls that somebody was asked about.
    fn decide<'c>(
        &mut self,
        asked: RequestedCalls<'c>,
        needs: &[Need],
        decided: &Result<Decision, String>,
    ) -> (RequestedCalls<'c>, Vec<Consent>) {
        let consents = self.consents.decide(&asked.calls.calls, needs, decided);
        for (index, consent) in consents.iter().enumerate() {
            if let Some(outcome) = consent.outcome() {
                self.note(asked.place, index, &CallResult::new(outcome, 0));
            }
        }
        (asked, consents)
    }

    /// Writes down what came of one of some calls before all of them have ended: a run that ends
    /// meanwhile knows it.
    pub(super) fn observe(
        &mut self,
        intended: &IntendedCalls<'_>,
        index: usize,
        answered: &CallResult,
    ) {
        self.note(intended.asked.place, index, answered);
        if intended.asked.calls.calls.len() > 1
            && let Some(intent) = &mut self.intent
            && let Err(fault) = intent.append(&self.answers, &self.texts)
        {
            // The run finds it out when all calls have ended.
            tracing::warn!(message = fault.message, "an answer could not be written down");
        }
    }

    /// Writes down what came of one of some calls before the run was interrupted.
    pub(super) fn know(&mut self, asked: &RequestedCalls<'_>, index: usize, answered: &CallResult) {
        self.note(asked.place, index, answered);
    }

    /// Stops a durable run at a call of which nobody knows what it has done. What came of the others is
    /// written down.
    pub(super) fn doubt(
        &mut self,
        intended: &IntendedCalls<'_>,
        answered: &[CallResult],
    ) -> Result<(), Fault> {
        let Some(intent) = &self.intent else { return Ok(()) };
        if intent.durable.is_none() {
            return Ok(());
        }
        let calls = &intended.asked.calls.calls;
        let unknown: Vec<usize> = (0..calls.len())
            .filter(|at| {
                let is_unknown = answered.get(*at).is_some_and(|it| is_unknown(&it.outcome));
                is_unknown && calls.get(*at).is_some_and(|call| !intent.may_repeat(&call.tool))
            })
            .collect();
        let Some(tool) = unknown.first().and_then(|at| calls.get(*at)).map(|it| it.tool.clone())
        else {
            return Ok(());
        };
        self.sent = None;
        let place = intended.asked.place;
        for (index, it) in answered.iter().enumerate() {
            if !unknown.contains(&index) {
                self.note(place, index, it);
            }
        }
        if let Some(Answer::Calls(made)) = self.answers.get_mut(place) {
            for index in unknown {
                if let Some(made) = made.get_mut(index) {
                    made.outcome = Outcome::Unknown;
                }
            }
        }
        Err(record::outcome_unknown(&tool))
    }

    /// The tools of the last calls, at most so many, the last one first.
    pub(super) fn last_calls(&self, most: usize) -> impl Iterator<Item = &str> {
        let made = self.answers.iter().rev().filter_map(|answer| match answer {
            Answer::Calls(made) => Some(made),
            _ => None,
        });
        made.flat_map(|made| made.iter().rev()).map(|made| made.asked.tool.as_str()).take(most)
    }

    /// Writes down what was decided after a call had failed in a `retry`.
    pub(super) fn waited(&mut self, waited: Option<u64>, is_new: bool) -> Result<(), Fault> {
        self.step_log.add(&Answer::Waited(waited));
        self.answers.push(Answer::Waited(waited));
        match &mut self.intent {
            Some(intent) if is_new => intent.append(&self.answers, &self.texts),
            _ => Ok(()),
        }
    }

    /// Writes down that a step begins.
    pub(super) fn enter(&mut self, name: String) {
        let begun = Answer::Enter(name);
        self.step_log.add(&begun);
        self.answers.push(begun);
        self.steps.push(Instant::now());
        self.observer.step(&self.step_log.all, None);
    }

    /// Writes down a step that is not evaluated.
    pub(super) fn pass(&mut self, answers: Vec<Answer>, texts: Vec<String>) {
        for answer in &answers {
            self.step_log.add(answer);
        }
        self.answers.extend(answers);
        self.texts.extend(texts);
        self.observer.step(&self.step_log.all, None);
    }

    /// Writes down that the innermost step has ended: as it did before, if that is `known`.
    pub(super) fn leave(
        &mut self,
        came: Left,
        known: Option<Kept>,
        is_new: bool,
    ) -> Result<(), Fault> {
        let since = self.steps.pop();
        let time = since.map(|since| since.elapsed()).unwrap_or_default();
        let (left, text) = step_log::left(came, milliseconds(time));
        self.texts.extend(text);
        let is_known = known.is_some();
        let ended = Answer::Leave(known.unwrap_or(left));
        let at = self.step_log.add(&ended);
        self.answers.push(ended);
        self.observer.step(&self.step_log.all, at.zip(since));
        // What took no time is written with what comes next.
        match &mut self.intent {
            Some(intent) if is_new && !is_known && time >= WORTH => {
                intent.append(&self.answers, &self.texts)
            }
            _ => Ok(()),
        }
    }

    /// Interrupts a durable run that has not come as far as it was before.
    pub(super) fn put_down_again(
        &mut self,
        fault: &Fault,
        unsure: Vec<usize>,
    ) -> Result<Option<i64>, Fault> {
        let Some(intent) = &mut self.intent else { return Ok(None) };
        intent.put_down_again(fault, unsure)
    }

    /// Interrupts a durable run, whose last calls have no answer if `is_unanswered`. Gives its number.
    pub(super) fn put_down(
        &mut self,
        fault: &Fault,
        is_unanswered: bool,
    ) -> Result<Option<i64>, Fault> {
        let last = self.answers.iter_mut().rev().find_map(|answer| match answer {
            Answer::Calls(made) => Some(made),
            _ => None,
        });
        for made in last.into_iter().flatten().filter(|_| is_unanswered) {
            if matches!(&made.outcome, Outcome::Failed { reason, .. } if reason.is_no_answer()) {
                made.outcome = Outcome::Unknown;
            }
        }
        // What was asked after these calls is asked again.
        let is_of_calls = |it: &Answer| {
            matches!(it, Answer::Calls(_) | Answer::Waited(_))
                || !is_unanswered && matches!(it, Answer::Enter(_) | Answer::Leave(_))
        };
        let end = self.answers.iter().rposition(is_of_calls).map_or(0, |at| at + 1);
        self.answers.truncate(end);
        let Some(intent) = &mut self.intent else { return Ok(None) };
        intent.rewind(end.saturating_sub(1), self.texts.len());
        intent.put_down(&self.answers, &self.texts, fault)
    }

    fn note(&mut self, place: usize, index: usize, answered: &CallResult) {
        let Some(Answer::Calls(made)) = self.answers.get_mut(place) else { return };
        let Some(made) = made.get_mut(index) else { return };
        if made.outcome == Outcome::Unknown {
            self.texts.extend(record::texts(answered));
        }
        record::come(made, answered);
    }

    /// Ends calls that were to be sent.
    pub(super) fn answer(
        &mut self,
        intended: IntendedCalls<'_>,
        came: Came,
    ) -> Result<EndedCalls, Fault> {
        let IntendedCalls { asked, since } = intended;
        self.after = came.iter().flatten().filter_map(|it| it.beside.after).max();
        if let Ok(answered) = &came {
            let time = since.elapsed();
            let is_alone = answered.len() == 1;
            for (call, it) in asked.calls.calls.iter().zip(answered) {
                let own = Duration::from_millis(it.millis).min(time);
                let time = if is_alone { time } else { own };
                self.observer.called(since, time, &call.tool, Some(&it.outcome));
            }
        }
        let ended = self.end(asked, came);
        if let Some(intent) = &mut self.intent {
            intent.append(&self.answers, &self.texts)?;
        }
        Ok(ended)
    }

    /// Ends calls that are not sent: it is known what came of them, or they are refused.
    #[expect(clippy::needless_pass_by_value, reason = "the stage ends here")]
    pub(super) fn end(&mut self, asked: RequestedCalls<'_>, came: Came) -> EndedCalls {
        let RequestedCalls { calls, place, texts } = asked;
        self.sent = None;
        // A denied call is not recorded.
        if came == Err(Refusal::denied(&calls.calls)) {
            if place + 1 == self.answers.len() {
                self.texts.truncate(texts);
            }
            self.answers.remove(place);
            if let Some(intent) = &mut self.intent {
                intent.rewind(place, self.texts.len());
            }
            return EndedCalls(came);
        }
        for (index, answered) in came.iter().flatten().enumerate() {
            self.note(place, index, answered);
        }
        if let Some(kept) = self.answers.get_mut(place) {
            *kept = record::answered(&calls.calls, &came);
            self.step_log.add(kept);
        }
        EndedCalls(came)
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
    pub(super) fn close(mut self) -> CallRecords {
        // The run ended while it waited.
        if let Some((since, tools)) = self.sent {
            let ms = milliseconds(since.elapsed());
            for tool in &tools {
                self.observer.called(since, since.elapsed(), tool, None);
            }
            let made = self.answers.iter_mut().filter_map(|answer| match answer {
                Answer::Calls(made) => Some(made),
                _ => None,
            });
            for made in made.flatten().filter(|made| made.outcome == Outcome::Unknown) {
                made.ms = ms;
            }
        }
        let Self { answers, texts, pins, intent, .. } = self;
        CallRecords { answers, texts, pins, pending: intent.and_then(Intent::pending) }
    }
}

/// What was written down of a run.
#[derive(Debug, Default)]
pub(super) struct CallRecords {
    /// All recorded questions with their answers.
    pub(super) answers: Vec<Answer>,
    /// The texts whose digests the answers hold.
    pub(super) texts: Vec<String>,
    /// Hashes of terms that the answers name, which the store has.
    pub(super) pins: Vec<String>,
    /// What the store keeps of the run until it has ended.
    pub(super) pending: Option<i64>,
}

/// Whether a call was sent and nobody knows what it has done.
fn is_unknown(outcome: &CallOutcome) -> bool {
    matches!(outcome, CallOutcome::Failed(it) if it.reason.stage() == Stage::Unknown)
}
