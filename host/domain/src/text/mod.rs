//! Makes text from programs and models safe to read. Invisible characters are written as JSON
//! escapes. The server applies this to its messages, never to values.

pub mod description;
pub mod similar;
pub mod time;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The most names that a sentence lists.
const MOST_QUOTED: usize = 10;

/// The most characters of a name in a sentence.
pub const MOST_NAME: usize = 64;

/// Writes a text on one line with invisible characters escaped. Cuts it after `most` characters.
#[must_use]
pub fn line(text: &str, most: usize) -> String {
    let text = escape(text, |_| false);
    match text.char_indices().nth(most) {
        None => text.into_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Escapes the invisible characters of a text, except line breaks and tabs.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, is_layout)
}

/// A JSON value for people: a string without its quotes, any other value as it is.
#[must_use]
pub fn plain(json: &str) -> String {
    let text = json.starts_with('"').then(|| serde_json::from_str(json).ok()).flatten();
    text.unwrap_or_else(|| json.to_owned())
}

/// Lists names in backticks with commas between them. Lists only the first of many names.
pub fn quote(names: &[impl AsRef<str>]) -> String {
    let first = names.iter().take(MOST_QUOTED);
    let quoted: Vec<String> = first.map(|name| quote_one(name.as_ref())).collect();
    let quoted = quoted.join(", ");
    match names.len().checked_sub(MOST_QUOTED) {
        None | Some(0) => quoted,
        Some(more) => format!("{quoted} and {more} more"),
    }
}

/// Quotes a text of a program in backticks. Backticks in the text are escaped.
#[must_use]
pub fn quote_one(name: &str) -> String {
    format!("`{}`", line(&name.replace('`', "\\u0060"), MOST_NAME))
}

/// The mark around a code block in Markdown.
pub const FENCE: &str = "```";

/// Removes surrounding white space and a code fence around the text.
#[must_use]
pub fn unfence(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix(FENCE) else { return text };
    // Models sometimes omit the closing fence.
    let inner = inner.strip_suffix(FENCE).unwrap_or(inner);
    let is_tag = |line: &str| line.trim().chars().all(|c| c.is_ascii_alphanumeric());
    match inner.split_once('\n') {
        Some((tag, rest)) if is_tag(tag) => rest.trim(),
        _ => inner.strip_prefix("json").unwrap_or(inner).trim(),
    }
}

/// Whether a character is a line break or a tab, which need no escape.
#[must_use]
pub fn is_layout(c: char) -> bool {
    matches!(c, '\n' | '\t')
}

fn escape(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |c: char| is_hidden(c) && !is_kept(c);
    if !text.chars().any(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) { push_escape(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

fn push_escape(c: char, out: &mut String) {
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

/// Whether a character is invisible, changes how others print, or has no meaning. The evaluator has
/// an equal list for its own messages. A test compares the two.
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

/// A writer to a terminal or a log. Each piece written becomes one line, whatever it contains.
#[derive(Debug)]
pub struct Visible<W>(pub W);

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let (line, end) = match text.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (text.as_ref(), ""),
        };
        let line = escape(line, |_| false);
        self.0.write_all(format!("{line}{end}").as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_is_hidden() {
        assert_eq!(
            line("a\u{1b}[2J\u{202e}b\n\u{e0041}", 99),
            "a\\u001b[2J\\u202eb\\n\\udb40\\udc41"
        );
        assert_eq!(visible("a\n\tb\u{200b}"), "a\n\tb\\u200b");
        assert_eq!(line("größer ❤️ 数", 99), "größer ❤️ 数");
        assert_eq!(line("größer", 3), "grö…");
    }

    #[test]
    fn escapes_are_not_escaped_again() {
        let once = line("\u{1b}\u{200b}", 99);
        assert_eq!(line(&once, 99), once);
    }

    #[test]
    fn a_log_line_stays_one_line() {
        let mut log = Vec::new();
        let written = Visible(&mut log).write("ok\nERROR forged\u{1b}[0m\n".as_bytes());
        assert!(written.is_ok());
        assert_eq!(log, b"ok\\nERROR forged\\u001b[0m\n");
    }
}
