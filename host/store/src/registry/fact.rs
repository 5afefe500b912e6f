//! What is known of revisions beside them. It is no part of what their hashes name.

/// A kind of fact. A revision has one of each at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// The certificate with which an import brought it; of `name@hash`.
    Certificate,
    /// What the analyst has told of it, and what that holds for; of its hash.
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
