//! Repairs of a text that is no program: edits that are proposed at the place of its first fault.
//! Whoever asks tries them, and keeps those after which the text is a program.

mod brackets;
mod edit;
mod idiom;
mod layout;
mod lines;
mod lisp;
mod pattern;
mod query;
mod rewrite;
mod text;
mod tokens;

use crate::syntax::Kind;
pub use edit::Edit;
use idiom::Idiom;
use pif_core::fault::Place;
use tokens::Tokens;

/// The byte of a line and a column of a text.
#[must_use]
pub fn byte_of(text: &str, place: &Place) -> Option<usize> {
    let skipped = (place.line as usize).checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(skipped).map(str::len).sum();
    let line = text.get(start..)?;
    let column = (place.column as usize).checked_sub(1)?;
    let within = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    Some(start + within)
}

/// The edits that may repair a text whose first fault is at a byte. Each alone is an alternative.
#[must_use]
pub fn proposals(source: &str, at: usize) -> Vec<Edit> {
    let tokens = Tokens::of(source);
    let mut edits = Vec::new();
    if tokens.is_whole {
        match idiom::first(&tokens) {
            Some(Idiom::Known(edit)) => return vec![edit],
            Some(Idiom::Unknown) => return edits,
            None => {}
        }
        if let Some(edit) = idiom::joined(&tokens) {
            return vec![edit];
        }
        edits.extend(layout::blocks(&tokens, at));
        if edits.is_empty() {
            edits.extend(query::jq(&tokens, at));
            edits.extend(query::sql(&tokens, at));
        }
        if edits.is_empty() {
            edits.extend(lisp::prefix(&tokens, at));
        }
        if edits.is_empty() {
            edits.extend(text::with_prefix(&tokens, at));
        }
        if edits.is_empty() {
            edits.extend(rewrite::rewrite(&tokens, at));
        }
        if edits.is_empty() {
            edits.extend(rewrite::word(&tokens, at));
        }
        if edits.is_empty() {
            edits.extend(lines::separators(&tokens, at));
            edits.extend(lines::statement_end(&tokens, at));
        }
        if edits.is_empty() {
            edits.extend(rewrite::types(&tokens, at));
            edits.extend(rewrite::near_word(&tokens, at));
            edits.extend(rewrite::undeclared(&tokens, at));
        }
    } else {
        edits.extend(text::character(&tokens, at));
        if edits.is_empty() {
            edits.extend(text::comment(&tokens, at));
            edits.extend(text::divided(&tokens, at));
            edits.extend(text::backslash(&tokens, at));
        }
        if edits.is_empty() {
            edits.extend(brackets::balanced(&tokens, at));
        }
    }
    edits
}

/// The edit of what can be read and surely means something else: `", ".join(xs)`.
#[must_use]
pub fn misread(source: &str) -> Option<Edit> {
    let tokens = Tokens::of(source);
    idiom::joined(&tokens).filter(|_| tokens.is_whole)
}

/// Tells whether a program has values with commas between them that make no list and no call. In
/// JavaScript the last is the value; whoever writes it means something else.
#[must_use]
pub fn has_sequence(source: &str) -> bool {
    let tokens = Tokens::of(source);
    (0..tokens.len()).any(|at| tokens.mark(at) == "," && is_sequence(&tokens, at))
}

fn is_sequence(tokens: &Tokens<'_>, comma: usize) -> bool {
    let around = tokens.around(comma);
    let is_declared = |from: usize| {
        (from..comma)
            .rev()
            .take_while(|at| tokens.mark(*at) != ";")
            .any(|at| matches!(tokens.mark(at), "const" | "let" | "var"))
    };
    match around {
        None => !is_declared(0),
        Some(open) if tokens.text(open) == "(" => {
            let before = open.checked_sub(1);
            let is_call = before.is_some_and(|at| {
                let is_callee = matches!(tokens.kind(at), Kind::Name | Kind::Close);
                is_callee && !matches!(tokens.mark(at), "return" | "in" | "of" | "typeof")
            });
            let is_function = tokens.mark(tokens.mate(open) + 1) == "=>";
            !is_call && !is_function
        }
        Some(_) => false,
    }
}

/// The edits for a name at a byte that nothing binds.
#[must_use]
pub fn of_name(source: &str, at: usize) -> Vec<Edit> {
    let tokens = Tokens::of(source);
    let mut edits = Vec::new();
    edits.extend(rewrite::rewrite(&tokens, at));
    if edits.is_empty() {
        edits.extend(rewrite::name(&tokens, at));
    }
    edits
}

/// The key of a literal record that is the only one of this name from a byte on: `name: x`.
#[must_use]
pub fn key_from(source: &str, at: usize, name: &str) -> Option<(usize, usize)> {
    let tokens = Tokens::of(source);
    let first = tokens.at(at)?;
    let is_key = |index: &usize| {
        tokens.is_name(*index) && tokens.mark(index + 1) == ":" && tokens.text(*index) == name
    };
    let mut keys = (first..tokens.len()).filter(is_key);
    let (Some(key), None) = (keys.next(), keys.next()) else { return None };
    Some(tokens.span(key, key + 1))
}

/// The member of this name of the operand that begins at a byte, as `name` in `a.b(c).name`; else
/// the only one from there on.
#[must_use]
pub fn member_from(source: &str, at: usize, name: &str) -> Option<(usize, usize)> {
    let tokens = Tokens::of(source);
    let first = tokens.at(at)?;
    let is_member = |index: usize| {
        let is_point = index > 0 && matches!(tokens.text(index - 1), "." | "?.");
        tokens.is_name(index) && is_point && tokens.text(index) == name
    };
    let mut chain = Vec::new();
    let end = pattern::operand(&tokens, first).unwrap_or(first);
    let mut index = first;
    while index < end {
        chain.extend(Some(index).filter(|index| is_member(*index)));
        let is_open = tokens.kind(index) == Kind::Open;
        index = if is_open { tokens.mate(index) + 1 } else { index + 1 };
    }
    let all: Vec<usize> = (first..tokens.len()).filter(|index| is_member(*index)).collect();
    let (([only], _) | (_, [only])) = (chain.as_slice(), all.as_slice()) else { return None };
    Some(tokens.span(*only, only + 1))
}
