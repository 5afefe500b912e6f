//! Why a schema cannot be used, and why a value is not known to conform to one.

use crate::domain::Mismatches;

/// Why a schema is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// JSON Pointer into the schema.
    pub at: String,
    /// What is wrong there.
    pub reason: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Invalid {
    pub(super) fn new(at: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { at: at.into(), reason: reason.into(), hint: None }
    }

    pub(super) fn hint(self, hint: &str) -> Self {
        Self { hint: Some(hint.to_owned()), ..self }
    }
}

/// Why a value is not known to conform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It does not: these are the first things that are wrong, and how many more there are, if
    /// that was counted.
    Mismatch(Mismatches, Option<usize>),
    /// It is nested deeper than is looked at: how deep, and how deep it may be.
    TooDeep(usize, usize),
    /// It has more parts than are looked at: how many, and how many it may have.
    TooMany(usize, usize),
    /// Looking at all of it takes more work than this.
    TooMuch(u64),
    /// Whoever asked does not wait any longer.
    Stopped,
    /// This module fails, for this reason.
    Defect(String),
}
