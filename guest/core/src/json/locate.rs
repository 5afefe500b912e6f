//! Where a JSON Pointer leads in a text that is JSON.

use crate::json::tape::escape_pointer;
use std::ops::Range;

/// The bytes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The value.
    pub value: Range<usize>,
    /// Of an object its members: each key with its quotes, and its value.
    pub members: Vec<(Range<usize>, Range<usize>)>,
    /// Of an array its values.
    pub items: Vec<Range<usize>>,
}

/// Finds the value to which a pointer leads.
#[must_use]
pub fn locate(text: &str, pointer: &str) -> Option<Located> {
    let mut here = look(text, 0)?;
    for segment in pointer.split('/').skip(1) {
        let is_of = |key: &Range<usize>| {
            let key = text.get(key.start + 1..key.end.saturating_sub(1)).unwrap_or_default();
            escape_pointer(key) == segment
        };
        let member = here.members.iter().find(|(key, _)| is_of(key)).map(|(_, value)| value);
        let item = || segment.parse::<usize>().ok().and_then(|index| here.items.get(index));
        let next = member.or_else(item)?.start;
        here = look(text, next)?;
    }
    Some(here)
}

/// Looks at the value that is the first from a byte on.
fn look(text: &str, from: usize) -> Option<Located> {
    let start = blank(text, from);
    let end = end(text, start)?;
    let mut found = Located { value: start..end, members: Vec::new(), items: Vec::new() };
    let bytes = text.as_bytes();
    let (is_object, is_array) = (bytes.get(start) == Some(&b'{'), bytes.get(start) == Some(&b'['));
    let mut at = start + 1;
    while (is_object || is_array) && at < end - 1 {
        let first = blank(text, at);
        if first >= end - 1 {
            break;
        }
        let behind = self::end(text, first)?;
        if is_array {
            found.items.push(first..behind);
            at = blank(text, behind) + 1;
            continue;
        }
        let value = blank(text, blank(text, behind) + 1);
        let after = self::end(text, value)?;
        found.members.push((first..behind, value..after));
        at = blank(text, after) + 1;
    }
    Some(found)
}

/// The first byte from one on that is no blank.
fn blank(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.len() - rest.trim_start().len()
}

/// The byte behind the value that begins at one.
fn end(text: &str, from: usize) -> Option<usize> {
    let (mut depth, mut in_text, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate().skip(from) {
        if in_text {
            in_text = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            if !in_text && depth == 0 {
                return Some(at + 1);
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => return Some(at),
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    (depth == 0 && !in_text).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn a_pointer_leads_to_its_value() {
        let text = r#" {"a": [1, {"b/c": "x\"y"}, 2.5], "d": {"e": null}} "#;
        let at = |pointer: &str| locate(text, pointer).map(|it| &text[it.value]);
        assert_eq!(at("/a/0"), Some("1"));
        assert_eq!(at("/a/1/b~1c"), Some(r#""x\"y""#));
        assert_eq!(at("/a/2"), Some("2.5"));
        assert_eq!(at("/d/e"), Some("null"));
        assert_eq!(at("/d"), Some(r#"{"e": null}"#));
        assert_eq!(at("/x"), None);
        assert_eq!(locate(text, "").map(|it| it.members.len()), Some(2));
    }
}
