//! The next step of the prompt after a text.

/// What comes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Nothing,
    Done,
    Failed,
    Leave,
}
