//! The differences between a value and its schema.

use serde::Serialize;

/// A part of a value that differs from its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// JSON Pointer into the value.
    pub instance: String,
    /// A description of the values that the schema allows there.
    pub expected: String,
    /// The value found there, shortened.
    pub found: String,
    /// JSON Pointer into the schema.
    pub schema_at: String,
}

/// The mismatches that a fault names. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Mismatches(Vec<Mismatch>);

impl Mismatches {
    /// The mismatches in the order in which they are reported.
    pub fn iter(&self) -> impl Iterator<Item = &Mismatch> {
        self.0.iter()
    }

    /// Rewrites every text of the mismatches.
    #[must_use]
    pub fn map(&self, rewrite: impl Fn(&str) -> String) -> Self {
        let one = |Mismatch { instance, expected, found, schema_at }: &Mismatch| Mismatch {
            instance: rewrite(instance),
            expected: rewrite(expected),
            found: rewrite(found),
            schema_at: rewrite(schema_at),
        };
        Self(self.iter().map(one).collect())
    }
}

impl FromIterator<Mismatch> for Mismatches {
    fn from_iter<I: IntoIterator<Item = Mismatch>>(mismatches: I) -> Self {
        Self(mismatches.into_iter().collect())
    }
}
