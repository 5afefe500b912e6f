//! Steps of a run as its answers tell them: name, state, fuel, calls, time, tries.

use std::collections::BTreeMap;

use pif_domain::StepTold;
use pif_domain::text::line;
use pif_sandbox::{Left as Came, Passage as Given};
use pif_store::journal::{Answer, Came as Outcome, Digest, Left, Passage, SentCall};

/// The most characters of a name that is kept.
const LONGEST_NAME: usize = 200;

const DONE: &str = "done";
/// The state of a step that a fault has ended.
pub(super) const FAILED: &str = "failed";
/// The state of a step that has begun.
const WORKING: &str = "working";

/// The steps of a run, as one answer after another tells them.
#[derive(Debug, Default)]
pub(super) struct StepLog {
    /// All of them, in the order in which they began.
    pub(super) all: Vec<StepTold>,
    /// The places of those that have not ended, the innermost last.
    inside: Vec<usize>,
    counts: BTreeMap<String, u32>,
    /// Whether a `retry` waited last: the steps in it end behind the wait, which was not theirs.
    has_waited: bool,
}

impl StepLog {
    /// Takes the next answer. Gives the place of a step that ends with it.
    pub(super) fn add(&mut self, answer: &Answer) -> Option<usize> {
        match answer {
            Answer::Enter(name) => self.enter(name),
            Answer::Leave(left) => {
                let at = self.inside.pop()?;
                let step = self.all.get_mut(at)?;
                step.state = if left.failed { FAILED } else { DONE };
                (step.fuel, step.ms) = (Some(left.fuel), Some(left.ms));
                step.tries -= u32::from(self.has_waited && left.failed && step.tries > 1);
                return Some(at);
            }
            Answer::Calls(made) => self.each(|step| step.calls += made.len()),
            Answer::Waited(Some(_)) => self.each(|step| step.tries += 1),
            _ => {}
        }
        self.has_waited = matches!(answer, Answer::Waited(Some(_)));
        None
    }

    fn enter(&mut self, name: &str) {
        let count = self.counts.entry(name.to_owned()).or_default();
        *count += 1;
        let name = name.to_owned();
        let count = *count;
        let state = WORKING;
        let fuel = None;
        let ms = None;
        self.inside.push(self.all.len());
        self.all.push(StepTold { name, count, state, fuel, calls: 0, ms, tries: 1 });
    }

    fn each(&mut self, change: impl Fn(&mut StepTold)) {
        let Self { all, inside, .. } = self;
        inside.iter().for_each(|at| all.get_mut(*at).into_iter().for_each(&change));
    }

    /// All steps. Those that have not ended are in the state `open`.
    pub(super) fn told(mut self, open: &'static str) -> Vec<StepTold> {
        for at in self.inside {
            self.all.get_mut(at).into_iter().for_each(|step| step.state = open);
        }
        self.all
    }
}

/// All steps in the order in which they began. Those that have not ended are in the state `open`.
#[must_use]
pub(super) fn steps(answers: &[Answer], open: &'static str) -> Vec<StepTold> {
    let mut log = StepLog::default();
    for answer in answers {
        log.add(answer);
    }
    log.told(open)
}

/// The name of a step as it is kept.
pub(super) fn name(name: &str) -> String {
    line(name, LONGEST_NAME)
}

/// What is written down of a step that has ended, after so many milliseconds, and the text beside it.
pub(super) fn left(came: Came, ms: u64) -> (Left, Option<String>) {
    let Came { fuel, failed, passage } = came;
    let (passage, text) = passage.map(passage_of).unzip();
    (Left { ms, fuel, failed, came: passage, passed: false }, text)
}

fn passage_of(given: Given) -> (Passage, String) {
    let Given { value, calls, trace, tools, trials, steps, .. } = given;
    (Passage { value: Digest::of(&value), calls, trace, tools, trials, steps }, value)
}

/// What the machine is given of a step with this value.
pub(super) fn given(left: &Left, passage: &Passage, value: String) -> Given {
    let Passage { calls, trace, tools, trials, steps, .. } = passage.clone();
    Given { value, fuel: left.fuel, calls, trace, tools, trials, steps }
}

/// Answers without what is of one run alone: times, and which steps were not evaluated again.
pub(super) fn timeless(answers: &mut [Answer]) {
    for answer in answers {
        if let Answer::Leave(left) = answer {
            (left.ms, left.passed) = (0, false);
        }
    }
}

/// Whether a run was given what one of its steps had come to.
pub(super) fn has_passed(answers: &[Answer]) -> bool {
    answers.iter().any(|it| matches!(it, Answer::Leave(left) if left.passed))
}

/// The place behind the end of the step that begins with the first of these answers, with what is known
/// of the end.
pub(super) fn end_of<'a>(answers: impl Iterator<Item = &'a Answer>) -> Option<(usize, &'a Left)> {
    let mut depth = 0_usize;
    for (at, answer) in answers.enumerate() {
        match answer {
            Answer::Enter(_) => depth += 1,
            Answer::Leave(left) if depth == 1 => return Some((at + 1, left)),
            Answer::Leave(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The calls among answers: of each the value, if it has one.
pub(super) fn values(answers: &[Answer]) -> impl Iterator<Item = Option<&Digest>> {
    let calls = answers.iter().filter_map(|answer| match answer {
        Answer::Calls(made) => Some(made),
        _ => None,
    });
    calls.flatten().map(|made| match &made.outcome {
        Outcome::Value(digest) => Some(digest),
        Outcome::Failed { .. } | Outcome::Unknown => None,
    })
}

/// The digests of all texts that answers hold.
pub(super) fn digests(answers: &[Answer]) -> Vec<&Digest> {
    let mut found = Vec::new();
    for answer in answers {
        match answer {
            Answer::Calls(made) => {
                for SentCall { asked, outcome, whole, .. } in made {
                    found.push(&asked.args);
                    found.extend(whole);
                    match outcome {
                        Outcome::Value(digest) => found.push(digest),
                        Outcome::Failed { value, .. } => found.extend(value),
                        Outcome::Unknown => {}
                    }
                }
            }
            Answer::Refused(asked, _) => found.extend(asked.iter().map(|it| &it.args)),
            Answer::Leave(left) => found.extend(left.came.iter().map(|it| &it.value)),
            _ => {}
        }
    }
    found
}
