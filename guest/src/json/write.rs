//! JSON from a tape, as text again: sorted keys, no blanks, numbers as they are written.

use crate::json::escape;
use crate::json::tape::{Span, Tape, Token, TokenId};

/// What is left to write, the next thing last.
enum Work {
    Value(TokenId),
    Key(Span),
    Str(&'static str),
}

/// The canonical text of the value at `root`. When it has more than `most` bytes, what is missing
/// of it is beyond these; to write the beginning of a long text takes no longer than its members
/// take to be sorted.
pub(crate) fn text(tape: &Tape, root: TokenId, most: usize) -> String {
    let (mut out, mut work) = (String::new(), vec![Work::Value(root)]);
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
                    let mut members = tape.sorted_members(id);
                    members.truncate(most);
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

/// As much of a text as has so many bytes, or all of it.
fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}
