//! Where a value differs from its schema.

use serde::Serialize;

/// A part of a value that differs from its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// JSON Pointer into the value.
    pub instance: String,
    /// What the schema says of that place.
    pub expected: String,
    /// What is there, shortened.
    pub found: String,
    /// JSON Pointer into the schema.
    pub schema_at: String,
}

/// The mismatches of a value that a fault names: at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Mismatches(Vec<Mismatch>);

impl Mismatches {
    /// Mismatches in the order in which they are told.
    pub fn iter(&self) -> impl Iterator<Item = &Mismatch> {
        self.0.iter()
    }

    /// The mismatches with every text rewritten.
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
