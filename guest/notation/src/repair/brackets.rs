//! Brackets that do not match. Every place where one may be missing or too many is proposed, so that
//! a repair is sure only if all of them mean one program.

use crate::repair::edit::Edit;
use crate::repair::tokens::Tokens;
use crate::syntax::Kind;

/// Most edits that are proposed for one bracket.
const MOST: usize = 120;

/// The edits after which the brackets match, as far as the first that does not.
pub(super) fn balanced(tokens: &Tokens<'_>, at: usize) -> Vec<Edit> {
    let byte = tokens.source.as_bytes().get(at).copied().unwrap_or_default();
    let mut edits = match (byte, tokens.open.last()) {
        (b')' | b']' | b'}', None) if at >= tokens.end(tokens.len()) => surplus(tokens, at),
        (b')' | b']' | b'}', Some(open)) if at >= tokens.end(tokens.len()) => {
            mismatched(tokens, at, *open)
        }
        (_, Some(open)) if is_at_end(tokens) => unclosed(tokens, *open),
        _ => Vec::new(),
    };
    if edits.len() > MOST {
        edits.clear();
    }
    edits
}

/// Tells whether all tokens of the text could be read.
fn is_at_end(tokens: &Tokens<'_>) -> bool {
    let end = tokens.end(tokens.len());
    tokens.source.get(end..).is_some_and(|rest| rest.trim().is_empty())
}

/// Brackets, each with the one that closes it.
const BRACKETS: &[(&str, &str)] = &[("(", ")"), ("[", "]"), ("{", "}")];

fn closing(open: &str) -> Option<&'static str> {
    BRACKETS.iter().find(|it| it.0 == open).map(|it| it.1)
}

/// Tells whether a text of the program holds a bracket: it may have slipped behind the quote.
fn is_in_text(tokens: &Tokens<'_>, bracket: &str) -> bool {
    (0..tokens.len()).any(|at| {
        matches!(tokens.kind(at), Kind::Text | Kind::Piece) && tokens.text(at).contains(bracket)
    })
}

/// A bracket closes nothing: it, or one before it, is too many; or one is missing before it.
fn surplus(tokens: &Tokens<'_>, at: usize) -> Vec<Edit> {
    let close = tokens.source.get(at..=at).unwrap_or_default();
    let open = BRACKETS.iter().find(|it| it.1 == close).map_or("", |it| it.0);
    let mut edits = vec![Edit::new((at, at + 1), "")];
    for index in 0..tokens.len() {
        if tokens.text(index) == close && tokens.kind(index) == Kind::Close {
            edits.push(Edit::new(tokens.span(index, index + 1), ""));
        }
        let begins = index == 0 || !ends_operand(tokens, index - 1);
        if begins && tokens.around(index).is_none() && begins_operand(tokens, index) {
            edits.push(Edit::new((tokens.start(index), tokens.start(index)), open));
        }
    }
    if is_in_text(tokens, open) {
        edits.clear();
    }
    edits
}

/// A bracket stands where another one closes.
fn mismatched(tokens: &Tokens<'_>, at: usize, open: usize) -> Vec<Edit> {
    let Some(close) = closing(tokens.text(open)) else { return Vec::new() };
    let behind = tokens.source.get(at + 1..).unwrap_or_default();
    if is_in_text(tokens, close) || tokens.text(open) == "${" {
        return Vec::new();
    }
    let found = tokens.source.get(at..=at).unwrap_or_default();
    let mut edits = vec![Edit::new((at, at + 1), close)];
    if behind.starts_with(close) {
        edits.push(Edit::new((at, at + 2), [close, found].concat()));
    }
    edits.extend(unclosed(tokens, open));
    edits
}

/// A bracket is not closed: it is too many, or it closes at the end or at any place before. Before a
/// comma it would make another list, which nobody means.
fn unclosed(tokens: &Tokens<'_>, open: usize) -> Vec<Edit> {
    let Some(close) = closing(tokens.text(open)) else { return Vec::new() };
    if is_in_text(tokens, close) {
        return Vec::new();
    }
    let mut edits = Vec::new();
    let mut at = open + 1;
    while at <= tokens.len() {
        let ends = at > open + 1 && ends_operand(tokens, at - 1);
        let is_comma = matches!(tokens.mark(at), "," | ":");
        if (ends && !is_comma) || at == tokens.len() {
            edits.push(Edit::new((tokens.end(at), tokens.end(at)), close));
        }
        let is_closed = tokens.kind(at) == Kind::Open && !tokens.open.contains(&at);
        at = if is_closed { tokens.mate(at) + 1 } else { at + 1 };
    }
    edits.push(Edit::new(tokens.span(open, open + 1), ""));
    edits
}

fn ends_operand(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.kind(at), Kind::Name | Kind::Number | Kind::Text | Kind::Regex | Kind::Close)
}

fn begins_operand(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.kind(at), Kind::Name | Kind::Number | Kind::Text | Kind::Regex | Kind::Open)
}
