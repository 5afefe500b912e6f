//! Quotes a program's text in messages: short, on one line, without hidden characters.

use std::fmt::Write as _;

/// Characters of a quoted text.
const MOST: usize = 40;

/// Characters of an excerpt.
const EXCERPT: usize = 80;

/// Bytes that hold enough of a text for its excerpt.
pub const EXCERPT_BYTES: usize = 4 * EXCERPT + 4;

/// Shortens a text for quotation between backticks. Hidden characters and backticks become JSON
/// escapes.
#[must_use]
#[inline(never)]
pub fn shorten(text: &str) -> String {
    let mut short = String::new();
    for c in text.chars().take(MOST) {
        match c {
            '\\' => short.push_str("\\\\"),
            '`' => short.push_str("\\u0060"),
            _ => push(c, &mut short),
        }
    }
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}

/// Shortens a canonical text to one line. For a long text, its beginning is enough.
#[must_use]
pub fn excerpt(beginning: &str) -> String {
    let mut line = visible(beginning);
    if let Some((end, _)) = line.char_indices().nth(EXCERPT) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Replaces hidden characters by their JSON escapes.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push(c, &mut out));
    out
}

/// Makes a JSON Pointer visible. A very long one keeps only its beginning and its end.
#[must_use]
pub fn pointer(pointer: String) -> String {
    const HALF: usize = 1_000;
    let exact = pointer.len() <= 2 * HALF && !pointer.chars().any(is_hidden);
    if exact {
        return pointer;
    }
    let text = visible(&pointer);
    let length = text.chars().count();
    if length <= 2 * HALF {
        return text;
    }
    let start: String = text.chars().take(HALF).collect();
    let end: String = text.chars().skip(length - HALF).collect();
    format!("{start}…{end}")
}

/// Appends a character, escaped if it is hidden.
pub fn push(c: char, out: &mut String) {
    if !is_hidden(c) {
        out.push(c);
        return;
    }
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
}

/// Tells whether a character prints as nothing, changes how others print, or has no meaning:
/// controls, format characters (bidirectional, zero-width, tags), variation selectors except the
/// two of emoji, fillers, private use, and code points that Unicode never assigns.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    let plane_end = u32::from(c) & 0xfffe == 0xfffe;
    c.is_control()
        || plane_end
        || matches!(
            c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{e000}'..='\u{f8ff}'
                | '\u{fdd0}'..='\u{fdef}'
                | '\u{fe00}'..='\u{fe0d}'
                | '\u{fff0}'..='\u{fffc}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{10ffff}'
        )
}
