//! A JSON text as a list of its values, each with the bytes that it takes.

use std::ops::Range;

/// A kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A list.
    List,
    /// A record. Each of its members is a key and a value.
    Record,
    /// A text.
    Text,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`, `null`
    Least,
}

/// A value, or the key of a member.
#[derive(Clone, Debug)]
pub(super) struct Span {
    /// Its kind.
    pub(super) kind: Kind,
    /// The bytes that it takes.
    pub(super) bytes: Range<usize>,
    /// The first that is not within it.
    pub(super) after: usize,
    /// Whether it is a key.
    pub(super) is_key: bool,
    /// The elements of a list, or the members of a record.
    pub(super) count: usize,
}

/// All values of a text, each before its parts, keys among them. None: it is no JSON.
pub(super) fn spans(text: &str) -> Option<Vec<Span>> {
    let bytes = text.as_bytes();
    let (mut found, mut open): (Vec<Span>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let (kind, end) = match byte {
            b' ' | b'\n' | b'\r' | b'\t' | b',' => {
                at += 1;
                continue;
            }
            b':' => {
                // What stands before it is a key.
                found.last_mut()?.is_key = true;
                at += 1;
                continue;
            }
            b']' | b'}' => {
                let (index, after) = (open.pop()?, found.len());
                let count = count(&found, index, after);
                let span = found.get_mut(index)?;
                (span.bytes.end, span.after, span.count) = (at + 1, after, count);
                at += 1;
                continue;
            }
            b'[' => (Kind::List, at + 1),
            b'{' => (Kind::Record, at + 1),
            b'"' => (Kind::Text, end_of_text(bytes, at)?),
            b't' => (Kind::True, end_of_word(bytes, at)),
            b'f' | b'n' => (Kind::Least, end_of_word(bytes, at)),
            b'-' | b'0'..=b'9' => (Kind::Number, end_of_word(bytes, at)),
            _ => return None,
        };
        let is_open = matches!(kind, Kind::List | Kind::Record);
        if is_open {
            open.push(found.len());
        }
        let after = found.len() + 1;
        found.push(Span { kind, bytes: at..end, after, is_key: false, count: 0 });
        at = end;
    }
    let is_whole = open.is_empty() && found.first().is_some_and(|it| it.after == found.len());
    is_whole.then_some(found)
}

/// The elements or members of what has just been closed.
fn count(found: &[Span], index: usize, after: usize) -> usize {
    let mut count = 0;
    let mut at = index + 1;
    while let Some(part) = found.get(at).filter(|_| at < after) {
        count += usize::from(!part.is_key);
        at = part.after;
    }
    count
}

fn end_of_text(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn end_of_word(bytes: &[u8], start: usize) -> usize {
    let is_within = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
    start + bytes.get(start..).unwrap_or_default().iter().take_while(is_within).count()
}

/// The elements of a list, or the members of a record with their keys.
pub(super) fn elements(spans: &[Span], index: usize) -> Vec<Range<usize>> {
    let Some(whole) = spans.get(index) else { return Vec::new() };
    let (mut found, mut at, mut from) = (Vec::new(), index + 1, None);
    while let Some(part) = spans.get(at).filter(|_| at < whole.after) {
        let start = from.unwrap_or(part.bytes.start);
        if part.is_key {
            from = Some(start);
        } else {
            found.push(start..part.bytes.end);
            from = None;
        }
        at = part.after;
    }
    found
}

/// The bytes to leave out so that some elements are not there.
pub(super) fn cut(elements: &[Range<usize>], part: &Range<usize>) -> Option<Range<usize>> {
    let first = elements.get(part.start)?;
    let last = elements.get(part.end.checked_sub(1)?)?;
    Some(
        match (elements.get(part.end), part.start.checked_sub(1).and_then(|it| elements.get(it))) {
            (Some(next), _) => first.start..next.start,
            (None, Some(before)) => before.end..last.end,
            (None, None) => first.start..last.end,
        },
    )
}
