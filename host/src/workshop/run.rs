//! Runs a request, compares its value with the output schemas, and writes its entry.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::effects::{Intent, made};
use super::opening::Workshop;
use super::refusal::stored;
use super::world::{Live, Observer, Tools, Witness};
use super::{conform, record, schemas};
use crate::journal::Draft;
use crate::sandbox::{Outcome, Request, Watch, drive_in_turns, finish, give_way};
use crate::state::{Error as StoreError, Wait, Write};

/// A run that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// From its start to its end.
    pub elapsed: Duration,
    /// Its entry in the journal.
    pub entry: Option<i64>,
}

impl Workshop {
    /// Runs a request to its end. Its entry is written before this returns; where that fails the
    /// outcome is a fault that says so, for a run that nobody can look up has not taken place.
    pub fn run(
        &self,
        request: &Request,
        tools: Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> Finished {
        finish(self.run_in_turns(request, tools, observer, watch))
    }

    /// The same, giving way after each turn, and before whatever may have to wait.
    pub async fn run_in_turns(
        &self,
        request: &Request,
        tools: Tools,
        observer: &mut (dyn Observer + Send),
        watch: &Watch,
    ) -> Finished {
        let start = Instant::now();
        let (mut answers, mut texts, mut pending) = (Vec::new(), Vec::new(), None);
        let asked = match &request.output_schema {
            Some(text) => schemas::recall_in_turns(text).await.map(Some),
            None => Ok(None),
        };
        let mut outcome = match asked {
            Ok(asked) => {
                let known = tools.clone();
                let live = Live::new(tools, Arc::clone(&self.effects), self.allowed, watch);
                let intent = Intent::new(&self.journal, self.longest, request, &self.effects);
                let mut witness = Witness::new(live, observer).intending(intent);
                let request = request.clone();
                let mut outcome = drive_in_turns(&self.sandbox, request, &mut witness, watch).await;
                (answers, texts, pending) = witness.into_answers();
                answers.extend(conform::conform(&mut outcome, asked, &known, watch).await);
                outcome
            }
            Err(fault) => Outcome::before(fault),
        };
        let elapsed = start.elapsed();
        if let Err(fault) = &mut outcome.ending {
            fault.calls_made = made(&answers);
        }
        let draft = record::run(request, answers, &outcome, elapsed);
        let entry = Write::entry(Draft { texts, pending, ..draft });
        let appended = match self.journal.append_within(&entry, Wait::Never) {
            Err(StoreError::Locked) => {
                give_way().await;
                self.journal.append_within(&entry, Wait::Patiently)
            }
            appended => appended,
        };
        let entry = match appended {
            Ok(entry) => Some(entry),
            Err(error) => {
                outcome.ending = Err(stored(error));
                None
            }
        };
        Finished { outcome, elapsed, entry }
    }
}
