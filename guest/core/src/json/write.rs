//! Writes a tape as JSON text: members in their order, no blanks, numbers as in the source.

use crate::json::escape;
use crate::json::tape::{Span, Tape, Token, TokenId};

/// Pieces left to write; the next one is last.
enum Work {
    Value(TokenId),
    Key(Span),
    Str(&'static str),
}

/// Returns the text of the value at `root` without blanks. Only its first `most` bytes are sure to be
/// complete.
#[must_use]
pub fn text(tape: &Tape, root: TokenId, most: usize) -> String {
    let mut out = String::new();
    let mut work = vec![Work::Value(root)];
    while out.len() <= most
        && let Some(next) = work.pop()
    {
        match next {
            Work::Str(text) => out.push_str(text),
            Work::Key(span) => string(tape, span, most, &mut out),
            Work::Value(id) => match tape.token(id) {
                Token::Null => out.push_str("null"),
                Token::Boolean(b) => out.push_str(if b { "true" } else { "false" }),
                Token::Integer(n) => out.push_str(&n.to_string()),
                Token::Number(span) => out.push_str(beginning(tape.str(span), most)),
                Token::Text(span) => string(tape, span, most, &mut out),
                Token::Array { .. } => {
                    out.push('[');
                    let mut parts = vec![Work::Str("]")];
                    let items: Vec<TokenId> = tape.items(id).take(most).collect();
                    for (index, item) in items.into_iter().enumerate().rev() {
                        parts.push(Work::Value(item));
                        separate(index, &mut parts);
                    }
                    work.extend(parts);
                }
                Token::Object { .. } => {
                    out.push('{');
                    let mut parts = vec![Work::Str("}")];
                    let members: Vec<(Span, TokenId)> = tape.members(id).take(most).collect();
                    for (index, (key, value)) in members.into_iter().enumerate().rev() {
                        parts.extend([Work::Value(value), Work::Str(":"), Work::Key(key)]);
                        separate(index, &mut parts);
                    }
                    work.extend(parts);
                }
            },
        }
    }
    out
}

fn separate(index: usize, parts: &mut Vec<Work>) {
    if index > 0 {
        parts.push(Work::Str(","));
    }
}

fn string(tape: &Tape, span: Span, most: usize, out: &mut String) {
    escape::string(beginning(tape.str(span), most), out);
}

/// Returns the first `most` bytes of a text, rounded down to a whole character.
fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}
