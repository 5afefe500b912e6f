//! `retry`: a function is applied again after a fault.

use super::retry::Retry;
use super::state::{Exit, State};
use super::trial::Trial;
use crate::code::Slot;
use crate::memory::heap::Frame;
use crate::memory::word::UNIT;
use crate::request::Wait;
use pif_core::fault::{FailedCall, Fault};
use pif_core::limits::to_u32;

impl State {
    /// Notes where attempts begin: at the next operation. The slots from `d` on hold the options, the
    /// function, and what it is applied to.
    pub(crate) fn begin_retry(&mut self, retry: Retry, d: Slot) -> Result<(), Exit> {
        let Self { base, closure, depth, top, active_evals, pc, .. } = *self;
        self.push_frame(Frame { pc: to_u32(pc), base: to_u32(base), closure, depth })?;
        let retry = Some(Box::new(Retry { calls: self.calls, ..retry }));
        self.trials.push(Trial { top, term: 0, d, active_evals, retry });
        self.set(self.base + usize::from(d) + 2, UNIT);
        Ok(())
    }

    /// What the host has to decide before the innermost `retry` tries again.
    pub(super) fn wait(&self, fault: &Fault) -> Option<Wait> {
        let retry = self.trials.last()?.retry.as_deref()?;
        let FailedCall { tool, reason } = fault.upstream.as_deref()?.clone();
        retry.takes(fault).then(|| Wait {
            tool,
            reason,
            failed: retry.failed + 1,
            millis: retry.next,
            most: retry.most(),
            calls: self.calls.saturating_sub(retry.calls),
        })
    }

    /// Begins another attempt of the innermost `retry`, before which the host has waited.
    pub(crate) fn try_again(&mut self, millis: u64) -> Result<(), Exit> {
        let lost = || Exit::defect("a `retry` is lost");
        self.abandon_steps(self.trials.len().saturating_sub(1));
        let trial = self.trials.last_mut().ok_or_else(lost)?;
        let retry = trial.retry.as_deref_mut().ok_or_else(lost)?;
        retry.count(millis);
        let (top, d) = (trial.top, usize::from(trial.d));
        (self.top, self.active_evals) = (top + 1, trial.active_evals);
        let frame = self.frames.get(top).copied().ok_or_else(lost)?;
        (self.pc, self.base, self.depth) = (frame.pc as usize, frame.base as usize, frame.depth);
        self.closure = frame.closure;
        self.meter.go_on(self.depth);
        self.set(self.base + d + 2, UNIT);
        Ok(())
    }
}
