//! What is written down of a run while it goes on: its questions with their answers, and the calls
//! that it makes.

use std::time::Instant;

use super::effects::{self, Intent};
use super::world::Came;
use crate::domain::{Call, Fault, Refusal};
use crate::journal::{Answer, Came as Outcome, Ran};
use crate::sandbox::milliseconds;

/// The questions of a run with their answers.
#[derive(Debug, Default)]
pub(super) struct Ledger<'a> {
    pub(super) answers: Vec<Answer>,
    /// Texts of which the answers hold the digests.
    texts: Vec<String>,
    /// Writes down what the run asks for, before it is sent.
    intent: Option<Intent<'a>>,
    /// Since when calls wait for what comes of them.
    waits: Option<Instant>,
    /// What ran for calls of native capabilities: the place of the calls, and of the call in them.
    ran: Vec<(usize, usize, Ran)>,
}

impl<'a> Ledger<'a> {
    /// The ledger of a run that is journaled: calls are on the disk before they are sent.
    pub(super) fn intending(intent: Intent<'a>) -> Self {
        Self { intent: Some(intent), ..Self::default() }
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
        Ok(())
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
            self.ran.retain(|it| it.0 != place);
            return;
        }
        let (mut answer, values) = effects::answered(calls, came);
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
        self.texts.extend(values);
    }

    /// Writes down calls that were made for others which are refused.
    pub(super) fn keep(&mut self, calls: &[Call], came: &Came) {
        if !calls.is_empty() {
            let (answer, values) = effects::answered(calls, came);
            self.answers.push(within(answer));
            self.texts.extend(values);
        }
    }

    /// All recorded questions with their answers, the texts whose digests the answers hold, and
    /// what the store keeps of the run until it has ended.
    pub(super) fn close(mut self) -> (Vec<Answer>, Vec<String>, Option<i64>) {
        // The run ended while it waited.
        if let Some(waits) = self.waits {
            let ms = milliseconds(waits.elapsed());
            let made = self.answers.iter_mut().filter_map(|answer| match answer {
                Answer::Calls(made) | Answer::Within(made) => Some(made),
                _ => None,
            });
            for made in made.flatten().filter(|made| made.outcome == Outcome::Unknown) {
                made.ms = ms;
            }
        }
        (self.answers, self.texts, self.intent.and_then(Intent::pending))
    }
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
