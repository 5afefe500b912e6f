//! Calls whose answers are known before a run, as in an example or a repair. Nobody is called.

use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use pif_domain::{Call, CallResult, NotSent, Offer, Refusal};
use pif_sandbox::AnswerFuture;

use super::effects::{CallObserver, Effects, PendingCalls};

/// The source of such answers. It takes the place of other servers.
pub(super) trait Playback: Send + Sync + Debug {
    /// The answers to these calls, in their order.
    fn answer(&self, calls: &[Call]) -> Result<Vec<CallResult>, Refusal>;

    /// Whether it has an answer for this tool. A native capability runs only where it has none.
    fn has_answer(&self, tool: &str) -> bool;
}

impl<T: Playback> Effects for T {
    fn call<'a>(
        &'a self,
        sending: PendingCalls<'a>,
        _observer: &'a mut CallObserver<'_>,
    ) -> AnswerFuture<'a, Result<Vec<CallResult>, NotSent>> {
        Box::pin(ready(self.answer(sending.calls).map_err(NotSent::from)))
    }

    fn offers(&self) -> Arc<[Offer]> {
        Arc::default()
    }

    fn answers(&self, tool: &str) -> bool {
        self.has_answer(tool)
    }

    /// A call that is made again changes nothing.
    fn is_repeatable(&self, _tool: &str) -> bool {
        true
    }

    fn pause(&self, _time: Duration) -> AnswerFuture<'_, ()> {
        Box::pin(ready(()))
    }
}
