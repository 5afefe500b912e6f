//! Work in turns. What takes longer than a turn gives way to whoever drives it, who may go on with
//! it elsewhere: a future here never waits for anything, so it can always be polled again at once.

use std::future::poll_fn;
use std::mem;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// Wasm instructions after which a guest gives way to the host, who looks whether it has to stop:
/// a millisecond at most.
pub(super) const TURN: u64 = 1_000_000;

/// Does work to its end. It blocks its thread.
pub fn finish<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        if let Poll::Ready(done) = next_turn(work.as_mut()) {
            return done;
        }
    }
}

/// Does the next turn of some work.
pub fn next_turn<T>(work: Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    work.poll(&mut Context::from_waker(Waker::noop()))
}

/// Ends a turn: before work that may block, or take long.
pub async fn give_way() {
    let mut has_given_way = false;
    poll_fn(
        |_| if mem::replace(&mut has_given_way, true) { Poll::Ready(()) } else { Poll::Pending },
    )
    .await;
}
