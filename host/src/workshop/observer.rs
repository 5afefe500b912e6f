//! Who observes a run, and is asked about its calls.

use std::future::ready;

use super::consent::Said;
use crate::domain::Wish;
use crate::sandbox::Asking;

/// Observes a run, and is asked for approvals.
pub trait Observer {
    /// Receives each driven continuation, with the count of those driven so far.
    fn advance(&mut self, driven: u64);
    /// Receives a line of the debug report.
    fn debug(&mut self, line: &str);
    /// Says whether calls may be made. The clocks of the run stand still meanwhile. A run that must
    /// stop drops the question.
    fn ask<'a>(&'a mut self, _wishes: &'a [Wish]) -> Asking<'a, Said> {
        Box::pin(ready(Said::Later(None)))
    }
}

/// Ignores everything.
impl Observer for () {
    fn advance(&mut self, _driven: u64) {}
    fn debug(&mut self, _line: &str) {}
}
