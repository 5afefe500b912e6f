//! The budget of the calls of one run.

use pif_domain::{Budget, CallOutcome, CallResult, Failure, Limit, Reason};
use pif_sandbox::{Watch, milliseconds};

/// What all calls of a run may use.
#[derive(Debug, Clone, Copy)]
pub struct CallLimits {
    /// Calls.
    pub calls: u64,
    /// Bytes of answers.
    pub bytes: u64,
}

/// Keeps what the calls of one run may still use.
#[derive(Debug)]
pub(super) struct CallBudget {
    left: CallLimits,
    watch: Watch,
}

impl CallBudget {
    pub(super) fn new(left: CallLimits, watch: &Watch) -> Self {
        Self { left, watch: watch.clone() }
    }

    /// The clocks of the run.
    pub(super) fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// What is left now.
    pub(super) fn left(&self) -> Budget {
        let CallLimits { calls, bytes } = self.left;
        Budget { calls, bytes, millis: milliseconds(self.watch.waiting_left()) }
    }

    /// Takes off calls that were made, and the bytes of their answers. An answer that is too large is
    /// taken away.
    pub(super) fn charge(&mut self, answered: &mut [CallResult]) {
        let made = u64::try_from(answered.len()).unwrap_or(u64::MAX);
        self.left.calls = self.left.calls.saturating_sub(made);
        for CallResult { outcome, .. } in answered {
            self.weigh(outcome);
        }
    }

    /// Takes off a call that was made before, and the bytes of its answer.
    pub(super) fn know(&mut self, bytes: usize) {
        self.left.calls = self.left.calls.saturating_sub(1);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.left.bytes = self.left.bytes.saturating_sub(bytes);
    }

    fn weigh(&mut self, outcome: &mut CallOutcome) {
        let CallOutcome::Value(text) = &*outcome else { return };
        let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
        if let Some(left) = self.left.bytes.checked_sub(bytes) {
            self.left.bytes = left;
        } else {
            let message = "all answers to a run may not have so many bytes together";
            *outcome = over(Reason::TooLarge, Limit::AnswersSize, message);
        }
    }
}

/// What comes of a call beyond the number that a run may make.
pub(super) fn beyond() -> CallResult {
    let message = "the run has made all calls that a run may make";
    CallResult::new(over(Reason::Budget, Limit::Calls, message), 0)
}

fn over(reason: Reason, limit: Limit, message: &str) -> CallOutcome {
    Failure::new(reason, format!("{message} [{limit}]")).into()
}
