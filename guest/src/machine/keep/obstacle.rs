//! Why a value has no term.

use crate::memory::word::Word;

/// Why a value cannot be a term.
pub(super) enum Obstacle {
    /// This part of it has no term.
    Part(Word, String),
    /// The text is longer than the limit.
    TooLong,
}
