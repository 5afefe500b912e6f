//! Snapshots of a server, which `mcp-pif top` shows.

use serde::{Deserialize, Serialize};

use super::rollup::Rollup;

/// How full the server is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slots {
    /// Places for runs that are taken.
    pub taken: u64,
    /// All places for runs.
    pub places: u64,
    /// Runs that wait for a place.
    pub waiting: u64,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastFault {
    /// When it began, in milliseconds since 1970.
    pub time: i64,
    /// The tool.
    pub tool: String,
    /// The code of the fault, or the number of the error.
    pub code: String,
}

/// A durable run on which a server works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkSnapshot {
    /// Its number.
    pub run: i64,
    /// Steps that have ended.
    pub steps: u64,
    /// The innermost step that has begun, or the last that has ended, in a line; empty if there is none.
    pub step: String,
}

/// The figures of a server at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The server's version.
    pub version: String,
    /// Its process.
    pub process: u32,
    /// When it started, in milliseconds since 1970.
    pub started: i64,
    /// The moment, in milliseconds since 1970.
    pub now: i64,
    /// All calls since the start.
    pub calls: u64,
    /// Those that failed.
    pub errors: u64,
    /// Clients that are connected.
    pub sessions: u64,
    /// How full it is.
    pub slots: Slots,
    /// The durable runs on which it works.
    #[serde(default)]
    pub works: Vec<WorkSnapshot>,
    /// Calls in each of the last seconds.
    pub rate: Vec<u32>,
    /// Figures of the last calls.
    pub last: Rollup,
    /// The last calls that failed, the latest first.
    pub faults: Vec<LastFault>,
}
