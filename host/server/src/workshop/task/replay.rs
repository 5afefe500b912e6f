//! Repeats a task from the journal without a model: its answers, the programs and their runs are those
//! of then. Each run is replayed, and each prompt is made again and compared.

use std::collections::VecDeque;
use std::future::ready;

use pif_domain::{Completion, Failure, Fault, FaultCode, Message, fault};
use pif_sandbox::{AnswerFuture, Watch, finish};
use pif_store::journal::{Answer, Came, Entry, Payload, SentCall};
use serde_json::{Value, json};

use super::assignment::Assignment;
use super::entry::{answers, outcome};
use super::solve::{Attempt, Helper, ModelError, Ran, RunTold, Screening, solve};
use crate::workshop::archive::Archive;
use crate::workshop::call_record::made;
use crate::workshop::opening::Workshop;
use crate::workshop::refusal::stored;
use crate::workshop::replay::{Difference, Verdict};

/// The helper of a task that is repeated.
struct RecordedHelper<'a> {
    workshop: &'a Workshop,
    archive: &'a dyn Archive,
    watch: &'a Watch,
    asked: VecDeque<SentCall>,
    attempts: VecDeque<Attempt>,
    runs: VecDeque<RunTold>,
    /// Why the replay cannot go on.
    obstacle: Option<Obstacle>,
}

/// Why a replay cannot go on.
enum Obstacle {
    /// Something else happens now.
    Other(Difference),
    /// Something that it needs is not there any more, or cannot be repeated.
    Missing(String),
    /// The store fails, or the replay has to stop.
    Stop(Box<Fault>),
}

impl Workshop {
    /// Repeats the task of an entry, and compares.
    pub(in crate::workshop) fn replay_task(
        &self,
        entry: &Entry,
        archive: &dyn Archive,
        watch: &Watch,
    ) -> Result<Verdict, Fault> {
        let skipped = |reason: &str| Ok(Verdict::Skipped(reason.to_owned()));
        if FaultCode::find(&entry.ending).is_some_and(FaultCode::is_worldly) {
            return skipped("the task was stopped from outside");
        }
        let Some(body) = entry.read_body() else { return skipped("its body cannot be read") };
        let whole = |payload: Option<&Payload>| {
            let kept = payload.filter(|it| it.digest().is_none());
            kept.and_then(|it| serde_json::from_str::<Value>(it.text()).ok())
        };
        let (Some(request), Some(told)) =
            (whole(body.request.as_ref()), whole(body.outcome.as_ref()))
        else {
            return skipped("of its request or its outcome only a digest was kept");
        };
        let assignment: Option<Assignment> = serde_json::from_value(request).ok();
        let attempts: Option<VecDeque<Attempt>> =
            serde_json::from_value(told["attempts"].clone()).ok();
        let (Some(assignment), Some(attempts)) = (assignment, attempts) else {
            return skipped("its request cannot be read");
        };
        let asked = body.answers.iter().filter_map(|answer| match answer {
            Answer::Calls(made) => made.first().cloned(),
            _ => None,
        });
        let mut recorded = RecordedHelper {
            workshop: self,
            archive,
            watch,
            asked: asked.collect(),
            attempts,
            runs: VecDeque::new(),
            obstacle: None,
        };
        let solution = finish(solve(&assignment, &mut recorded));
        match recorded.obstacle {
            Some(Obstacle::Other(difference)) => {
                return Ok(Verdict::Different(vec![difference]));
            }
            Some(Obstacle::Missing(reason)) => return Ok(Verdict::Skipped(reason)),
            Some(Obstacle::Stop(fault)) => return Err(*fault),
            None => {}
        }
        let mut differences = Vec::new();
        let mut compare = |field: &str, recorded: Value, now: Value| {
            if recorded != now {
                differences.push(Difference { field: field.to_owned(), recorded, now });
            }
        };
        compare("answers", json!(timeless(&body.answers)), json!(timeless(&answers(&solution))));
        let now = outcome(&solution);
        for name in ["value", "fault", "program", "attempts", "tokens", "model"] {
            compare(name, told[name].clone(), now[name].clone());
        }
        let is_equal = differences.is_empty();
        Ok(if is_equal { Verdict::Equal } else { Verdict::Different(differences) })
    }
}

/// Answers without the time that they took.
fn timeless(answers: &[Answer]) -> Vec<Answer> {
    let mut answers = answers.to_vec();
    for answer in &mut answers {
        if let Answer::Calls(made) = answer {
            made.iter_mut().for_each(|it| it.ms = 0);
        }
    }
    answers
}

