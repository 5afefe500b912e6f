//! JSON that a client wrote as a JSON string.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::scan::depth;

/// Decodes a JSON string that holds an object or a list, told by its opening bracket. Anything else
/// stays as it is.
pub(crate) fn decoded(raw: &str, open: char, nesting: usize) -> Cow<'_, str> {
    match text_in(raw).and_then(|text| json_in(&text, nesting)) {
        Some(json) if json.starts_with(open) => Cow::Owned(json),
        _ => Cow::Borrowed(raw),
    }
}

/// The text of a JSON string.
pub(crate) fn text_in(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

/// The JSON of a text, if it is nested no deeper than this.
pub(crate) fn json_in(text: &str, nesting: usize) -> Option<String> {
    let is_shallow = depth(text.as_bytes()) <= nesting;
    let json = is_shallow.then(|| serde_json::from_str::<&RawValue>(text).ok()).flatten();
    json.map(|json| json.get().to_owned())
}
