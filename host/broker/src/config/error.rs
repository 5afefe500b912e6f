//! Errors of a configuration.

/// What is wrong with the file, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(pub(super) String);

impl Error {
    pub(in super::super) fn new(message: String) -> Self {
        Self(message)
    }
}
