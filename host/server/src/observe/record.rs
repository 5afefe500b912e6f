//! A call that has ended.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use pif_domain::text::{line, time};
use pif_domain::{FaultCode, Part, StepTold};
use serde_json::{Value, json};

use super::notes::{CallNotes, EndedStep, Span, UpstreamCall};

/// The start of a call, on both clocks.
#[derive(Debug, Clone, Copy)]
pub struct CallStart {
    /// The clock that never jumps.
    pub at: Instant,
    /// The clock on the wall.
    pub on: SystemTime,
}

impl CallStart {
    /// A call that begins now.
    #[must_use]
    pub fn now() -> Self {
        Self { at: Instant::now(), on: SystemTime::now() }
    }

    /// Nanoseconds since 1970 of a moment in the call.
    #[must_use]
    pub fn nanos(self, moment: Instant) -> u128 {
        let start = self.on.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        start.as_nanos() + moment.saturating_duration_since(self.at).as_nanos()
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// With a reply.
    Done,
    /// With a question to the client.
    Asks,
    /// With a fault.
    Fault(Option<FaultCode>),
    /// With an error of the protocol.
    Error(i32),
}

impl CallEnd {
    /// Whether the call failed.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(self, Self::Fault(_) | Self::Error(_))
    }

    /// One word: `ok`, `asks`, the code of a fault, or the number of an error.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Done => "ok".into(),
            Self::Asks => "asks".into(),
            Self::Fault(Some(code)) => code.name().into(),
            Self::Fault(None) => "fault".into(),
            Self::Error(code) => code.to_string().into(),
        }
    }

    /// The value of `error.type` in the conventions.
    #[must_use]
    pub fn error_type(self) -> Option<Cow<'static, str>> {
        match self {
            Self::Done | Self::Asks => None,
            Self::Fault(_) => Some("tool_error".into()),
            Self::Error(_) => Some(self.name()),
        }
    }
}

/// A call that has ended. It holds figures and names, nothing that a program computed.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its number in this process, from 1 on.
    pub id: u64,
    /// Who made it; empty for the local user.
    pub owner: Arc<str>,
    /// The tool.
    pub tool: Cow<'static, str>,
    /// Its start.
    pub begun: CallStart,
    /// How long it took.
    pub elapsed: Duration,
    /// How it ended.
    pub ending: CallEnd,
    /// What it noted of itself.
    pub noted: CallNotes,
    /// Bytes that the client got, if it called other servers.
    pub received: u64,
}

impl Record {
    /// Whether a caller may see it. Without an owner everything may be seen.
    #[must_use]
    pub fn is_of(&self, owner: Option<&str>) -> bool {
        owner.is_none_or(|owner| *self.owner == *owner)
    }

    /// Its start in milliseconds since 1970.
    #[must_use]
    pub fn time(&self) -> i64 {
        i64::try_from(self.begun.nanos(self.begun.at) / 1_000_000).unwrap_or(i64::MAX)
    }

    /// One line for a list.
    #[must_use]
    pub fn to_line(&self) -> String {
        let id = self.id;
        let tool = &self.tool;
        let ending = self.ending.name();
        let fuel = self.noted.used.map(|(fuel, _)| format!(", fuel {fuel}")).unwrap_or_default();
        let at = time::format(self.time());
        format!("{id} {at} {tool}: {ending}, {:.3} ms{fuel}", millis(self.elapsed))
    }

    /// The record for programs, without its parts.
    #[must_use]
    pub fn to_record(&self) -> Value {
        let mut record = json!({
            "id": self.id,
            "time": time::format(self.time()),
            "tool": self.tool,
            "ending": self.ending.name(),
            "ms": millis(self.elapsed),
        });
        let mut put = |name: &str, value: Value| record[name] = value;
        if !self.owner.is_empty() {
            put("owner", json!(*self.owner));
        }
        if let Some((fuel, memory)) = self.noted.used {
            put("fuel", fuel.into());
            put("memory", memory.into());
        }
        if let Some(entry) = self.noted.entry {
            put("entry", entry.into());
        }
        let parts = Part::ALL.into_iter();
        let phases: serde_json::Map<String, Value> = parts
            .filter_map(|part| {
                Some((part.name().to_owned(), millis(self.noted.total(part)?).into()))
            })
            .collect();
        if !phases.is_empty() {
            put("phases_ms", phases.into());
        }
        record
    }

    /// The record with all its parts and its calls of other servers.
    #[must_use]
    pub fn to_full_record(&self) -> Value {
        let mut told = self.to_record();
        let from = |start| millis(Instant::saturating_duration_since(&start, self.begun.at));
        let part = |it: &Span| json!({"part": it.part.name(), "from_ms": from(it.start), "ms": millis(it.time)});
        told["parts"] = self.noted.spans.iter().map(part).collect();
        told["instances"] = self.noted.count(Part::Instance).into();
        let call = |it: &UpstreamCall| {
            json!({
                "tool": it.tool,
                "outcome": it.outcome,
                "from_ms": from(it.start),
                "ms": millis(it.time),
                "bytes": it.bytes,
            })
        };
        let step = |it: &EndedStep| {
            let StepTold { name, count, state, fuel, calls, ms, tries } = &it.told;
            json!({
                "name": line(name, LONGEST_NAME),
                "count": count,
                "state": state,
                "from_ms": from(it.start),
                "ms": ms,
                "fuel": fuel,
                "calls": calls,
                "tries": tries,
            })
        };
        if !self.noted.steps.is_empty() {
            told["steps"] = self.noted.steps.iter().map(step).collect();
        }
        if !self.noted.calls.is_empty() {
            told["calls"] = self.noted.calls.iter().map(call).collect();
            told["answered"] = self.noted.answered.into();
            told["received"] = self.received.into();
        }
        told
    }
}

/// The most characters of the name of a step.
const LONGEST_NAME: usize = 80;

/// Milliseconds with three digits behind the point.
pub(super) fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
