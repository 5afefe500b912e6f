//! Code: JSON, or the notation.

use crate::read::{is_too_long, read_text};
use pif_core::fault::{Code, Fault};
use pif_core::json::tape::{Tape, Token, TokenId};
use pif_language::form::Form;
use pif_language::hint;
use pif_language::parse::{Parsed, Reading, explain, first, read_all, within};
use pif_language::term::{Origin, TermId, Terms};

/// Reads code in which these names are variables.
///
/// A text is JSON if it begins with a bracket, reads as JSON, and is no plain data, which is a list
/// or a record in the notation; a key that stands twice is refused. Any other is the notation. What
/// reads as neither gets the fault of what it looks like.
pub fn read_code(
    terms: &mut Terms,
    text: &str,
    origin: Origin,
    free: &[&str],
) -> Result<Parsed, Fault> {
    first(check_code(terms, text, origin, free, 1))
}

/// Reads code, and goes on behind what is wrong: up to so many faults.
#[inline(never)]
pub fn check_code(
    terms: &mut Terms,
    text: &str,
    origin: Origin,
    free: &[&str],
    most: usize,
) -> Result<Parsed, Vec<Fault>> {
    if !text.trim_start().starts_with(['{', '[']) {
        return read_text(terms, text, origin, free, most);
    }
    let refuse = |fault, origin| Err(vec![within(explain(fault, text), origin)]);
    let (tokens, bytes) = (terms.tape.len(), terms.tape.text.len());
    let wrong = match terms.tape.parse(text) {
        Ok(root) if !is_plain_data(&terms.tape, root) => {
            terms.add_origin(root, origin);
            return read_all(terms, root, Reading::Code, most);
        }
        Ok(_) => None,
        Err(fault) if is_too_long(&fault) || fault.code == Code::DuplicateKey => {
            return refuse(fault, &origin);
        }
        Err(fault) => Some(fault).filter(|_| looks_like_json(text)),
    };
    terms.tape.cut(tokens, bytes);
    let read = read_text(terms, text, origin.clone(), free, most);
    match wrong {
        Some(fault) if read.as_ref().map_or(true, |it| is_form_in_disguise(terms, it.root)) => {
            refuse(fault, &origin)
        }
        _ => read,
    }
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
pub(crate) fn looks_like_json(text: &str) -> bool {
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
