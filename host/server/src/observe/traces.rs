//! Writes traces, on a thread of its own: a request only hands over what is to be written. Files and
//! the collector have a thread each, so that neither waits for the other.

use std::fmt;
use std::io;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pif_store::journal::Policy;

use super::files::TraceFiles;
use super::otlp;
use super::record::Record;
use super::traced::Traced;

/// How long calls are gathered before they are written: waking a thread takes longer than a call.
const GATHER: Duration = Duration::from_millis(100);

/// The most calls that wait to be written.
const MOST_CALLS: usize = 20_000;

/// The most bytes of payloads that wait to be written.
const MOST_BYTES: usize = 32 << 20;

/// Bytes of a request that goes to the collector, unless a single call has more.
const MOST_REQUEST: usize = 256 << 10;

/// Where traces go.
enum Outlet {
    Files(TraceFiles),
    Collector(Taker),
}

/// Takes a request of OTLP in JSON, and says whether there was room for it.
type Taker = Box<dyn FnMut(String) -> bool + Send>;

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outlet")
    }
}

/// Writes traces until it is closed.
#[derive(Debug)]
pub struct Traces {
    shared: Arc<Shared>,
    policy: Policy,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Calls that were lost behind the outlet.
    lost: Lost,
}

/// Says how many calls were lost behind an outlet.
struct Lost(Box<dyn Fn() -> u64 + Send + Sync>);

impl fmt::Debug for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lost")
    }
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    bell: Condvar,
    dropped: AtomicU64,
}

#[derive(Debug, Default)]
struct Queue {
    calls: Vec<(Arc<Record>, Arc<Traced>)>,
    bytes: usize,
    is_closed: bool,
}

impl Traces {
    /// Writes to files.
    pub fn to_files(files: TraceFiles, policy: Policy) -> io::Result<Self> {
        Self::start(Outlet::Files(files), policy, || 0)
    }

    /// Hands requests of OTLP to somebody who never waits, and who says whether there was room, and how
    /// many calls were lost later.
    pub fn to_collector(
        send: impl FnMut(String) -> bool + Send + 'static,
        lost: impl Fn() -> u64 + Send + Sync + 'static,
        policy: Policy,
    ) -> io::Result<Self> {
        Self::start(Outlet::Collector(Box::new(send)), policy, lost)
    }

    fn start(
        outlet: Outlet,
        policy: Policy,
        lost: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        let write = move || own.write_all(outlet, policy);
        let thread = thread::Builder::new().name("traces".to_owned()).spawn(write)?;
        let lost = Lost(Box::new(lost));
        Ok(Self { shared, policy, thread: Mutex::new(Some(thread)), lost })
    }

    /// What of arguments and results is written.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Hands over a call, unless too many wait.
    pub(super) fn keep(&self, record: Arc<Record>, traced: Arc<Traced>) {
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

    /// Calls whose traces could not be written, or were lost later.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Ordering::Relaxed).saturating_add((self.lost.0)())
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

impl Outlet {
    /// Takes calls. Says how many are lost, and why.
    fn take(&mut self, calls: &[String]) -> (u64, Option<io::Error>) {
        let count = |calls: &[String]| u64::try_from(calls.len()).unwrap_or(u64::MAX);
        match self {
            Self::Files(files) => {
                let lines = calls.iter().map(|call| otlp::request(slice::from_ref(call)) + "\n");
                match files.write(lines.collect::<String>().as_bytes()) {
                    Ok(()) => (0, None),
                    Err(error) => (count(calls), Some(error)),
                }
            }
            Self::Collector(send) => {
                let mut sum = 0_usize;
                let requests = calls.chunk_by(|_, next| {
                    // A request ends where the next call is too much for it.
                    sum += next.len();
                    let fits = sum <= MOST_REQUEST;
                    sum = if fits { sum } else { 0 };
                    fits
                });
                let refused = requests.filter(|calls| !send(otlp::request(calls)));
                let lost = refused.map(count).sum();
                let full = || io::Error::other("the broker takes less than there is");
                (lost, (lost > 0).then(full))
            }
        }
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, mut outlet: Outlet, policy: Policy) {
        let mut is_failing = false;
        loop {
            let (calls, is_last) = self.next();
            let write =
                |(record, traced): &(Arc<Record>, Arc<Traced>)| otlp::call(record, traced, policy);
            let calls: Vec<String> = calls.iter().map(write).collect();
            if !calls.is_empty() {
                let (lost, error) = outlet.take(&calls);
                self.dropped.fetch_add(lost, Ordering::Relaxed);
                if let Some(error) = error.as_ref().filter(|_| !is_failing) {
                    tracing::warn!(%error, "traces are lost");
                }
                is_failing = error.is_some();
            }
            if is_last {
                return;
            }
        }
    }

    /// Waits for calls, and a moment for those behind them. Says whether no more will come.
    fn next(&self) -> (Vec<(Arc<Record>, Arc<Traced>)>, bool) {
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
