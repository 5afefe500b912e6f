//! Notes that a call makes while it runs.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pif_domain::{CallOutcome, FaultCode, Part, StepTold};

/// The most parts of a call that are kept with their times. A run of many steps has more.
const MOST_SPANS: usize = 64;

/// A part of a call that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// What it was.
    pub part: Part,
    /// Its start.
    pub start: Instant,
    /// How long it took.
    pub time: Duration,
}

/// A call of another server's tool that has ended.
#[derive(Debug, Clone)]
pub struct UpstreamCall {
    /// `UPSTREAM.TOOL`.
    pub tool: String,
    /// When it was sent.
    pub start: Instant,
    /// How long it took.
    pub time: Duration,
    /// `ok`, a reason, or `unknown`.
    pub outcome: &'static str,
    /// Bytes of its answer.
    pub bytes: u64,
}

impl UpstreamCall {
    /// Whether it has a value.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.outcome == OK
    }

    /// The server and its tool.
    #[must_use]
    pub fn names(&self) -> (&str, &str) {
        self.tool.split_once('.').unwrap_or((&self.tool, ""))
    }
}

const OK: &str = "ok";

/// A step of a program that has ended.
#[derive(Debug, Clone)]
pub struct EndedStep {
    /// When it began.
    pub start: Instant,
    /// How long it took.
    pub time: Duration,
    /// What is told of it.
    pub told: StepTold,
}

/// All that a call has noted.
#[derive(Debug, Clone, Default)]
pub struct CallNotes {
    /// Its first parts, in the order in which they ended.
    pub spans: Vec<Span>,
    /// Calls of other servers' tools, in the order in which they ended.
    pub calls: Vec<UpstreamCall>,
    /// The first steps of programs, in the order in which they ended.
    pub steps: Vec<EndedStep>,
    /// Bytes that other servers answered.
    pub answered: u64,
    /// How long each part took, all times together.
    totals: [Duration; Part::ALL.len()],
    /// How often there was each part.
    counts: [u64; Part::ALL.len()],
    /// Fuel and the peak of memory, if it ran a program.
    pub used: Option<(u64, u64)>,
    /// The number of its journal entry.
    pub entry: Option<i64>,
    /// The fault that it ended with.
    pub fault: Option<FaultCode>,
}

impl CallNotes {
    /// How long a part took; None if there was none.
    #[must_use]
    pub fn total(&self, part: Part) -> Option<Duration> {
        (self.count(part) > 0).then(|| self.totals.get(part as usize).copied().unwrap_or_default())
    }

    /// How often there was a part.
    #[must_use]
    pub fn count(&self, part: Part) -> u64 {
        self.counts.get(part as usize).copied().unwrap_or_default()
    }

    fn add(&mut self, part: Part, time: Duration) {
        if let Some(total) = self.totals.get_mut(part as usize) {
            *total += time;
        }
        if let Some(count) = self.counts.get_mut(part as usize) {
            *count += 1;
        }
    }
}

/// The notes of a call that goes on, in whatever thread it does.
#[derive(Debug, Default)]
pub struct Notes(Mutex<CallNotes>);

impl Notes {
    /// Notes a part that ends now.
    pub fn passed(&self, part: Part, start: Instant) {
        let time = start.elapsed();
        let mut noted = self.noted();
        noted.add(part, time);
        if noted.spans.len() < MOST_SPANS {
            noted.spans.push(Span { part, start, time });
        }
    }

    /// Notes a call of another server's tool that has ended.
    pub fn called(&self, start: Instant, time: Duration, tool: &str, came: Option<&CallOutcome>) {
        let (outcome, bytes) = match came {
            None => ("unknown", 0),
            Some(CallOutcome::Value(text)) => (OK, u64::try_from(text.len()).unwrap_or(u64::MAX)),
            Some(CallOutcome::Failed(it)) => (it.reason.name(), 0),
        };
        let mut noted = self.noted();
        noted.add(Part::Upstream, time);
        noted.answered = noted.answered.saturating_add(bytes);
        noted.calls.push(UpstreamCall { tool: tool.to_owned(), start, time, outcome, bytes });
    }

    /// Notes a step of a program that ends now.
    pub fn stepped(&self, start: Instant, told: &StepTold) {
        let mut noted = self.noted();
        if noted.steps.len() < MOST_SPANS {
            noted.steps.push(EndedStep { start, time: start.elapsed(), told: told.clone() });
        }
    }

    /// Notes what a program has used, and its entry.
    pub fn ran(&self, fuel: u64, memory: u64, entry: Option<i64>) {
        let mut noted = self.noted();
        (noted.used, noted.entry) = (Some((fuel, memory)), entry);
    }

    /// Notes the fault that ends the call.
    pub fn failed(&self, fault: Option<FaultCode>) {
        self.noted().fault = fault;
    }

    /// All that was noted.
    #[must_use]
    pub fn take(&self) -> CallNotes {
        std::mem::take(&mut *self.noted())
    }

    fn noted(&self) -> MutexGuard<'_, CallNotes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
