//! Repairs of JSON terms: the key that is a form's, in place of the one that is none.

use pif_core::fault::{Code, Fault};
use pif_core::json::escape;
use pif_core::json::locate::locate;
use pif_language::forms::form_names;
use pif_language::hint::only_near;
use pif_language::mistakes::names;
use pif_notation::repair::Edit;
use std::ops::Range;

/// The edits that may repair a JSON term at the place of its fault.
pub(crate) fn proposals(text: &str, fault: &Fault) -> Vec<Edit> {
    match fault.code {
        Code::UnknownForm => unknown(text, &fault.at).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// An object whose keys name no form.
fn unknown(text: &str, at: &str) -> Option<Edit> {
    let found = locate(text, at)?;
    let key_of = |key: &Range<usize>| text.get(key.start + 1..key.end - 1);
    for (key, value) in &found.members {
        let name = key_of(key)?;
        let Some((row, false)) = names::of_key(name) else { continue };
        let example = row.example()?;
        let shape = locate(example, "")?;
        let (form, operands) = shape.members.first()?;
        let form = example.get(form.clone())?;
        let others = |members: &[(Range<usize>, Range<usize>)], text: &str| {
            let mut keys: Vec<String> = members
                .iter()
                .skip(1)
                .filter_map(|(key, _)| text.get(key.clone()).map(str::to_owned))
                .collect();
            keys.sort();
            keys
        };
        let rest: Vec<_> = found.members.iter().filter(|it| it.0 != *key).cloned().collect();
        let mut members = vec![(key.clone(), value.clone())];
        members.extend(rest);
        if others(&members, text) != others(&shape.members, example) {
            return None;
        }
        let operands = example.get(operands.clone())?;
        if is_plain(operands) {
            return Some(Edit { start: key.start, end: key.end, now: form.to_owned() });
        }
        let now = filled(example, text, value)?;
        return Some(Edit { start: found.value.start, end: found.value.end, now });
    }
    let [(key, _)] = found.members.as_slice() else { return None };
    let near = only_near(key_of(key)?, &mut form_names())?;
    Some(Edit { start: key.start + 1, end: key.end - 1, now: near.to_owned() })
}

/// Tells whether the operands of an example are words, each another one: so the operands stay.
fn is_plain(operands: &str) -> bool {
    let inner = operands.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(operands);
    let words: Vec<&str> = inner.split(", ").collect();
    let is_word = |word: &&str| {
        let bare = word.trim_matches('"');
        *word == "…" || bare.chars().all(|c| c.is_alphabetic() || c == '_') && *word != "null"
    };
    let is_other =
        |at: usize| words.get(at).is_some_and(|word| !words.iter().take(at).any(|it| it == word));
    words.iter().all(is_word) && (0..words.len()).all(is_other)
}

/// The example with the operands of the program in place of its words.
fn filled(example: &str, text: &str, value: &Range<usize>) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    let pieces = pieces(example);
    for piece in pieces.iter().filter(|piece| is_hole(piece)) {
        if !words.contains(piece) {
            words.push(piece);
        }
    }
    if words.is_empty() || example.contains(['…', '?']) {
        return None;
    }
    let given = locate(text.get(value.clone())?, "")?;
    let inner = text.get(value.clone())?;
    let operands: Vec<&str> = if inner.starts_with('[') {
        given.items.iter().filter_map(|item| inner.get(item.clone())).collect()
    } else {
        vec![inner]
    };
    if operands.len() != words.len() {
        return None;
    }
    let filled = pieces.into_iter().map(|piece| {
        let at = words.iter().position(|word| *word == piece).filter(|_| is_hole(piece));
        at.and_then(|at| operands.get(at).copied()).unwrap_or(piece)
    });
    Some(filled.collect())
}

fn is_hole(piece: &str) -> bool {
    piece.starts_with(char::is_alphabetic) && !matches!(piece, "null" | "true" | "false")
}

/// An example in pieces: words, and what stands between them. Texts are no words.
fn pieces(example: &str) -> Vec<&str> {
    let (mut pieces, mut begin, mut in_text) = (Vec::new(), 0, false);
    let mut was_word = false;
    for (at, c) in example.char_indices() {
        let is_word = !in_text && (c.is_alphanumeric() || c == '_');
        if is_word != was_word && at > begin {
            pieces.extend(example.get(begin..at));
            begin = at;
        }
        was_word = is_word;
        in_text ^= c == '"';
    }
    pieces.extend(example.get(begin..));
    pieces
}

/// The only text of this content within the value at a pointer becomes another one.
pub(crate) fn text_within(text: &str, at: &str, was: &str, now: &str) -> Option<Edit> {
    let span = locate(text, at)?.value;
    let quoted = |text: &str| {
        let mut out = String::new();
        escape::string(text, &mut out);
        out
    };
    let (was, value) = (quoted(was), text.get(span.clone())?);
    let mut found = value.match_indices(&was);
    let (Some((first, _)), None) = (found.next(), found.next()) else { return None };
    let start = span.start + first;
    Some(Edit { start, end: start + was.len(), now: quoted(now) })
}
