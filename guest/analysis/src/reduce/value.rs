//! Smaller values: of the kinds that they had, with less in them.

use std::ops::Range;

use super::cuts::{count_parts, parts, replaced};
use super::spans::{Kind, Span, cut, elements, spans};
use crate::trial::shrink;

/// A part of a long text that is left out is at least so many times smaller than the text.
const FINEST: usize = 32;

/// The candidate of an index: JSON that is smaller than this. None where there is no more, and where this
/// is no JSON.
#[must_use]
pub fn value(json: &str, index: u32) -> Option<String> {
    let spans = spans(json)?;
    let mut left = index as usize;
    for (at, span) in spans.iter().enumerate().filter(|(_, span)| !span.is_key) {
        let text = json.get(span.bytes.clone())?;
        let count = count(span, text);
        if left < count {
            let (part, now) = edit((&spans, at), text, left)?;
            return replaced(json, &part, &now);
        }
        left -= count;
    }
    None
}

/// How many candidates change a value and leave its parts as they are.
fn count(span: &Span, text: &str) -> usize {
    match span.kind {
        Kind::List | Kind::Record => count_parts(span.count, 1),
        Kind::Text => {
            let units = units(text).len();
            count_parts(units, units / FINEST)
        }
        Kind::Number => shrink::numbers(text).len(),
        Kind::True => 1,
        Kind::Least => 0,
    }
}

/// The candidate of an index among those of one value: the bytes that change, and what stands there then.
fn edit((spans, at): (&[Span], usize), text: &str, index: usize) -> Option<(Range<usize>, String)> {
    let Span { kind, bytes, count, .. } = spans.get(at)?;
    match kind {
        Kind::List | Kind::Record => {
            let elements = elements(spans, at);
            let part = nth(*count, 1, index)?;
            Some((cut(&elements, &part)?, String::new()))
        }
        Kind::Text => {
            let units = units(text);
            let part = nth(units.len(), units.len() / FINEST, index)?;
            let first = bytes.start + units.get(part.start)?;
            let end = units.get(part.end).map_or(bytes.end - 1, |it| bytes.start + it);
            Some((first..end, String::new()))
        }
        Kind::Number => Some((bytes.clone(), shrink::numbers(text).swap_remove(index))),
        Kind::True => Some((bytes.clone(), "false".to_owned())),
        Kind::Least => None,
    }
}

/// The part of an index to be left out.
fn nth(count: usize, least: usize, index: usize) -> Option<Range<usize>> {
    let mut left = index;
    parts(count, least, |part| {
        let is_it = left == 0;
        left = left.saturating_sub(1);
        is_it.then_some(part)
    })
}

/// Where the characters of a text between quotes begin. An escape is one.
fn units(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 1);
    while at + 1 < bytes.len() {
        found.push(at);
        at += length(bytes.get(at..).unwrap_or_default());
    }
    found
}

/// The bytes of the first character of a text.
fn length(bytes: &[u8]) -> usize {
    match bytes {
        // A character beyond the first 65,536 is two escapes.
        [
            b'\\',
            b'u',
            b'd' | b'D',
            b'8'..=b'9' | b'a'..=b'b' | b'A'..=b'B',
            _,
            _,
            b'\\',
            b'u',
            ..,
        ] => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\', ..] => 2,
        [0xf0..=0xff, ..] => 4,
        [0xe0..=0xef, ..] => 3,
        [0xc0..=0xdf, ..] => 2,
        _ => 1,
    }
}
