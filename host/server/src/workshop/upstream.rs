//! The broker as the one who makes the calls of runs.

use std::sync::Arc;
use std::time::Duration;

use pif_broker::Client;
use pif_domain::{Answered, Offer, Unsent};
use pif_sandbox::Asking;
use tokio::sync::watch;

use super::effects::{Effects, Sending, Told};

impl Effects for Client {
    fn call<'a>(
        &'a self,
        sending: Sending<'a>,
        told: &'a mut Told<'_>,
    ) -> Asking<'a, Result<Vec<Answered>, Unsent>> {
        let Sending { calls, at_most, left, approved, .. } = sending;
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