impl RecordedHelper<'_> {
    /// Ends the replay. Nobody reads the returned fault.
    fn give_up(&mut self, obstacle: Obstacle) -> Fault {
        self.obstacle.get_or_insert(obstacle);
        fault(FaultCode::Internal, "the replay cannot go on".to_owned(), None)
    }

    fn other(&mut self, field: &str, recorded: impl Into<Value>, now: impl Into<Value>) -> Fault {
        let field = field.to_owned();
        let recorded = recorded.into();
        let now = now.into();
        self.give_up(Obstacle::Other(Difference { field, recorded, now }))
    }

    fn recall(&mut self) -> Result<Completion, ModelError> {
        let Some(made) = self.asked.pop_front() else {
            return Err(ModelError::Stopped(self.other("questions", Value::Null, "one more")));
        };
        match made.outcome {
            Came::Failed { reason, message, .. } => {
                Err(ModelError::Failed(Failure::new(reason, message)))
            }
            Came::Value(digest) => match self.archive.text(&digest.sha256) {
                Ok(Some(text)) => serde_json::from_str(&text).map_err(|_| {
                    let reason = "what the model answered cannot be read".to_owned();
                    ModelError::Stopped(self.give_up(Obstacle::Missing(reason)))
                }),
                Ok(None) => {
                    let reason = "what the model answered is not in the store".to_owned();
                    Err(ModelError::Stopped(self.give_up(Obstacle::Missing(reason))))
                }
                Err(error) => {
                    let stop = Obstacle::Stop(Box::new(stored(error)));
                    Err(ModelError::Stopped(self.give_up(stop)))
                }
            },
            Came::Unknown => {
                let reason = "nobody knows what the model answered".to_owned();
                Err(ModelError::Stopped(self.give_up(Obstacle::Missing(reason))))
            }
        }
    }

    fn check_again(&mut self, program: &str) -> Result<Screening, Fault> {
        // An answer without a program is an attempt, too.
        while self.attempts.front().is_some_and(|it| it.program.is_none()) {
            self.attempts.pop_front();
        }
        let Some(attempt) = self.attempts.pop_front() else {
            return Err(self.other("attempts", Value::Null, program));
        };
        let Attempt { program: then, fixed, runs, fault } = attempt;
        if then.as_deref() != Some(program) {
            return Err(self.other("program", then, program));
        }
        self.runs = runs.into();
        Ok(match fault {
            Some(fault) if self.runs.is_empty() => Screening::Wrong(fault),
            _ => Screening::Fit(fixed.unwrap_or_else(|| program.to_owned())),
        })
    }

    fn run_again(&mut self, program: &str, data: Option<&str>) -> Result<Ran, Fault> {
        let Some(RunTold { entry: number, wrote }) = self.runs.pop_front() else {
            return Err(self.other("runs", Value::Null, program));
        };
        let missing = |why: &str| Obstacle::Missing(format!("its run {number}: {why}"));
        let entry = match self.workshop.journal.entry(number) {
            Ok(Some(entry)) => entry,
            Ok(None) => return Err(self.give_up(missing("it is not in the journal"))),
            Err(error) => return Err(self.give_up(Obstacle::Stop(Box::new(stored(error))))),
        };
        let replayed = self.workshop.replay_entry(&entry, &self.watch.again());
        match replayed.map(|it| it.verdict) {
            Ok(Verdict::Equal) => {}
            Ok(Verdict::Skipped(reason)) => return Err(self.give_up(missing(&reason))),
            Ok(Verdict::Different(differences)) => {
                let first = differences.into_iter().next();
                let first = first
                    .map(|it| Difference { field: format!("run {number}: {}", it.field), ..it });
                let obstacle = first.map_or_else(|| missing("it differs"), Obstacle::Other);
                return Err(self.give_up(obstacle));
            }
            Err(stop) => return Err(self.give_up(Obstacle::Stop(Box::new(stop)))),
        }
        let Some(body) = entry.read_body() else {
            return Err(self.give_up(missing("its body cannot be read")));
        };
        let read = |payload: Option<&Payload>| -> Value {
            let kept = payload.filter(|it| it.digest().is_none());
            kept.and_then(|it| serde_json::from_str(it.text()).ok()).unwrap_or_default()
        };
        let request = read(body.request.as_ref());
        let outcome = read(body.outcome.as_ref());
        if outcome.is_null() {
            return Err(self.give_up(missing("of its outcome only a digest was kept")));
        }
        if request["code"] != program || request["data"].as_str() != data {
            return Err(self.other(&format!("run {number}"), request["code"].clone(), program));
        }
        Ok(Ran { entry: number, outcome, made: made(&body.answers), wrote })
    }
}

impl Helper for RecordedHelper<'_> {
    fn ask<'a>(
        &'a mut self,
        _messages: &'a [Message],
    ) -> AnswerFuture<'a, Result<Completion, ModelError>> {
        Box::pin(ready(self.recall()))
    }

    fn check<'a>(&'a mut self, program: &'a str) -> AnswerFuture<'a, Result<Screening, Fault>> {
        Box::pin(ready(self.check_again(program)))
    }

    fn run<'a>(
        &'a mut self,
        program: &'a str,
        data: Option<&'a str>,
    ) -> AnswerFuture<'a, Result<Ran, Fault>> {
        Box::pin(ready(self.run_again(program, data)))
    }
}
