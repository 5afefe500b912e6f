//! A script in place of other servers: what calls get in an example.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pif_domain::text::quote_one;
use pif_domain::{Call, CallOutcome, CallResult, Refusal};

use super::playback::Playback;

/// What a call comes to in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The tool that is to be called.
    pub tool: String,
    /// What comes of the call.
    pub outcome: CallOutcome,
}

/// The hint of a call for which an example has no answer.
const UNSCRIPTED: &str = "an example calls nobody: script what it gets by \
    \"answers\": [{\"tool\": \"x.y\", \"value\": …}]";

/// A script: calls get its answers one after another. What it does not foresee is denied.
#[derive(Debug, Default)]
pub struct Script(Mutex<VecDeque<Line>>);

impl Script {
    /// A script of these answers.
    #[must_use]
    pub fn new(lines: &[Line]) -> Self {
        Self(Mutex::new(lines.to_vec().into()))
    }

    fn lines(&self) -> MutexGuard<'_, VecDeque<Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Playback for Script {
    fn answer(&self, calls: &[Call]) -> Result<Vec<CallResult>, Refusal> {
        let mut lines = self.lines();
        let foreseen =
            |(at, call): &(usize, &Call)| lines.get(*at).is_some_and(|line| line.tool == call.tool);
        if let Some((index, call)) = calls.iter().enumerate().find(|it| !foreseen(it)) {
            let next =
                |line: &Line| format!("the next of `answers` is for {}", quote_one(&line.tool));
            let hint = lines.get(index).map_or_else(|| UNSCRIPTED.to_owned(), next);
            let refusal = Refusal { index, ..Refusal::denied(std::slice::from_ref(call)) };
            return Err(Refusal { hint: Some(hint), ..refusal });
        }
        let answered = |line: Line| CallResult::new(line.outcome, 0);
        Ok(lines.drain(..calls.len()).map(answered).collect())
    }

    fn has_answer(&self, tool: &str) -> bool {
        self.lines().iter().any(|line| line.tool == tool)
    }
}
