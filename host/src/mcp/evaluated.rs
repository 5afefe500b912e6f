//! A run and what it said on the way.

use std::time::Duration;

use crate::sandbox::{Limits, Outcome};

/// A run and what it said on the way.
#[derive(Debug)]
pub(super) struct Evaluated {
    pub(super) outcome: Outcome,
    /// The first evaluation steps, if they were asked for.
    pub(super) evaluation: Vec<String>,
    /// What each step was allowed.
    pub(super) limits: Limits,
    /// From its start to its end.
    pub(super) elapsed: Duration,
    /// sha256 of what was run, where the profile tells it.
    pub(super) revision: Option<String>,
    /// Its entry in the journal.
    pub(super) entry: Option<i64>,
}
