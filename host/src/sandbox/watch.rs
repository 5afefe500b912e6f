//! Who may stop a run from outside, and what a run that was stopped says about it.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use wasmtime::Trap;

use super::ceiling::Ceiling;
use super::fault::DEFECT;
use crate::domain::{Excess, Fault, FaultCode, Limit, fault};

/// The wall clock and the cancellation of one request. All machines that the request drives
/// share it.
#[derive(Debug, Clone)]
pub struct Watch {
    cancelled: CancellationToken,
    started: Instant,
    allowed: Duration,
    /// None when the clock reaches further than the system can count.
    deadline: Option<Instant>,
}

impl Watch {
    /// Starts the clock.
    #[must_use]
    pub fn new(allowed: Duration) -> Self {
        Self::cancelled_by(CancellationToken::new(), allowed)
    }

    /// Starts the clock of a run that the token can stop.
    #[must_use]
    pub fn cancelled_by(cancelled: CancellationToken, allowed: Duration) -> Self {
        let started = Instant::now();
        Self { cancelled, started, allowed, deadline: started.checked_add(allowed) }
    }

    /// The same watch with its clock at the start again.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::cancelled_by(self.cancelled.clone(), self.allowed)
    }

    /// The fault `cancelled` or `timeout` once the run has to stop.
    pub fn verdict(&self) -> Result<(), Fault> {
        if self.cancelled.is_cancelled() {
            return Err(fault(FaultCode::Cancelled, "the run was cancelled".to_owned(), None));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let message = format!("the run took longer than {:?} of wall clock", self.allowed);
            let hint = "do less in one run, or split the work with `continue`";
            let (used, limit) = (milliseconds(self.started.elapsed()), milliseconds(self.allowed));
            let limit = Excess { name: Limit::WallClock, used, limit };
            return Err(fault(FaultCode::Timeout, message, Some(hint)).by(Some(limit)));
        }
        Ok(())
    }

    /// Waits for a call into a guest. It gives way every [`TURN`](super::TURN) instructions: then
    /// it goes on, unless it has to stop.
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

    /// Puts a trap into words, naming the layer that stopped the instance.
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
            // It gave something that the contract does not allow.
            None => stopped(&format!("the sandbox ({})", error.root_cause()), None),
        }
    }
}

/// A span of time as limits count it.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
