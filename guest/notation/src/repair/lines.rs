//! Commas: those that are missing between the lines of a list, a record or a call, and those that
//! are written as another mark.

use crate::repair::edit::Edit;
use crate::repair::tokens::Tokens;
use crate::syntax::Kind;

/// The comma or the `:` that is meant at a token within brackets.
pub(super) fn separators(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let at = tokens.at(byte)?;
    let open = tokens.around(at)?;
    let bracket = tokens.text(open);
    let is_record = bracket == "{" && is_record(tokens, open);
    if !is_record && !matches!(bracket, "[" | "(") {
        return None;
    }
    let here = tokens.span(at, at + 1);
    match tokens.mark(at) {
        ";" if is_record || bracket == "[" || has_comma_or_call(tokens, open) => {
            let ends = tokens.kind(at + 1) == Kind::Close;
            return Some(Edit::new(here, if ends { "" } else { "," }));
        }
        "=" | "=>" if is_record && is_key(tokens, open, at) => {
            return Some(Edit::new(here, ":"));
        }
        "," => return None,
        _ => {}
    }
    // The comma may stand within a text.
    let is_inside = |at: usize| tokens.kind(at) == Kind::Text && tokens.text(at).contains(',');
    if is_inside(at) || is_inside(at - 1) {
        return None;
    }
    let is_apart = tokens.is_on_new_line(at)
        || bracket == "[" && is_plain(tokens, at) && is_plain(tokens, at - 1);
    let is_operand = |at| {
        matches!(tokens.kind(at), Kind::Name | Kind::Number | Kind::Text)
            || tokens.kind(at) == Kind::Open && tokens.text(at) != "("
            || is_record && tokens.text(at) == "..."
    };
    let ends = matches!(tokens.kind(at - 1), Kind::Name | Kind::Number | Kind::Text | Kind::Close);
    let is_item = is_operand(at) && ends && at > open + 1;
    (is_apart && is_item).then(|| Edit::new((tokens.end(at), tokens.end(at)), ","))
}

/// The `;` before a list or a template in a line of its own, which JavaScript reads as an index or
/// an argument of what stands before it.
pub(super) fn statement_end(tokens: &Tokens<'_>, byte: usize) -> Option<Edit> {
    let here = tokens.at(byte)?;
    let template = (here..tokens.len()).find(|at| {
        let is_template = tokens.kind(*at) == Kind::Open && tokens.text(*at) == "`";
        let is_ended = *at == 0 || matches!(tokens.mark(*at - 1), ";" | "}" | "{");
        is_template && !is_ended && tokens.begins_line(*at) && tokens.has_lines(*at)
    });
    if let Some(template) = template {
        return Some(Edit::new((tokens.end(template), tokens.end(template)), ";"));
    }
    let open = tokens.around(here)?;
    let is_list = tokens.text(open) == "[" && tokens.is_on_new_line(open) && tokens.has_lines(open);
    let is_ended = open == 0 || matches!(tokens.mark(open - 1), ";" | "}" | "{");
    let is_several = !is_ended && tokens.mark(tokens.at(byte)?) == ",";
    (is_list && is_several).then(|| Edit::new((tokens.end(open), tokens.end(open)), ";"))
}

fn is_plain(tokens: &Tokens<'_>, at: usize) -> bool {
    matches!(tokens.kind(at), Kind::Number | Kind::Text)
}

/// Tells whether parentheses are those of a call.
fn has_comma_or_call(tokens: &Tokens<'_>, open: usize) -> bool {
    let before = open.checked_sub(1).map(|at| tokens.kind(at));
    matches!(before, Some(Kind::Name | Kind::Close))
        && !tokens.is_on_new_line(open)
        && !matches!(tokens.text(open - 1), "for" | "if" | "while")
}

/// Tells whether braces begin with a key, as those of a record do.
fn is_record(tokens: &Tokens<'_>, open: usize) -> bool {
    let is_key = matches!(tokens.kind(open + 1), Kind::Name | Kind::Text | Kind::Number);
    let before = open.checked_sub(1).map_or("", |at| tokens.mark(at));
    let is_value = matches!(before, "(" | "[" | "," | ":" | "=" | "=>" | "return" | "?" | "");
    is_key
        && (tokens.mark(open + 2) == ":"
            || is_value && matches!(tokens.mark(open + 2), "=" | "=>" | ","))
        || tokens.text(open + 1) == "..."
}

/// Tells whether the token before a mark is the key of a member.
fn is_key(tokens: &Tokens<'_>, open: usize, at: usize) -> bool {
    let key = at - 1;
    let is_name = matches!(tokens.kind(key), Kind::Name | Kind::Text | Kind::Number);
    is_name && (key == open + 1 || tokens.mark(key - 1) == ",")
}
