//! Strings as JSON text.

use crate::text::lanes;

/// Returns how many bytes a byte of text takes in a JSON string.
#[must_use]
pub fn escaped(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..=31 => 6,
        _ => 1,
    }
}

/// A target that you can append text to.
pub trait Sink {
    /// Appends a text.
    fn push_text(&mut self, text: &str);
}

impl Sink for String {
    fn push_text(&mut self, text: &str) {
        self.push_str(text);
    }
}

impl Sink for Vec<u8> {
    fn push_text(&mut self, text: &str) {
        self.extend_from_slice(text.as_bytes());
    }
}

/// Appends a JSON string.
pub fn string(text: &str, out: &mut impl Sink) {
    out.push_text("\"");
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (0, lanes::plain_end(bytes, 0));
    while let Some(byte) = bytes.get(at) {
        out.push_text(text.get(plain..at).unwrap_or_default());
        plain = at + 1;
        match byte {
            b'"' => out.push_text("\\\""),
            b'\\' => out.push_text("\\\\"),
            b'\n' => out.push_text("\\n"),
            b'\r' => out.push_text("\\r"),
            b'\t' => out.push_text("\\t"),
            8 => out.push_text("\\b"),
            12 => out.push_text("\\f"),
            _ => out.push_text(&format!("\\u{byte:04x}")),
        }
        at = lanes::plain_end(bytes, plain);
    }
    out.push_text(text.get(plain..).unwrap_or_default());
    out.push_text("\"");
}
