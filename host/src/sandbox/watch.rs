//! Stops a run from outside, and names the reason in a fault.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use wasmtime::Trap;

use super::ceiling::Ceiling;
use super::fault::DEFECT;
use crate::domain::{Excess, Fault, FaultCode, Limit, fault};

/// The longest time that a run may wait for one answer of the world.
pub const LONGEST_WAIT: Duration = Duration::from_nanos(Limit::Waiting.fixed());

/// The clocks and the cancellation of one request. All machines of the request share it. While the
/// run waits for the world, its wall clock stands still and a separate clock counts.
#[derive(Debug, Clone)]
pub struct Watch {
    cancelled: CancellationToken,
    started: Instant,
    allowed: Duration,
    waits: Arc<Mutex<Waits>>,
}

/// The times that a run waited for the world.
#[derive(Debug, Clone, Copy, Default)]
struct Waits {
    /// The total time of all finished waits.
    total: Duration,
    /// The start of the present wait, if there is one.
    since: Option<Instant>,
}

impl Watch {
    /// Starts the clock.
    #[must_use]
    pub fn new(allowed: Duration) -> Self {
        Self::cancelled_by(CancellationToken::new(), allowed)
    }

    /// Starts the clock of a run that `cancelled` can stop.
    #[must_use]
    pub fn cancelled_by(cancelled: CancellationToken, allowed: Duration) -> Self {
        Self { cancelled, started: Instant::now(), allowed, waits: Arc::default() }
    }

    /// A copy of this watch whose clock starts again.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::cancelled_by(self.cancelled.clone(), self.allowed)
    }

    /// Returns the fault `cancelled` or `timeout` if the run has to stop.
    pub fn verdict(&self) -> Result<(), Fault> {
        if self.cancelled.is_cancelled() {
            return Err(fault(FaultCode::Cancelled, "the run was cancelled".to_owned(), None));
        }
        let Waits { total, since } = *self.waits();
        if let Some(waited) = since.map(|since| since.elapsed()) {
            return if waited < LONGEST_WAIT { Ok(()) } else { Err(waited_too_long(waited)) };
        }
        let used = self.started.elapsed().saturating_sub(total);
        if used >= self.allowed {
            let message = format!("the run took longer than {:?} of wall clock", self.allowed);
            let hint = "do less in one run, or split the work with `continue`";
            let (used, limit) = (milliseconds(used), milliseconds(self.allowed));
            let limit = Excess { name: Limit::WallClock, used, limit };
            return Err(fault(FaultCode::Timeout, message, Some(hint)).by(Some(limit)));
        }
        Ok(())
    }

    /// Waits for an answer of the world. Returns a fault if the run has to stop first.
    pub(super) async fn while_waiting<T>(
        &self,
        answer: impl Future<Output = T>,
    ) -> Result<T, Fault> {
        let mut answer = pin!(answer);
        // Cancellation wakes the run.
        let mut cancelled = pin!(self.cancelled.cancelled());
        self.waits().since = Some(Instant::now());
        let waited = poll_fn(|context| {
            if let Poll::Ready(answer) = answer.as_mut().poll(context) {
                return Poll::Ready(Ok(answer));
            }
            let _ = cancelled.as_mut().poll(context);
            self.verdict().map_or_else(|fault| Poll::Ready(Err(fault)), |()| Poll::Pending)
        })
        .await;
        let mut waits = self.waits();
        let since = waits.since.take();
        waits.total += since.map_or(Duration::ZERO, |since| since.elapsed());
        waited
    }

    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a call into a guest. The call returns to the host every [`TURN`](super::TURN)
    /// instructions and continues unless the run has to stop.
    pub(super) async fn over<T>(
        &self,
        call: impl Future<Output = wasmtime::Result<T>>,
    ) -> wasmtime::Result<T> {
        let mut call = pin!(call);
        poll_fn(|context| match call.as_mut().poll(context) {
            Poll::Pending if self.verdict().is_err() => Poll::Ready(Err(Trap::Interrupt.into())),
            polled => polled,
        })
        .await
    }

    /// Turns a trap into a fault that names the layer that stopped the instance.
    pub(super) fn explain(&self, error: &wasmtime::Error, ceiling: &Ceiling) -> Fault {
        let trap = error.downcast_ref::<Trap>();
        if let (Some(Trap::Interrupt), Err(verdict)) = (trap, self.verdict()) {
            return verdict;
        }
        tracing::error!(error = format!("{error:#}"), ?ceiling, "the evaluator was stopped");
        let stopped = |by: &str, limit| {
            let message = format!("the evaluator was stopped by {by}");
            fault(FaultCode::Internal, message, Some(DEFECT)).by(limit)
        };
        match trap {
            Some(Trap::OutOfFuel) => stopped("wasmtime fuel", Some(ceiling.fuel())),
            _ if ceiling.denied().is_some() => stopped("the memory ceiling", ceiling.denied()),
            _ if ceiling.is_starved() => {
                let message = "the system has no more memory for this run".to_owned();
                let hint = "run fewer at once, or let the server have more memory";
                fault(FaultCode::Internal, message, Some(hint))
            }
            Some(Trap::StackOverflow) => {
                let limit = Limit::WasmStack.fixed();
                let excess = Excess { name: Limit::WasmStack, used: limit, limit };
                stopped("the wasm stack", Some(excess))
            }
            Some(trap) => stopped(&format!("a trap ({trap})"), None),
            // The evaluator returned something that the contract does not allow.
            None => stopped(&format!("the sandbox ({})", error.root_cause()), None),
        }
    }
}

/// The fault of a run that waited too long for the world.
fn waited_too_long(waited: Duration) -> Fault {
    let (used, limit) = (milliseconds(waited), milliseconds(LONGEST_WAIT));
    let message = format!("the run waited longer than {LONGEST_WAIT:?} for the world");
    let limit = Excess { name: Limit::Waiting, used, limit };
    fault(FaultCode::Timeout, message, Some("try again later")).by(Some(limit))
}

/// A duration in milliseconds, the unit of limits.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_does_not_wait_for_the_world_without_end() {
        let watch = Watch::new(Duration::from_millis(1));
        watch.waits().since = Instant::now().checked_sub(LONGEST_WAIT / 2);
        assert!(watch.verdict().is_ok());
        watch.waits().since = Instant::now().checked_sub(LONGEST_WAIT);
        let fault = watch.verdict().expect_err("it has waited too long");
        assert_eq!(fault.code, FaultCode::Timeout);
        assert_eq!(fault.limit.map(|excess| excess.name), Some(Limit::Waiting));
    }
}
