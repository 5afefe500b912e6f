//! JSON that a client sent inside a JSON string.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::scan::depth;

/// Decodes a JSON string that contains an object or a list, recognized by its bracket `open`.
/// Returns any other JSON unchanged. `nesting` is the most levels.
#[must_use]
pub fn decoded(raw: &str, open: char, nesting: usize) -> Cow<'_, str> {
    match text_in(raw).and_then(|text| json_in(&text, nesting)) {
        Some(json) if json.starts_with(open) => Cow::Owned(json),
        _ => Cow::Borrowed(raw),
    }
}

/// Decodes a JSON string. Returns `None` if `raw` is not a JSON string.
#[must_use]
pub fn text_in(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

/// Returns the JSON of a text, or `None` if it is invalid or has more than `nesting` levels.
#[must_use]
pub fn json_in(text: &str, nesting: usize) -> Option<String> {
    let is_shallow = depth(text.as_bytes()) <= nesting;
    let json = is_shallow.then(|| serde_json::from_str::<&RawValue>(text).ok()).flatten();
    json.map(|json| json.get().to_owned())
}
