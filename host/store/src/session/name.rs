//! Names of bindings, of sessions and of saved states.

use pif_domain::text::{is_hidden, line};

/// The session that a call without a session means.
pub const DEFAULT: &str = "default";

/// The names of the last values, the latest first.
pub const LAST: [&str; 3] = ["_1", "_2", "_3"];

/// The most characters of a name.
pub const LONGEST_NAME: usize = 64;

/// The most characters of a title.
pub const LONGEST_TITLE: usize = 200;

/// Whether a text can name a binding or a saved state.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.len() <= LONGEST_NAME
        && text.starts_with(is_first)
        && text.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

/// Why a text cannot be a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TitleError {
    /// It is too long.
    #[error("the title is too long: shorten it to {LONGEST_TITLE} characters")]
    Long,
    /// Nobody sees a part of it, or it changes how the rest is shown.
    #[error("the title holds the hidden character {}: leave it out", line(&.0.to_string(), LONGEST_TITLE))]
    Hidden(char),
}

/// Refuses what cannot be a title.
pub fn ensure_title(text: &str) -> Result<(), TitleError> {
    if text.chars().count() > LONGEST_TITLE {
        return Err(TitleError::Long);
    }
    text.chars().find(|c| is_hidden(*c)).map_or(Ok(()), |hidden| Err(TitleError::Hidden(hidden)))
}

/// Whether a name is that of one of the last values.
#[must_use]
pub fn is_recent(name: &str) -> bool {
    LAST.contains(&name)
}

/// The name of the session with a number.
pub(super) fn of_number(id: i64) -> String {
    format!("s{id}")
}

/// The number in the name of a session.
pub(crate) fn number(name: &str) -> Option<i64> {
    let id = name.strip_prefix('s').filter(|_| name != DEFAULT)?.parse().ok()?;
    (of_number(id) == name).then_some(id)
}
