//! The counts for `/metrics`, under the names of the conventions where they have one.

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pif_domain::Part;
use prometheus_client::encoding::EncodeLabelSet;
pub use prometheus_client::encoding::prometheus_text::CONTENT_TYPE;
use prometheus_client::encoding::prometheus_text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::names::Names;
use super::process::Process;
use super::record::Record;
use super::snapshot::Slots;

/// The bounds of times in seconds: those of the conventions, and finer ones below, since most runs
/// take less than a millisecond.
const SECONDS: [f64; 20] = [
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
    10.0, 30.0, 60.0, 120.0, 300.0,
];

/// The bounds of fuel.
const FUEL: [f64; 9] = [1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// The bounds of memory in bytes: 64 KiB, and four times as much each.
const BYTES: [f64; 8] = [
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
    268_435_456.0,
    1_073_741_824.0,
];

/// The method whose calls are measured.
const METHOD: &str = "tools/call";

type Label = Cow<'static, str>;
type Histograms<L> = Family<L, Histogram, fn() -> Histogram>;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Operation {
    mcp_method_name: &'static str,
    gen_ai_tool_name: Label,
    error_type: Option<Label>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Client {
    mcp_method_name: &'static str,
    mcp_pif_upstream: Label,
    error_type: Option<Label>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfTool {
    gen_ai_tool_name: Label,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabel {
    code: Label,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfStatus {
    http_response_status_code: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfMethod {
    mcp_method_name: Label,
}

/// All counts.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    names: Names,
    operations: Histograms<Operation>,
    clients: Histograms<Client>,
    sessions: Histogram,
    open: Gauge,
    fuel: Histograms<OfTool>,
    memory: Histograms<OfTool>,
    queue: Histogram,
    instances: Counter,
    faults: Family<CodeLabel, Counter>,
    answered: Counter,
    received: Counter,
    taken: Gauge,
    places: Gauge,
    waiting: Gauge,
    dropped: Counter,
    replies: Family<OfStatus, Counter>,
    requests: Family<OfMethod, Counter>,
    process: Process,
}

fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

fn fuel() -> Histogram {
    Histogram::new(FUEL)
}

fn bytes() -> Histogram {
    Histogram::new(BYTES)
}

impl Metrics {
    /// The counts of a server that started then, in milliseconds since 1970.
    pub(super) fn new(started: i64) -> Self {
        let this = Self {
            registry: Registry::default(),
            names: Names::default(),
            operations: Family::new_with_constructor(seconds),
            clients: Family::new_with_constructor(seconds),
            sessions: seconds(),
            open: Gauge::default(),
            fuel: Family::new_with_constructor(fuel),
            memory: Family::new_with_constructor(bytes),
            queue: seconds(),
            instances: Counter::default(),
            faults: Family::default(),
            answered: Counter::default(),
            received: Counter::default(),
            taken: Gauge::default(),
            places: Gauge::default(),
            waiting: Gauge::default(),
            dropped: Counter::default(),
            replies: Family::default(),
            requests: Family::default(),
            process: Process::default(),
        };
        this.registered(started)
    }

    fn registered(mut self, started: i64) -> Self {
        let mut all = Registry::default();
        let times = Unit::Seconds;
        let sizes = Unit::Bytes;
        let text = "The time of a request, from its arrival to its answer";
        all.register_with_unit(
            "mcp_server_operation_duration",
            text,
            times.clone(),
            self.operations.clone(),
        );
        let text = "The time of a call of another server, by server";
        all.register_with_unit(
            "mcp_client_operation_duration",
            text,
            times.clone(),
            self.clients.clone(),
        );
        let text = "The time of a client's connection, once it has ended";
        all.register_with_unit(
            "mcp_server_session_duration",
            text,
            times.clone(),
            self.sessions.clone(),
        );
        all.register("mcp_pif_sessions", "Clients that are connected", self.open.clone());
        all.register("mcp_pif_run_fuel", "Fuel of a run", self.fuel.clone());
        let text = "The peak of a run's memory";
        all.register_with_unit("mcp_pif_run_memory", text, sizes.clone(), self.memory.clone());
        let text = "How long a call waited for a place";
        all.register_with_unit("mcp_pif_queue_wait", text, times, self.queue.clone());
        let text = "Instances of the evaluator that runs have used";
        all.register("mcp_pif_instances", text, self.instances.clone());
        let text = "Calls that ended with a fault, by its code";
        all.register("mcp_pif_faults", text, self.faults.clone());
        let text = "Bytes that other servers answered";
        all.register_with_unit(
            "mcp_pif_upstream_answered",
            text,
            sizes.clone(),
            self.answered.clone(),
        );
        let text = "Bytes that clients got of the calls which called other servers";
        all.register_with_unit("mcp_pif_client_received", text, sizes, self.received.clone());
        all.register("mcp_pif_runs_active", "Runs that have a place", self.taken.clone());
        all.register("mcp_pif_runs_places", "Places for runs", self.places.clone());
        all.register("mcp_pif_runs_waiting", "Runs that wait for a place", self.waiting.clone());
        let text = "Calls whose traces could not be written";
        all.register("mcp_pif_traces_dropped", text, self.dropped.clone());
        let text = "Replies over HTTP, by their status: 401, 403, 413, 429 and 503 are refusals";
        all.register("mcp_pif_http_replies", text, self.replies.clone());
        let text = "Requests over HTTP, by their method";
        all.register("mcp_pif_http_requests", text, self.requests.clone());
        self.process.register(&mut all, started);
        self.registry = all;
        self
    }

    /// Counts a call.
    pub(super) fn count(&self, record: &Record) {
        let tool = self.names.label(record.tool.clone());
        let noted = &record.noted;
        let error_type = record.ending.error_type();
        if let Some((fuel, memory)) = noted.used {
            let of = OfTool { gen_ai_tool_name: tool.clone() };
            self.fuel.get_or_create(&of).observe(real(fuel));
            self.memory.get_or_create(&of).observe(real(memory));
        }
        let operation = Operation { mcp_method_name: METHOD, gen_ai_tool_name: tool, error_type };
        self.operations.get_or_create(&operation).observe(record.elapsed.as_secs_f64());
        if let Some(time) = noted.total(Part::Admission) {
            self.queue.observe(time.as_secs_f64());
        }
        self.instances.inc_by(noted.count(Part::Instance));
        if record.ending.is_error() {
            self.faults.get_or_create(&CodeLabel { code: record.ending.name() }).inc();
        }
    }

    /// Counts the calls of other servers that a call has made.
    pub(super) fn count_calls(&self, record: &Record) {
        let noted = &record.noted;
        if noted.calls.is_empty() {
            return;
        }
        for call in &noted.calls {
            let of = Client {
                mcp_method_name: METHOD,
                mcp_pif_upstream: self.names.of(call.names().0),
                error_type: (!call.is_ok()).then(|| call.outcome.into()),
            };
            self.clients.get_or_create(&of).observe(call.time.as_secs_f64());
        }
        self.answered.inc_by(noted.answered);
        self.received.inc_by(record.received);
    }

    /// Counts a reply over HTTP by its status.
    pub(super) fn answered(&self, status: u16) {
        let of = OfStatus { http_response_status_code: status };
        self.replies.get_or_create(&of).inc();
    }

    /// Counts a request over HTTP by its method.
    pub(super) fn asked(&self, method: &str) {
        let of = OfMethod { mcp_method_name: method.to_owned().into() };
        self.requests.get_or_create(&of).inc();
    }

    /// Counts a client that has connected.
    pub(super) fn session_began(&self) {
        self.open.inc();
    }

    /// Counts a client that was connected so long.
    pub(super) fn session_ended(&self, time: Duration) {
        self.open.dec();
        self.sessions.observe(time.as_secs_f64());
    }

    /// Clients that are connected.
    pub(super) fn sessions(&self) -> u64 {
        u64::try_from(self.open.get()).unwrap_or_default()
    }

    /// The text for `/metrics`.
    pub(super) fn text(&self, slots: Slots, dropped: u64) -> String {
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        self.taken.set(number(slots.taken));
        self.places.set(number(slots.places));
        self.waiting.set(number(slots.waiting));
        self.dropped.inner().store(dropped, Ordering::Relaxed);
        self.process.look();
        let mut text = String::new();
        if let Err(error) = encode(&mut text, &self.registry) {
            tracing::error!(%error, "the metrics cannot be written");
        }
        text
    }
}

#[expect(clippy::cast_precision_loss, reason = "histograms have floats")]
fn real(n: u64) -> f64 {
    n as f64
}
