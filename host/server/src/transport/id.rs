//! Ids of requests, returned to the client as they were sent. rmcp supports 64-bit integers and
//! strings. Any other id passes through rmcp as a string: a mark followed by the id's JSON text.

use std::borrow::Cow;

use rmcp::model::RequestId;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The first character of a string that contains JSON text. An id that begins with it is marked,
/// too.
const MARK: char = '\0';

/// Reads an id from JSON text. Returns `None` if it is neither a string nor an integer.
pub(crate) fn read(raw: &str) -> Option<RequestId> {
    let known: Option<RequestId> = serde_json::from_str(raw).ok();
    let is_marked = matches!(&known, Some(RequestId::String(text)) if text.starts_with(MARK));
    if known.is_some() && !is_marked {
        return known;
    }
    let is_json = || serde_json::from_str::<&RawValue>(raw).is_ok();
    // A JSON string that cannot be decoded contains half of a surrogate pair.
    let is_id = (raw.starts_with('"') || is_integer(raw)) && is_json();
    is_id.then(|| RequestId::String(format!("{MARK}{raw}").into()))
}

fn is_integer(raw: &str) -> bool {
    raw.strip_prefix('-').unwrap_or(raw).bytes().all(|byte| byte.is_ascii_digit())
}

/// The JSON text of an id that passes through rmcp as a marked string.
pub(super) fn raw(id: &RequestId) -> Option<&str> {
    match id {
        RequestId::String(text) => text.strip_prefix(MARK),
        RequestId::Number(_) => None,
    }
}

/// Quotes an id in a message.
pub(super) fn quote(id: &RequestId) -> Cow<'_, str> {
    raw(id).map_or_else(|| Cow::Owned(id.to_string()), Cow::Borrowed)
}

/// An id that serializes as the client sent it.
pub(super) struct Echo<'a>(pub(super) &'a RequestId);

impl Serialize for Echo<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match raw(self.0) {
            Some(raw) => RawValue::from_string(raw.to_owned())
                .map_err(serde::ser::Error::custom)?
                .serialize(serializer),
            None => self.0.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_echoed_as_they_were_sent() {
        for raw in [
            "0",
            "-5",
            "9223372036854775807",
            "18446744073709551615",
            "-123456789012345678901234567890",
            r#""""#,
            r#""7""#,
            r#""\ud800""#,
            r#""\u0000123""#,
        ] {
            let id = read(raw).expect(raw);
            assert_eq!(serde_json::to_string(&Echo(&id)).expect(raw), raw);
        }
        for raw in
            ["null", "true", "1.5", "1e400", "[]", "{}", "1 2", "", "-", "01", r#""\x""#, r#""a"#]
        {
            assert_eq!(read(raw), None, "{raw}");
        }
        assert_ne!(
            read("123456789012345678901234567890"),
            read(r#""123456789012345678901234567890""#)
        );
    }
}
