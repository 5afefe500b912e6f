//! Text that a program wrote, as it may stand in what is said about the program: short, on one
//! line, and with nothing in it that a reader would not see.

use std::fmt::Write as _;

/// Characters of a quoted text.
const MOST: usize = 40;

/// Characters of an excerpt.
const EXCERPT: usize = 80;

/// Bytes of a text whose beginning is the excerpt.
pub(crate) const EXCERPT_BYTES: usize = 4 * EXCERPT + 4;

/// A text as messages quote it, between backticks: what cannot be seen, and what could end the
/// quotation, is written as JSON escapes it.
#[must_use]
#[inline(never)]
pub(crate) fn shorten(text: &str) -> String {
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

/// A canonical text on one line, of which no more than its beginning may be given when it is long.
#[must_use]
pub(crate) fn excerpt(beginning: &str) -> String {
    let mut line = visible(beginning);
    if let Some((end, _)) = line.char_indices().nth(EXCERPT) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// A text with what cannot be seen written as JSON escapes it.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push(c, &mut out));
    out
}

/// A JSON Pointer with nothing hidden in it. One that is too long to be of use is shown by its
/// beginning and its end.
#[must_use]
pub(crate) fn pointer(pointer: String) -> String {
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
pub(crate) fn push(c: char, out: &mut String) {
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

/// Whether a character prints as nothing, changes how others print, or means nothing to anybody:
/// controls, format characters (bidirectional, zero-width, tags), variation selectors but for the
/// two of emoji, fillers, private use, and what Unicode promises never to assign.
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
