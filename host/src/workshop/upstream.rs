//! The broker as the one who makes the calls of runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::effects::Effects;
use crate::broker::Client;
use crate::domain::{Answered, Budget, Call, Offer, Refusal};
use crate::sandbox::Asking;

impl Effects for Client {
    fn call<'a>(
        &'a self,
        calls: &'a [Call],
        at_most: usize,
        left: Budget,
    ) -> Asking<'a, Result<Vec<Answered>, Refusal>> {
        let within = Duration::from_millis(left.millis);
        Box::pin(Self::call(self, calls, at_most, within, false))
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
