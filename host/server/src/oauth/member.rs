//! Members of tokens and keys with their types. A member of another type is an error, as if it were
//! a wrong value.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pif_domain::json::{Members, text_in};
use serde_json::value::RawValue;

/// Reads a string. `Err` means that the member is no string.
pub(super) fn text(members: &Members<'_>, name: &str) -> Result<Option<String>, ()> {
    members.raw(name).map(|raw| text_in(raw).ok_or(())).transpose()
}

/// Reads a string or a list of strings.
pub(super) fn texts(members: &Members<'_>, name: &str) -> Result<Option<Vec<String>>, ()> {
    let read = |raw| match text_in(raw) {
        Some(text) => Ok(vec![text]),
        None => serde_json::from_str(raw).map_err(|_| ()),
    };
    members.raw(name).map(read).transpose()
}

/// Reads a number of seconds. A double holds every time within a microsecond.
pub(super) fn seconds(members: &Members<'_>, name: &str) -> Result<Option<f64>, ()> {
    let read = |raw: &str| raw.parse().ok().filter(|it: &f64| it.is_finite()).ok_or(());
    members.raw(name).map(read).transpose()
}

/// Reads the items of a list.
pub(super) fn items<'a>(members: &Members<'a>, name: &str) -> Option<Vec<&'a str>> {
    let items: Vec<&RawValue> = serde_json::from_str(members.raw(name)?).ok()?;
    Some(items.into_iter().map(RawValue::get).collect())
}

/// Decodes base64 for URLs, which has one spelling only.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_one_spelling() {
        assert_eq!(decode("-_8"), Some(vec![0xfb, 0xff]));
        for text in ["-_8=", "-_9", "+/8", "-_8\n", " -_8", "-"] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }

    #[test]
    fn times_are_numbers() {
        let read = |raw: &str| {
            let text = format!("{{\"exp\":{raw}}}");
            seconds(&Members::parse(&text).expect("an object"), "exp")
        };
        assert_eq!(read("1.5e9"), Ok(Some(1.5e9)));
        assert_eq!(read("-1"), Ok(Some(-1.0)));
        for raw in ["\"1\"", "null", "true", "1e999", "[1]", "{}", "\"inf\"", "\"NaN\""] {
            assert_eq!(read(raw), Err(()), "{raw}");
        }
    }
}
