//! Facts about revisions. They stand beside a revision, so its hash does not cover them.

/// A kind of fact. A revision has one of each at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// The certificate with which an import brought it; of `name@hash`.
    Certificate,
    /// The type that the analyst has inferred, with the analyst and the callees for which it holds; of its hash.
    Type,
}

impl Fact {
    /// The name in a store.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Certificate => "certificate",
            Self::Type => "type",
        }
    }
}
