//! The broker as the one who makes the calls of runs.

use std::sync::Arc;
use std::time::Duration;

use pif_broker::Client;
use pif_domain::{CallResult, NotSent, Offer};
use pif_sandbox::AnswerFuture;
use tokio::sync::watch;

use super::effects::{CallObserver, Effects, PendingCalls};

impl Effects for Client {
    fn call<'a>(
        &'a self,
        sending: PendingCalls<'a>,
        told: &'a mut CallObserver<'_>,
    ) -> AnswerFuture<'a, Result<Vec<CallResult>, NotSent>> {
        let PendingCalls { calls, at_most, left, approved, .. } = sending;
        let within = Duration::from_millis(left.millis);
        Box::pin(self.call_telling(calls, (at_most, within), approved, told))
    }

    fn offers(&self) -> Arc<[Offer]> {
        Arc::clone(&self.known().borrow())
    }

    fn answers(&self, tool: &str) -> bool {
        !self.greeting().shadowing && self.is_server(tool.split('.').next().unwrap_or_default())
    }

    fn changes(&self) -> watch::Receiver<Arc<[Offer]>> {
        self.known()
    }
}
