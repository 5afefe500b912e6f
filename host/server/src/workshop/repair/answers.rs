//! What calls of other servers get while a fault is looked for: what they got in the journaled run, or what
//! an example says. Nobody is called.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use pif_domain::{Call, CallOutcome, CallResult, Failure, Refusal};
use pif_store::journal::{Answer, Came, Digest, SentCall};

use crate::workshop::archive::Archive;
use crate::workshop::example::Example;
use crate::workshop::playback::Playback;
use crate::workshop::script::Line;

/// The call by which a program that is watched tells an argument.
pub(super) const SEEN: &str = "repair.seen";

/// A call that was made before, and what came of it.
#[derive(Debug, Clone)]
pub(super) struct Before {
    tool: String,
    /// The digest of its arguments, where they are known.
    args: Option<Digest>,
    outcome: CallOutcome,
}

/// The calls of a journaled run. Those of which no text is left are left out.
pub(super) fn of_run(answers: &[Answer], archive: &dyn Archive) -> Arc<[Before]> {
    let calls = answers.iter().filter_map(|answer| match answer {
        Answer::Calls(made) => Some(made),
        _ => None,
    });
    calls.flatten().filter_map(|made| before(made, archive)).collect()
}

fn before(made: &SentCall, archive: &dyn Archive) -> Option<Before> {
    let text = |digest: &Digest| archive.text(&digest.sha256).ok().flatten();
    let outcome = match &made.outcome {
        Came::Unknown => return None,
        Came::Value(digest) => CallOutcome::Value(text(digest)?),
        Came::Failed { reason, message, value } => {
            let value = value.as_ref().and_then(text);
            Failure { reason: *reason, message: message.clone(), value }.into()
        }
    };
    let (tool, args) = (made.asked.tool.clone(), Some(made.asked.args.clone()));
    Some(Before { tool, args, outcome })
}

/// The calls that an example tells.
pub(super) fn of_example(example: &Example) -> Arc<[Before]> {
    let before = |Line { tool, outcome }| Before { tool, args: None, outcome };
    example.lines().into_iter().map(before).collect()
}

/// Answers the calls of one run.
#[derive(Debug)]
pub(super) struct Answers {
    calls: Arc<[Before]>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The answers that were given.
    used: BTreeSet<usize>,
    /// The last argument that was told.
    seen: Option<String>,
}

impl Answers {
    pub(super) fn new(calls: Arc<[Before]>) -> Self {
        Self { calls, state: Mutex::default() }
    }

    /// The last argument that the run told by [`SEEN`].
    pub(super) fn seen(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).seen.clone()
    }

    /// The answer that was given to this call before, or else to one of its tool: the first that was not
    /// given again yet, or the last one.
    fn find(&self, call: &Call, used: &BTreeSet<usize>) -> Option<usize> {
        let args = Digest::of(&call.args);
        let own = || self.calls.iter().enumerate().filter(|(_, it)| it.tool == call.tool);
        let is_unused = |it: &(usize, &Before)| !used.contains(&it.0);
        let is_same = |it: &(usize, &Before)| it.1.args.as_ref() == Some(&args);
        let found = own().find(|it| is_same(it) && is_unused(it));
        let found = found.or_else(|| own().find(is_same)).or_else(|| own().find(is_unused));
        found.or_else(|| own().last()).map(|it| it.0)
    }
}

impl Playback for Answers {
    fn answer(&self, calls: &[Call]) -> Result<Vec<CallResult>, Refusal> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut answered = Vec::with_capacity(calls.len());
        for call in calls {
            let outcome = match call.tool == SEEN {
                true => {
                    state.seen = Some(call.args.clone());
                    CallOutcome::Value("null".to_owned())
                }
                false => {
                    let found = self.find(call, &state.used);
                    let index = found.ok_or_else(|| Refusal::denied(calls))?;
                    state.used.insert(index);
                    let before = self.calls.get(index);
                    before.map(|it| it.outcome.clone()).ok_or_else(|| Refusal::denied(calls))?
                }
            };
            answered.push(CallResult::new(outcome, 0));
        }
        Ok(answered)
    }

    fn has_answer(&self, tool: &str) -> bool {
        tool == SEEN || self.calls.iter().any(|it| it.tool == tool)
    }
}
