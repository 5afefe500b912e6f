//! Errors in settings.

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct Error {
    /// The flag or the variable.
    pub(super) name: String,
    pub(super) reason: String,
}

impl Error {
    pub(super) fn of(flag: &str, reason: String) -> Self {
        Self { name: format!("--{flag}"), reason }
    }
}
