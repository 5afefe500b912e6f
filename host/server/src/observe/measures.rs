//! All that is measured of a server.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use pif_domain::text::time;
use pif_store::journal::Policy;

use super::metrics::Metrics;
use super::recent_calls::RecentCalls;
use super::record::Record;
use super::rollup::Rollup;
use super::snapshot::{LastFault, Slots, Snapshot};
use super::traced::CallTrace;
use super::traces::Traces;

/// Calls that are counted at once. A run leaves little in the processor's caches, and counting one call
/// after another finds there what it needs.
const BATCH: usize = 256;

/// The last faults in a snapshot.
const FAULTS: usize = 10;

/// The most tools in a snapshot.
const MOST_TOOLS: usize = 50;

/// The figures of a server: its last calls, its counts, and the traces that it writes.
#[derive(Debug)]
pub struct Measures {
    started: i64,
    kept: Mutex<RecentCalls>,
    metrics: Metrics,
    traces: OnceLock<Traces>,
}

impl Default for Measures {
    fn default() -> Self {
        Self::new()
    }
}

impl Measures {
    /// The figures of a server that starts now.
    #[must_use]
    pub fn new() -> Self {
        let started = time::now();
        Self {
            started,
            kept: Mutex::default(),
            metrics: Metrics::new(started),
            traces: OnceLock::new(),
        }
    }

    /// Writes traces from now on.
    pub fn trace(&self, traces: Traces) {
        // They are set once.
        let _ = self.traces.set(traces);
    }

    /// What traces hold of arguments and results, if any are written.
    #[must_use]
    pub fn tracing(&self) -> Option<Policy> {
        self.traces.get().map(Traces::policy)
    }

    /// Keeps a call that has ended, with what its trace tells more.
    pub fn keep(&self, record: Record, traced: Option<CallTrace>) {
        self.metrics.count_calls(&record);
        let (record, uncounted) = {
            let mut kept = self.kept();
            (kept.keep(record), kept.uncounted(BATCH))
        };
        for it in uncounted {
            self.metrics.count(&it);
        }
        if let (Some(traces), Some(traced)) = (self.traces.get(), traced) {
            traces.keep(record, traced);
        }
    }

    /// Counts a client that has connected.
    pub fn session_began(&self) {
        self.metrics.session_began();
    }

    /// Counts a client that was connected so long.
    pub fn session_ended(&self, time: Duration) {
        self.metrics.session_ended(time);
    }

    /// Counts a request over HTTP by its method, one of those that the protocol has.
    pub fn asked(&self, method: &str) {
        self.metrics.asked(method);
    }

    /// Counts a reply over HTTP by its status.
    pub fn answered(&self, status: u16) {
        self.metrics.answered(status);
    }

    /// Clients that are connected.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        self.metrics.sessions()
    }

    /// The number of calls until now.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.kept().count
    }

    /// The last calls of an owner, the latest first; without an owner those of all.
    #[must_use]
    pub fn recent(&self, owner: Option<&str>, tool: Option<&str>, most: usize) -> Vec<Arc<Record>> {
        let kept = self.kept();
        let fits = |it: &&Arc<Record>| it.is_of(owner) && tool.is_none_or(|tool| it.tool == tool);
        kept.latest().filter(fits).take(most).map(Arc::clone).collect()
    }

    /// The call with this number, if it is kept and an owner may see it.
    #[must_use]
    pub fn find(&self, owner: Option<&str>, id: u64) -> Option<Arc<Record>> {
        self.kept().latest().find(|it| it.id == id && it.is_of(owner)).map(Arc::clone)
    }

    /// Figures of the last calls of an owner; without an owner of all.
    #[must_use]
    pub fn stats(&self, owner: Option<&str>, tool: Option<&str>) -> Rollup {
        Rollup::of(self.recent(owner, tool, usize::MAX).iter())
    }

    /// The text for `/metrics`.
    #[must_use]
    pub fn text(&self, slots: Slots) -> String {
        let uncounted = self.kept().uncounted(0);
        for it in uncounted {
            self.metrics.count(&it);
        }
        self.metrics.text(slots, self.traces.get().map_or(0, Traces::dropped))
    }

    /// What `mcp-pif top` shows.
    #[must_use]
    pub fn snapshot(&self, slots: Slots) -> Snapshot {
        let now = time::now();
        let mut last = self.stats(None, None);
        last.tools.truncate(MOST_TOOLS);
        last.upstream.truncate(MOST_TOOLS);
        let kept = self.kept();
        let fault = |it: &Arc<Record>| LastFault {
            time: it.time(),
            tool: it.tool.clone().into_owned(),
            code: it.ending.name().into_owned(),
        };
        let failed = kept.latest().filter(|it| it.ending.is_error());
        Snapshot {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            process: std::process::id(),
            started: self.started,
            now,
            calls: kept.count,
            errors: kept.errors,
            sessions: self.metrics.sessions(),
            slots,
            works: Vec::new(),
            rate: kept.rate(now / 1_000),
            faults: failed.take(FAULTS).map(fault).collect(),
            last,
        }
    }

    /// Writes what is left of the traces, and no more.
    pub fn close(&self) {
        if let Some(traces) = self.traces.get() {
            traces.close();
        }
    }

    fn kept(&self) -> MutexGuard<'_, RecentCalls> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
