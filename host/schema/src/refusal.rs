//! The reasons why a schema is invalid and why a value is refused.

use pif_domain::Mismatches;

/// The reason why a schema is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// JSON Pointer into the schema.
    pub at: String,
    /// The error at this place.
    pub reason: String,
    /// A correction to suggest.
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

/// The reason why a value is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The value does not conform. Holds the first mismatches and the number of the others, if they
    /// were counted.
    Mismatch(Mismatches, Option<usize>),
    /// The value is nested too deeply: its depth, and the limit.
    TooDeep(usize, usize),
    /// The value has too many parts: their number, and the limit.
    TooMany(usize, usize),
    /// The comparison takes more looks than this limit.
    TooMuch(u64),
    /// [`Stop`](super::Stop) stopped the comparison.
    Stopped,
    /// The comparison failed because of a defect in this module, for this reason.
    Defect(String),
}
