//! Durable runs: what a store keeps of one beside its request and its answers.

use pif_domain::EntryOutcome;
use pif_domain::text::time::now;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a durable run is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durable {
    /// The last change of a tool that the run sees.
    pub as_of: i64,
    /// When it began, in milliseconds since 1970.
    pub began: i64,
    /// Until when it is kept, in milliseconds since 1970.
    pub until: i64,
    /// Whether it goes on by itself when a server starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
    /// The fault that interrupted it, as entries have it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub interrupted: Value,
}

/// How a durable run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Its entry.
    pub entry: i64,
    /// The ending of the entry: `value`, `continuation` or the code of a fault.
    pub ending: String,
    /// The outcome, as entries have it, of any length.
    pub outcome: Value,
    /// Fuel spent.
    pub fuel: u64,
    /// The highest point of memory, in bytes.
    pub memory: u64,
    /// The highest number of pending evaluations.
    pub depth: u32,
    /// Time of its last part, in microseconds.
    pub micros: u64,
}

/// How a run stands that a store keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// A process works on it.
    Working,
    /// It waits for an approval.
    Waiting,
    /// It can go on.
    Interrupted,
    /// It can go on once somebody says what came of a write.
    OutcomeUnknown,
    /// It has a value.
    Done,
    /// It ended with a fault.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl RunStatus {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Working,
        Self::Waiting,
        Self::Interrupted,
        Self::OutcomeUnknown,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
    ];

    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Interrupted => "interrupted",
            Self::OutcomeUnknown => "outcome-unknown",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The one with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Whether the run has ended.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

impl Durable {
    /// Whether its time is over.
    pub(super) fn is_past(&self) -> bool {
        self.until < now()
    }
}

impl RunEnd {
    /// The end that an entry tells, whose number is not known yet.
    #[must_use]
    pub fn new(ending: &EntryOutcome, outcome: Value, fuel: u64) -> Self {
        let ending = ending.name().to_owned();
        Self { entry: 0, ending, outcome, fuel, memory: 0, depth: 0, micros: 0 }
    }
}
