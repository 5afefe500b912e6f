//! Work in turns. Work that takes longer than a turn returns to its driver, which may continue it
//! on another thread. Work that waits for the world uses no thread; it wakes its driver when it can
//! continue.

use std::future::poll_fn;
use std::mem;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::Notify;

/// Wasm instructions after which a guest returns to the host, which checks whether the run has to
/// stop. They take a millisecond at most.
pub(super) const TURN: u64 = 1_000_000;

/// The time between two polls of work that waits, to check whether it has to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Runs work to its end. It blocks its thread, which sleeps while the work waits.
pub fn finish<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let bell = Arc::new(Unparker { thread: thread::current(), has_rung: AtomicBool::new(false) });
    let waker = Waker::from(Arc::clone(&bell));
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
            return done;
        }
        if !bell.has_rung.swap(false, Ordering::AcqRel) {
            thread::park_timeout(LOOK);
        }
    }
}

/// A waker that unparks a thread.
struct Unparker {
    thread: Thread,
    has_rung: AtomicBool,
}

impl Wake for Unparker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Ends a turn, before work that may block or take long.
pub async fn give_way() {
    let mut has_given_way = false;
    poll_fn(|context| {
        if mem::replace(&mut has_given_way, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Work that can continue on any thread.
pub struct Turns<T> {
    work: Pin<Box<dyn Future<Output = T> + Send>>,
    alarm: Arc<Alarm>,
}

impl<T> std::fmt::Debug for Turns<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turns").field("alarm", &self.alarm).finish_non_exhaustive()
    }
}

impl<T> Turns<T> {
    /// Makes work that has not begun.
    pub fn new(work: impl Future<Output = T> + Send + 'static) -> Self {
        Self { work: Box::pin(work), alarm: Arc::default() }
    }

    /// Continues until the work is done. Returns `None` if the work waits.
    pub fn go_on(&mut self) -> Option<T> {
        let waker = Waker::from(Arc::clone(&self.alarm));
        loop {
            if let Poll::Ready(done) = self.work.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Some(done);
            }
            if !self.alarm.has_rung.swap(false, Ordering::AcqRel) {
                return None;
            }
        }
    }

    /// Returns when work that waits can continue.
    pub fn woken(&self) -> impl Future<Output = ()> + use<T> {
        let alarm = Arc::clone(&self.alarm);
        async move {
            while !alarm.has_rung.swap(false, Ordering::AcqRel) {
                alarm.told.notified().await;
            }
        }
    }
}

/// A waker that notifies the task that waits for the work.
#[derive(Debug, Default)]
struct Alarm {
    has_rung: AtomicBool,
    told: Notify,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
        self.told.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[test]
    fn work_gives_way_and_waits() {
        let (sender, receiver) = oneshot::channel();
        let mut turns = Turns::new(async {
            give_way().await;
            receiver.await.unwrap_or(0) + 1
        });
        assert!(turns.go_on().is_none());
        assert!(sender.send(41).is_ok());
        assert_eq!(turns.go_on(), Some(42));
    }

    #[test]
    fn a_thread_sleeps_while_work_waits() {
        let (sender, receiver) = oneshot::channel();
        let later = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            sender.send(42)
        });
        assert_eq!(finish(receiver), Ok(42));
        assert!(matches!(later.join(), Ok(Ok(()))));
    }
}
