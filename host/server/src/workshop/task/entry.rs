//! The journal entry of a task: what was asked, what the model answered, and the programs with their
//! runs.

use pif_domain::{EntryKind, EntryOutcome, Fault};
use pif_store::journal::{Answer, Draft};
use serde_json::{Value, json};

use super::assignment::Assignment;
use super::solve::Solution;
use crate::workshop::call_record;
use crate::workshop::opening::Workshop;
use crate::workshop::record;
use crate::workshop::refusal::stored;

impl Workshop {
    /// Journals a task. Gives the number of its entry.
    pub fn note_task(&self, asked: &Assignment, solution: &Solution) -> Result<i64, Fault> {
        let ending = match &solution.ending {
            Ok(_) => EntryOutcome::Value,
            Err(fault) => EntryOutcome::Fault(fault.code),
        };
        let mut draft = Draft::new(EntryKind::Task, None, ending);
        draft.request = json!(asked);
        draft.answers = answers(solution);
        let texts = solution.asked.iter().flat_map(|(call, answered)| {
            std::iter::once(call.args.clone()).chain(call_record::texts(answered))
        });
        draft.texts = texts.collect();
        draft.outcome = outcome(solution);
        let millis: u64 = solution.asked.iter().map(|(_, answered)| answered.millis).sum();
        draft.micros = millis.saturating_mul(1_000);
        self.journal.append(draft).map_err(stored)
    }
}

/// What the model was asked, each with what came of it.
pub(super) fn answers(solution: &Solution) -> Vec<Answer> {
    let answered = |(call, answered): &(_, _)| {
        call_record::answered(std::slice::from_ref(call), &Ok(vec![Clone::clone(answered)]))
    };
    solution.asked.iter().map(answered).collect()
}

/// The outcome, as the journal has it.
pub(super) fn outcome(solution: &Solution) -> Value {
    let mut told = match &solution.ending {
        Ok(value) => json!({ "value": value }),
        Err(fault) => record::fault(fault),
    };
    if let Value::Object(members) = &mut told {
        members.insert("attempts".to_owned(), json!(solution.attempts));
        members.insert("tokens".to_owned(), solution.tokens.into());
        for (name, text) in [("program", &solution.program), ("model", &solution.model)] {
            members.extend(text.as_ref().map(|text| (name.to_owned(), text.as_str().into())));
        }
    }
    told
}
