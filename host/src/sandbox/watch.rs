//! Who may stop a run from outside, and what a run that was stopped says about it.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use wasmtime::{StoreContextMut, Trap, UpdateDeadline};

use super::bindings::Fault;
use super::ceiling::Ceiling;

/// The wall clock and the cancellation of one request. All machines that the request drives
/// share it.
#[derive(Debug, Clone)]
pub struct Watch {
    cancelled: CancellationToken,
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
        Self { cancelled, allowed, deadline: Instant::now().checked_add(allowed) }
    }

    /// The fault `cancelled` or `timeout` once the run has to stop.
    pub fn verdict(&self) -> Result<(), Fault> {
        if self.cancelled.is_cancelled() {
            return Err(fault("cancelled", "the run was cancelled".to_owned(), None));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let message = format!("the run took longer than {:?} of wall clock", self.allowed);
            let hint = "do less in one run, or split the work with `continue`";
            return Err(fault("timeout", message, Some(hint)));
        }
        Ok(())
    }

    /// What the guest executes at each tick of the clock.
    pub(super) fn callback(
        &self,
    ) -> impl FnMut(StoreContextMut<'_, Ceiling>) -> wasmtime::Result<UpdateDeadline>
    + Send
    + Sync
    + 'static {
        let watch = self.clone();
        move |_| {
            Ok(match watch.verdict() {
                Ok(()) => UpdateDeadline::Continue(1),
                Err(_) => UpdateDeadline::Interrupt,
            })
        }
    }

    /// Puts a trap into words, naming the layer that stopped the instance.
    pub(super) fn explain(&self, error: &wasmtime::Error, ceiling: &Ceiling) -> Fault {
        let trap = error.downcast_ref::<Trap>();
        if let (Some(Trap::Interrupt), Err(verdict)) = (trap, self.verdict()) {
            return verdict;
        }
        tracing::error!(error = format!("{error:#}"), ?ceiling, "the evaluator was stopped");
        let allowance = ceiling.allowance();
        let layer = match trap {
            Some(Trap::OutOfFuel) => format!("wasmtime fuel ({} units)", allowance.fuel),
            _ if ceiling.denied() => format!("the memory ceiling ({} bytes)", allowance.memory),
            Some(Trap::StackOverflow) => "the wasm stack".to_owned(),
            Some(trap) => format!("a trap ({trap})"),
            None => format!("the sandbox ({error})"),
        };
        fault("internal", format!("the evaluator was stopped by {layer}"), Some(DEFECT))
    }
}

const DEFECT: &str =
    "this is a defect of the evaluator, not of the program: please report it with the program";

/// A fault that the host makes: it points at no place in the program.
#[must_use]
pub fn fault(code: &str, message: String, hint: Option<&str>) -> Fault {
    Fault {
        code: code.to_owned(),
        message,
        at: String::new(),
        tool: None,
        hint: hint.map(str::to_owned),
        calls: Vec::new(),
    }
}
