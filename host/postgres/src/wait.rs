//! Waits for a future on a thread that may serve others: the store is synchronous, its connections are not.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread until a moment; None: it is not ready by then.
pub(crate) fn wait<F: Future>(future: F, until: Instant) -> Option<F::Output> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        thread::park_timeout(left);
    }
}
