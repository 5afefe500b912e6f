//! Writes traces to files, on a thread of its own: a request only hands over what is to be written.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pif_store::journal::Policy;

use super::files::TraceFiles;
use super::otlp;
use super::record::Record;
use super::traced::CallTrace;

/// How long calls are gathered before they are written: waking a thread takes longer than a call.
const GATHER: Duration = Duration::from_millis(100);

/// The most calls that wait to be written.
const MOST_CALLS: usize = 20_000;

/// The most bytes of payloads that wait to be written.
const MOST_BYTES: usize = 32 << 20;

/// Writes traces until it is closed.
#[derive(Debug)]
pub struct Traces {
    shared: Arc<TraceQueue>,
    policy: Policy,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct TraceQueue {
    queue: Mutex<Queue>,
    bell: Condvar,
    dropped: AtomicU64,
}

#[derive(Debug, Default)]
struct Queue {
    calls: Vec<(Arc<Record>, CallTrace)>,
    bytes: usize,
    is_closed: bool,
}

impl Traces {
    /// Writes to files.
    pub fn to_files(files: TraceFiles, policy: Policy) -> io::Result<Self> {
        let shared = Arc::<TraceQueue>::default();
        let own = Arc::clone(&shared);
        let write = move || own.write_all(files, policy);
        let thread = thread::Builder::new().name("traces".to_owned()).spawn(write)?;
        Ok(Self { shared, policy, thread: Mutex::new(Some(thread)) })
    }

    /// What of arguments and results is written.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Hands over a call, unless too many wait.
    pub(super) fn keep(&self, record: Arc<Record>, traced: CallTrace) {
        let mut queue = self.shared.queue();
        let bytes = queue.bytes.saturating_add(traced.size());
        let is_full = queue.calls.len() >= MOST_CALLS || (bytes > MOST_BYTES && queue.bytes > 0);
        if is_full || queue.is_closed {
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        queue.bytes = bytes;
        queue.calls.push((record, traced));
        if queue.calls.len() == 1 {
            self.shared.bell.notify_one();
        }
    }

    /// Calls whose traces could not be written.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Ordering::Relaxed)
    }

    /// Writes what is left, and no more.
    pub fn close(&self) {
        self.shared.queue().is_closed = true;
        self.shared.bell.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the last traces were not written");
        }
    }
}

impl TraceQueue {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, mut files: TraceFiles, policy: Policy) {
        let mut is_failing = false;
        loop {
            let (calls, is_last) = self.next();
            let line = |(record, traced): &(Arc<Record>, CallTrace)| {
                otlp::request(&otlp::call(record, traced, policy)) + "\n"
            };
            let lines: String = calls.iter().map(line).collect();
            if !calls.is_empty() {
                let written = files.write(lines.as_bytes());
                if let Err(error) = &written {
                    let lost = u64::try_from(calls.len()).unwrap_or(u64::MAX);
                    self.dropped.fetch_add(lost, Ordering::Relaxed);
                    if !is_failing {
                        tracing::warn!(%error, "traces are lost");
                    }
                }
                is_failing = written.is_err();
            }
            if is_last {
                return;
            }
        }
    }

    /// Waits for calls, and a moment for those behind them. Says whether no more will come.
    fn next(&self) -> (Vec<(Arc<Record>, CallTrace)>, bool) {
        let mut queue = self.queue();
        while queue.calls.is_empty() && !queue.is_closed {
            queue = self.bell.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        let until = Instant::now() + GATHER;
        while !queue.is_closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.bell.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        queue.bytes = 0;
        (std::mem::take(&mut queue.calls), queue.is_closed)
    }
}
