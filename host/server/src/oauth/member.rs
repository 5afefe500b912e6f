//! Types of members that tokens and keys have in common.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};

/// A string, or a list of strings.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a string or a list of strings")]
pub(super) enum Strings {
    One(String),
    Many(Vec<String>),
}

impl Strings {
    pub(super) fn as_slice(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// Bytes in base64 for URLs.
#[derive(Debug)]
pub(super) struct Base64(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        decode(&text).map(Self).ok_or_else(|| D::Error::custom("a member is not base64"))
    }
}

/// Reads whether a member is there, whatever its value is.
pub(super) fn is_present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| true)
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
}
