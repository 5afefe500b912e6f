//! Figures of the system about this process, for `/metrics`, under the names that Prometheus uses.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

/// The unit of times of a process on Linux, in seconds.
const TICK: f64 = 0.01;

/// The figures of this process. A system that does not tell them leaves them at zero.
#[derive(Debug, Default)]
pub(super) struct Process {
    cpu: Counter<f64, AtomicU64>,
    memory: Gauge,
    files: Gauge,
}

impl Process {
    pub(super) fn register(&self, all: &mut Registry, started: i64) {
        let version = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        all.register("mcp_pif_build", "The version of the server", version);
        let text = "When the server started, since 1970";
        let started = ConstGauge::new(seconds(started));
        all.register_with_unit("process_start_time", text, Unit::Seconds, started);
        if read().is_none() {
            return;
        }
        let text = "Time that processors have worked for the process";
        all.register_with_unit("process_cpu", text, Unit::Seconds, self.cpu.clone());
        let text = "Memory that the process has";
        all.register_with_unit("process_resident_memory", text, Unit::Bytes, self.memory.clone());
        all.register("process_open_fds", "Files that the process has open", self.files.clone());
    }

    /// Looks at the figures.
    pub(super) fn look(&self) {
        let Some(Figures { cpu, memory, files }) = read() else { return };
        self.cpu.inner().store(cpu.to_bits(), Ordering::Relaxed);
        self.memory.set(memory);
        self.files.set(files);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a float holds each millisecond of this age")]
fn seconds(millis: i64) -> f64 {
    millis as f64 / 1_000.0
}

struct Figures {
    cpu: f64,
    memory: i64,
    files: i64,
}

fn read() -> Option<Figures> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the process stands in parentheses, and may hold anything.
    let mut members = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let (user, system): (f64, f64) = (members.next()?.parse().ok()?, members.next()?.parse().ok()?);
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = memory.split_ascii_whitespace().next()?.parse().ok()?;
    let files = i64::try_from(fs::read_dir("/proc/self/fd").ok()?.count()).ok()?;
    Some(Figures { cpu: (user + system) * TICK, memory: kibibytes * 1_024, files })
}
