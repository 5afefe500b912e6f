//! Attempts of `retry`: how many are left, after which faults, and how long to wait before the next.

use num_traits::ToPrimitive;
use pif_core::fault::{Code, FailedCall, Fault};

/// Milliseconds that the waits of one `retry` take together, at most.
pub(crate) const MOST_MILLIS: i64 = 60_000;

/// The reasons after which a call may be made again.
pub(crate) const REASONS: [&str; 6] =
    ["timeout", "lost", "rate-limited", "unavailable", "tool-error", "rpc-error"];
/// So many of them count where a program names none.
const USUAL: usize = 4;

/// A `retry` whose function is being applied.
#[derive(Clone, Debug)]
pub(crate) struct Retry {
    /// Attempts that may follow this one.
    pub(crate) left: u64,
    /// Milliseconds to wait before the next.
    pub(crate) next: u64,
    /// By how much a wait is longer than the one before.
    pub(crate) factor: f64,
    /// The reasons after which there is another attempt.
    pub(crate) on: Vec<&'static str>,
    /// Attempts that have failed.
    pub(super) failed: u32,
    /// Milliseconds that the host has waited.
    pub(super) waited: u64,
    /// How many calls the run had made before.
    pub(super) calls: u32,
}

impl Default for Retry {
    fn default() -> Self {
        let on = REASONS.into_iter().take(USUAL).collect();
        Self { left: 2, next: 200, factor: 2.0, on, failed: 0, waited: 0, calls: 0 }
    }
}

impl Retry {
    /// How long the host may still wait.
    pub(super) fn most(&self) -> u64 {
        MOST_MILLIS.unsigned_abs().saturating_sub(self.waited)
    }

    /// Whether there may be another attempt after a fault.
    pub(super) fn takes(&self, fault: &Fault) -> bool {
        let is_on = |call: &FailedCall| self.on.iter().any(|reason| *reason == call.reason);
        fault.code == Code::Upstream
            && fault.upstream.as_deref().is_some_and(is_on)
            && self.left > 0
            && self.next <= self.most()
    }

    /// Counts a failed attempt, after which the host has waited so long.
    pub(super) fn count(&mut self, millis: u64) {
        let longer = self.next.to_f64().unwrap_or_default() * self.factor;
        let most = MOST_MILLIS.unsigned_abs() + 1;
        (self.left, self.failed) = (self.left.saturating_sub(1), self.failed + 1);
        self.waited = self.waited.saturating_add(millis);
        self.next = longer.round().to_u64().unwrap_or(most).min(most);
    }
}
