//! Traces on their way to the broker. They go beside the messages of requests, which come first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::protocol::{ToBroker, frame};

/// Texts that wait for the pipe.
const MOST: usize = 16;

/// What goes to the broker beside requests.
#[derive(Debug)]
enum Parcel {
    /// A frame with traces.
    Frame(Vec<u8>),
    /// Somebody waits until all before it is written.
    Mark(oneshot::Sender<()>),
}

/// The way of traces to the broker.
#[derive(Debug, Clone)]
pub struct Spans {
    parcels: mpsc::Sender<Parcel>,
    are_taken: Arc<AtomicBool>,
    /// Calls whose traces the collector did not get.
    lost: Arc<AtomicU64>,
}

/// What is written to the broker.
#[derive(Debug)]
pub(super) struct Outlet {
    frames: mpsc::UnboundedReceiver<Vec<u8>>,
    parcels: mpsc::Receiver<Parcel>,
    are_taken: Arc<AtomicBool>,
}

impl Spans {
    /// The way beside the frames of requests.
    pub(super) fn beside(frames: mpsc::UnboundedReceiver<Vec<u8>>) -> (Self, Outlet) {
        let (sender, parcels) = mpsc::channel(MOST);
        let are_taken = Arc::<AtomicBool>::default();
        let outlet = Outlet { frames, parcels, are_taken: Arc::clone(&are_taken) };
        (Self { parcels: sender, are_taken, lost: Arc::default() }, outlet)
    }

    /// Says whether the broker takes traces from now on. One that has started again may not.
    pub(super) fn take(&self, are_taken: bool) {
        self.are_taken.store(are_taken, Ordering::Release);
    }

    /// Notes that the collector did not get the traces of so many calls.
    pub(super) fn lose(&self, calls: u64) {
        self.lost.fetch_add(calls, Ordering::Relaxed);
    }

    /// Calls whose traces the collector did not get, as the broker tells it.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Hands over a request of OTLP in JSON without waiting. Says whether there was room for it.
    #[must_use]
    pub fn send(&self, text: String) -> bool {
        let frame = frame(&ToBroker::Spans { text });
        frame.is_ok_and(|frame| self.parcels.try_send(Parcel::Frame(frame)).is_ok())
    }

    /// Waits until all is written, but no longer than this.
    pub async fn flush(&self, within: Duration) {
        let (written, mark) = oneshot::channel();
        let flushed = async {
            if self.parcels.send(Parcel::Mark(written)).await.is_ok() {
                // An outlet that ends has nothing left to write.
                let _ = mark.await;
            }
        };
        let _ = timeout(within, flushed).await;
    }
}

impl Outlet {
    /// Writes until the last frame or the end of the pipe.
    pub(super) async fn write(mut self, mut to: impl AsyncWrite + Unpin) {
        loop {
            let frame = tokio::select! {
                biased;
                frame = self.frames.recv() => match frame {
                    Some(frame) => frame,
                    None => return,
                },
                Some(parcel) = self.parcels.recv() => match parcel {
                    Parcel::Frame(frame) if self.are_taken.load(Ordering::Acquire) => frame,
                    Parcel::Frame(_) => continue,
                    Parcel::Mark(written) => {
                        let _ = written.send(());
                        continue;
                    }
                },
            };
            if to.write_all(&frame).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;

    use super::*;

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
    }

    #[test]
    fn requests_come_before_traces_and_traces_wait_in_a_bounded_room() {
        let written = block_on(async {
            let (frames, waiting) = mpsc::unbounded_channel();
            let (spans, outlet) = Spans::beside(waiting);
            spans.take(true);
            for _ in 0..MOST {
                assert!(spans.send("{}".to_owned()));
            }
            assert!(!spans.send("{}".to_owned()), "there is no more room");
            frames.send(b"request".to_vec()).expect("an outlet");
            let mut written = Vec::new();
            let writing = outlet.write(&mut written);
            let flushed = async {
                spans.flush(Duration::from_secs(5)).await;
                drop(frames);
            };
            tokio::join!(writing, flushed);
            written
        });
        assert!(written.starts_with(b"request"));
        let text = String::from_utf8_lossy(&written);
        assert_eq!(text.matches(r#"{"spans":{"text":"{}"}}"#).count(), MOST);
    }

    #[test]
    fn a_broker_that_takes_none_gets_none() {
        let written = block_on(async {
            let (frames, waiting) = mpsc::unbounded_channel();
            let (spans, outlet) = Spans::beside(waiting);
            assert!(spans.send("{}".to_owned()));
            let mut written = Vec::new();
            let flushed = async {
                spans.flush(Duration::from_secs(5)).await;
                drop(frames);
            };
            tokio::join!(outlet.write(&mut written), flushed);
            written
        });
        assert!(written.is_empty(), "{written:?}");
    }
}
