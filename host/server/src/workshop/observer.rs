//! Observers of a run, who also decide about its calls.

use std::future::ready;
use std::time::{Duration, Instant};

use pif_domain::{CallOutcome, CallPreview, Part, StepTold};
use pif_sandbox::{AnswerFuture, Stepped};

use super::consent::Said;

/// Observes a run, and is asked for approvals.
pub trait Observer {
    /// Receives each driven continuation, with the count of those driven so far.
    fn advance(&mut self, driven: u64);
    /// Receives a line of the debug report.
    fn debug(&mut self, line: &str);
    /// Receives a term of a debug run that came to a value.
    fn stepped(&mut self, _step: &Stepped) {}
    /// Receives a part of the run that ends now, with its start.
    fn passed(&mut self, _part: Part, _since: Instant) {}
    /// Receives a call of another server's tool that has ended: when it was sent, how long it took,
    /// and what came of it. Without an outcome the run ended while it waited.
    fn called(&mut self, _: Instant, _: Duration, _tool: &str, _came: Option<&CallOutcome>) {}
    /// Receives all steps of the program so far, when one has begun or ended: the place of one that has
    /// ended, and since when it ran.
    fn step(&mut self, _all: &[StepTold], _ended: Option<(usize, Instant)>) {}
    /// Says whether calls may be made. The clocks of the run stand still meanwhile. A run that must
    /// stop drops the question.
    fn ask<'a>(&'a mut self, _wishes: &'a [CallPreview]) -> AnswerFuture<'a, Said> {
        Box::pin(ready(Said::Later(None)))
    }
}

/// Ignores everything.
impl Observer for () {
    fn advance(&mut self, _driven: u64) {}
    fn debug(&mut self, _line: &str) {}
}
