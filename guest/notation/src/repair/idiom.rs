//! Spellings of Python that can be read as JavaScript, where they mean something else. A program of
//! Python that has one is repaired only if all of them are.

use crate::repair::edit::Edit;
use crate::repair::pattern::{operand, operand_before};
use crate::repair::tokens::Tokens;
use crate::syntax::Kind;

/// A spelling that means another thing in Python.
pub(super) enum Idiom {
    /// It is written so in the notation.
    Known(Edit),
    /// What it means depends on values.
    Unknown,
}

/// Words that no program in JavaScript has where they stand.
const WORDS: &[&str] =
    &["and", "or", "not", "elif", "lambda", "def", "None", "True", "False", "is"];

/// Tells whether a program is one of Python.
fn is_python(tokens: &Tokens<'_>) -> bool {
    (0..tokens.len()).any(|at| {
        let is_member = at > 0 && matches!(tokens.mark(at - 1), "." | "?.");
        let is_key = tokens.mark(at + 1) == ":" && tokens.mark(at) != "else";
        let is_word = WORDS.contains(&tokens.mark(at)) && !is_member && !is_key;
        let is_loop = tokens.mark(at) == "for" && tokens.is_name(at + 1);
        is_word || is_loop
    })
}

/// The first spelling that means another thing in Python, if the program is one of Python.
pub(super) fn first(tokens: &Tokens<'_>) -> Option<Idiom> {
    if !is_python(tokens) {
        return None;
    }
    (0..tokens.len()).find_map(|at| at_token(tokens, at))
}

fn at_token(tokens: &Tokens<'_>, at: usize) -> Option<Idiom> {
    match tokens.mark(at) {
        "in" if !is_loop(tokens, at) => contained(tokens, at),
        "[" if tokens.mark(at + 1) == "-" && tokens.mate(at) == at + 3 => {
            let from = operand_before(tokens, at)?;
            let is_number = tokens.kind(at + 2) == Kind::Number;
            let subject = tokens.part(from, at);
            let now = format!("{subject}.at(-{})", tokens.text(at + 2));
            let edit = Edit::new(tokens.span(from, at + 4), now);
            is_number.then_some(Idiom::Known(edit))
        }
        "split" if tokens.text(at + 1) == "(" && tokens.mate(at + 1) == at + 2 => {
            let edit = Edit::new(tokens.span(at, at + 3), "trim().split(/\\s+/)");
            Some(Idiom::Known(edit))
        }
        "append" if is_statement(tokens, at) => {
            Some(Idiom::Known(Edit::new(tokens.span(at, at + 1), "push")))
        }
        _ => None,
    }
}

/// Tells whether the call of a member is a statement of its own.
fn is_statement(tokens: &Tokens<'_>, at: usize) -> bool {
    let is_call = at > 1 && tokens.mark(at - 1) == "." && tokens.text(at + 1) == "(";
    let from = operand_before(tokens, at - 1).filter(|_| is_call);
    let begins = from.is_some_and(|from| {
        tokens.begins_statement(from) || tokens.is_on_new_line(from) || tokens.mark(from - 1) == ":"
    });
    let behind = tokens.mate(at + 1) + 1;
    begins
        && (behind == tokens.len() || tokens.is_on_new_line(behind) || tokens.mark(behind) == ";")
}

/// Tells whether an `in` is that of a loop or a comprehension.
fn is_loop(tokens: &Tokens<'_>, at: usize) -> bool {
    let mut before = at;
    while before > 0 && (tokens.is_name(before - 1) || tokens.mark(before - 1) == ",") {
        before -= 1;
        if tokens.mark(before) == "for" {
            return true;
        }
    }
    false
}

/// `x in xs`, `x not in xs`
fn contained(tokens: &Tokens<'_>, at: usize) -> Option<Idiom> {
    let is_not = at > 0 && tokens.mark(at - 1) == "not";
    let end = if is_not { at - 1 } else { at };
    let (Some(from), Some(to)) = (operand_before(tokens, end), operand(tokens, at + 1)) else {
        return Some(Idiom::Unknown);
    };
    let (value, whole) = (tokens.part(from, end), tokens.part(at + 1, to));
    let is_list = tokens.text(at + 1) == "[" || tokens.kind(at + 1) == Kind::Text;
    let is_alone = to == at + 2 || tokens.text(at + 1) == "[" && tokens.mate(at + 1) + 1 == to;
    let not = if is_not { "!" } else { "" };
    if is_list && is_alone {
        let now = format!("{not}{whole}.includes({value})");
        return Some(Idiom::Known(Edit::new(tokens.span(from, to), now)));
    }
    if !is_record(tokens, whole) {
        return Some(Idiom::Unknown);
    }
    // Without `not`, JavaScript writes the test of a key as Python does.
    let now = format!("!({value} in {whole})");
    is_not.then(|| Idiom::Known(Edit::new(tokens.span(from, to), now)))
}

/// Tells whether all values that the program binds to a name are written as records.
fn is_record(tokens: &Tokens<'_>, name: &str) -> bool {
    let bound = |at: &usize| tokens.text(*at) == name && tokens.mark(at + 1) == "=";
    let mut values = (0..tokens.len()).filter(bound).map(|at| tokens.text(at + 2)).peekable();
    values.peek().is_some() && values.all(|value| value == "{")
}

/// `", ".join(xs)`, where the text stands before the point.
pub(super) fn joined(tokens: &Tokens<'_>) -> Option<Edit> {
    (0..tokens.len()).find_map(|at| {
        let is_join = tokens.kind(at) == Kind::Text
            && tokens.mark(at + 1) == "."
            && tokens.mark(at + 2) == "join"
            && tokens.text(at + 3) == "(";
        let (from, to) = (at + 4, tokens.mate(at + 3));
        if !is_join || from == to || (from..to).any(|it| tokens.mark(it) == "for") {
            return None;
        }
        let list = tokens.part(from, to);
        let is_operand = operand(tokens, from) == Some(to);
        let list = if is_operand { list.to_owned() } else { format!("({list})") };
        let now = format!("{list}.join({})", tokens.text(at));
        Some(Edit::new(tokens.span(at, to + 1), now))
    })
}
