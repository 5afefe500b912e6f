//! An edit of a text.

/// A part of a text, in bytes, and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
    /// The text that stands there instead.
    pub now: String,
}

impl Edit {
    pub(super) fn new((start, end): (usize, usize), now: impl Into<String>) -> Self {
        Self { start, end, now: now.into() }
    }

    /// Returns the text with the edit.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        let (before, behind) = (text.get(..self.start)?, text.get(self.end..)?);
        Some([before, &self.now, behind].concat())
    }
}
