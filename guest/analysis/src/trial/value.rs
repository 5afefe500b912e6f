//! Values of JSON, as a tree.

use pif_core::fault::Fault;
use pif_core::json::escape;
use pif_core::json::tape::{Tape, Token, TokenId};

/// Deepest nesting of a value that is read.
const DEEPEST: usize = 64;

/// A value of JSON. Numbers keep their text, so that none is rounded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// A number as it is written.
    Number(String),
    /// A text.
    Text(String),
    /// An array.
    List(Vec<Value>),
    /// An object, with its members in their order.
    Record(Vec<(String, Value)>),
}

impl Value {
    /// Reads JSON. None if it nests deeper than 64 levels.
    pub fn read(json: &str) -> Result<Option<Self>, Fault> {
        let mut tape = Tape::default();
        let root = tape.parse(json)?;
        Ok(of_token(&tape, root, DEEPEST))
    }

    /// The value as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// A value has a depth that is known when it is made, so this recursion ends soon.
    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(b) => out.push_str(if *b { "true" } else { "false" }),
            Self::Number(n) => out.push_str(n),
            Self::Text(text) => escape::string(text, out),
            Self::List(elements) => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    element.write(out);
                }
                out.push(']');
            }
            Self::Record(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    escape::string(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// An integer.
    #[must_use]
    pub fn integer(n: i64) -> Self {
        Self::Number(n.to_string())
    }

    /// A text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// The value and all its parts, counted.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::List(elements) => 1 + elements.iter().map(Self::size).sum::<usize>(),
            Self::Record(members) => 1 + members.iter().map(|it| it.1.size()).sum::<usize>(),
            _ => 1,
        }
    }
}

fn of_token(tape: &Tape, token: TokenId, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match tape.token(token) {
        Token::Null => Value::Null,
        Token::Boolean(b) => Value::Boolean(b),
        Token::Integer(n) => Value::integer(n.into()),
        Token::Number(span) => Value::Number(tape.str(span).to_owned()),
        Token::Text(span) => Value::text(tape.str(span)),
        Token::Array { .. } => {
            let each = |item| of_token(tape, item, depth);
            Value::List(tape.items(token).map(each).collect::<Option<_>>()?)
        }
        Token::Object { .. } => {
            let each =
                |(key, value)| Some((tape.str(key).to_owned(), of_token(tape, value, depth)?));
            Value::Record(tape.members(token).map(each).collect::<Option<_>>()?)
        }
    })
}
