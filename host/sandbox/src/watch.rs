//! Stops a run from outside, and names the reason in a fault.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use pif_domain::{Excess, Fault, FaultCode, Limit, fault};
use tokio_util::sync::CancellationToken;
use wasmtime::Trap;

use super::ceiling::Ceiling;
use super::fault::DEFECT;

/// The longest time that a run may wait for the world by default.
const WAITING: Duration = Duration::from_mins(1);

/// The clocks and the cancellation of one request. All machines of the request share it. While the
/// run waits for the world, its wall clock stands still and a separate clock counts.
#[derive(Debug, Clone)]
pub struct Watch {
    cancelled: CancellationToken,
    started: Instant,
    allowed: Duration,
    waiting: Duration,
    waits: Arc<Mutex<WaitClock>>,
}

/// The times that a run waited for the world.
#[derive(Debug, Clone, Copy, Default)]
struct WaitClock {
    /// The total time of all finished waits.
    total: Duration,
    /// The start of the present wait, if there is one.
    since: Option<Instant>,
    /// The total time that people were asked.
    asked: Duration,
    /// Whether a person is asked now: no clock counts.
    is_asking: bool,
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
        let started = Instant::now();
        let waits = Arc::default();
        Self { cancelled, started, allowed, waiting: WAITING, waits }
    }

    /// The same watch over a run that may wait so long for the world, all waits together.
    #[must_use]
    pub fn waiting_at_most(self, waiting: Duration) -> Self {
        Self { waiting, ..self }
    }

    /// How long the run may still wait for the world.
    #[must_use]
    pub fn waiting_left(&self) -> Duration {
        let WaitClock { total, since, .. } = *self.waits();
        let waited = total + since.map_or(Duration::ZERO, |since| since.elapsed());
        self.waiting.saturating_sub(waited)
    }

    /// A copy of this watch whose clock starts again.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::cancelled_by(self.cancelled.clone(), self.allowed).waiting_at_most(self.waiting)
    }

    /// A copy of this watch whose clock starts again, and stops after so long.
    #[must_use]
    pub fn again_for(&self, allowed: Duration) -> Self {
        Self { allowed, ..self.again() }
    }

    /// How long the run may take in all.
    #[must_use]
    pub fn allowed(&self) -> Duration {
        self.allowed
    }

    /// How long the run may still take.
    #[must_use]
    pub fn left(&self) -> Duration {
        let WaitClock { total, since, asked, .. } = *self.waits();
        let waited = total + asked + since.map_or(Duration::ZERO, |since| since.elapsed());
        self.allowed.saturating_sub(self.started.elapsed().saturating_sub(waited))
    }

    /// Stops the run.
    pub fn cancel(&self) {
        self.cancelled.cancel();
    }

    /// Returns the fault `cancelled` or `timeout` if the run has to stop.
    pub fn verdict(&self) -> Result<(), Fault> {
        if self.cancelled.is_cancelled() {
            return Err(fault(FaultCode::Cancelled, "the run was cancelled".to_owned(), None));
        }
        let WaitClock { total, since, asked, is_asking } = *self.waits();
        if is_asking {
            return Ok(());
        }
        if let Some(since) = since {
            let waited = total + since.elapsed();
            return if waited < self.waiting { Ok(()) } else { Err(self.waited_too_long(waited)) };
        }
        let used = self.started.elapsed().saturating_sub(total + asked);
        if used >= self.allowed {
            let message = format!("the run took longer than {:?} of wall clock", self.allowed);
            let hint = "do less in one run, or split the work with `continue`";
            let used = milliseconds(used);
            let limit = milliseconds(self.allowed);
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
        self.pause();
        waited
    }

    /// Works for a run that waits. Its wall clock counts meanwhile, and the other one stands still.
    pub async fn while_working<T>(&self, work: impl Future<Output = T>) -> T {
        self.pause();
        let done = work.await;
        self.waits().since = Some(Instant::now());
        done
    }

    /// Ends the present wait.
    fn pause(&self) {
        let mut waits = self.waits();
        let since = waits.since.take();
        waits.total += since.map_or(Duration::ZERO, |since| since.elapsed());
    }

    /// Waits for a person, within a wait for the world. No clock of the run counts meanwhile.
    pub async fn while_asking<T>(&self, answer: impl Future<Output = T>) -> T {
        let start = Instant::now();
        {
            let mut waits = self.waits();
            let since = waits.since.take();
            waits.total += since.map_or(Duration::ZERO, |since| since.elapsed());
            waits.is_asking = true;
        }
        let answer = answer.await;
        let mut waits = self.waits();
        waits.asked += start.elapsed();
        (waits.is_asking, waits.since) = (false, Some(Instant::now()));
        answer
    }

    /// The fault of a run that the world does not answer.
    fn waited_too_long(&self, waited: Duration) -> Fault {
        let used = milliseconds(waited);
        let limit = milliseconds(self.waiting);
        let message = format!("the run waited longer than {:?} for other servers", self.waiting);
        let limit = Excess { name: Limit::Waiting, used, limit };
        fault(FaultCode::Timeout, message, Some("make fewer calls, or try again later"))
            .by(Some(limit))
    }

    fn waits(&self) -> MutexGuard<'_, WaitClock> {
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

/// A duration in milliseconds, the unit of limits.
#[must_use]
pub fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_does_not_wait_for_the_world_without_end() {
        let watch = Watch::new(Duration::from_millis(1)).waiting_at_most(WAITING);
        watch.waits().since = Instant::now().checked_sub(WAITING / 2);
        assert!(watch.verdict().is_ok());
        // All waits count together.
        watch.waits().total = WAITING / 2;
        let fault = watch.verdict().expect_err("it has waited too long");
        assert_eq!(fault.code, FaultCode::Timeout);
        assert_eq!(fault.limit.as_deref().map(|excess| excess.name), Some(Limit::Waiting));
    }

    #[test]
    fn no_clock_counts_while_a_person_is_asked() {
        let longest = Duration::from_millis(20);
        let watch = Watch::new(longest).waiting_at_most(longest);
        let asking = watch.while_asking(async {
            std::thread::sleep(longest * 2);
            watch.verdict()
        });
        assert!(crate::finish(asking).is_ok());
        let used = watch.started.elapsed().saturating_sub(watch.waits().asked);
        assert!(used < longest * 2 && watch.waits().total < longest, "{used:?}");
    }
}
