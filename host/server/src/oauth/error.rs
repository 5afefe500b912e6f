//! Settings that tokens cannot be checked with.

/// An issuer, a resource or a set of keys that is unusable. The message names it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(pub(super) String);
