//! Submitted code: JSON, or the notation.

use crate::read::{is_too_long, read_text};
use pif_core::fault::{Code, Fault};
use pif_core::json::tape::{Tape, Token, TokenId};
use pif_language::form::Form;
use pif_language::hint;
use pif_language::parse::{Notation, Parsed, explain, first, read_all};
use pif_language::term::{Origin, TermId, Terms};

/// Reads submitted code, and goes on after what is wrong, which has no place in the term: up to so
/// many faults. These names are variables already.
///
/// A text is JSON if it begins with a bracket, reads as JSON, and is no plain data, which is a list
/// or a record in the notation; a key that stands twice is refused. Any other is the notation. What
/// reads as neither gets the fault of what it looks like.
#[inline(never)]
pub fn code(
    terms: &mut Terms,
    text: &str,
    free: &[&str],
    most: usize,
) -> Result<Parsed, Vec<Fault>> {
    if !text.trim_start().starts_with(['{', '[']) {
        return read_text(terms, text, Origin::Code, free, most);
    }
    let (tokens, bytes) = (terms.tape.len(), terms.tape.text.len());
    let wrong = match terms.tape.parse(text) {
        Ok(root) if !is_plain_data(&terms.tape, root) => {
            terms.add_origin(root, Origin::Code);
            return read_all(terms, root, Notation::Code, most);
        }
        Ok(_) => None,
        Err(fault) if is_too_long(&fault) => return Err(vec![fault]),
        Err(fault) if fault.code == Code::DuplicateKey => return Err(vec![explain(fault, text)]),
        Err(fault) => Some(fault),
    };
    terms.tape.cut(tokens, bytes);
    let looks_like_json = looks_like_json(text);
    match read_text(terms, text, Origin::Code, free, most) {
        Ok(parsed) if looks_like_json && is_form_in_disguise(terms, parsed.root) => {
            Err(wrong.map(|fault| explain(fault, text)).into_iter().collect())
        }
        Err(_) if looks_like_json && wrong.is_some() => {
            Err(wrong.map(|fault| explain(fault, text)).into_iter().collect())
        }
        read => read,
    }
}

/// Reads submitted code.
#[inline(never)]
pub fn parse(terms: &mut Terms, text: &str, free: &[&str]) -> Result<Parsed, Fault> {
    first(code(terms, text, free, 1))
}

/// Tells whether JSON has objects, and none with a key that is a form's or could be meant for one.
fn is_plain_data(tape: &Tape, root: TokenId) -> bool {
    let mut has_object = false;
    let mut members = tape.members(root);
    if let (Some((key, value)), None) = (members.next(), members.next()) {
        let is_scalar = !matches!(tape.token(value), Token::Array { .. } | Token::Object { .. });
        if hint::is_nearly_form(tape.str(key), is_scalar) {
            return false;
        }
    }
    for at in root..tape.len() {
        if !matches!(tape.token(at), Token::Object { .. }) {
            continue;
        }
        has_object = true;
        if tape.members(at).any(|(key, _)| hint::is_meant_for_form(tape.str(key))) {
            return false;
        }
    }
    has_object
}

/// Tells whether the first key of a text that begins with a brace is quoted, and a form's.
fn looks_like_json(text: &str) -> bool {
    let inner = text.trim_start_matches(|c: char| c.is_whitespace() || c == '[' || c == '{');
    let quote = inner.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(rest) = quote.and_then(|_| inner.get(1..)) else { return false };
    let key = rest.split(['"', '\'']).next().unwrap_or_default();
    text.contains('{') && hint::is_meant_for_form(key)
}

/// Tells whether a record, or the first element of a list, has a key that is a form's.
fn is_form_in_disguise(terms: &Terms, root: TermId) -> bool {
    let first = if terms.form(root) == Form::List { terms.operand(root, 0) } else { root };
    let names = terms.names(first);
    terms.form(first) == Form::Record
        && names.iter().any(|name| Form::of_key(terms.name(*name)).is_some())
}
