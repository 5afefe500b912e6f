//! Values and terms as canonical JSON, and plain JSON as values; both by recursion.

use super::members::record;
use super::value::Value;
use super::{Evaluated, Evaluator, Finished};
use super::{canonical, mapping, pattern};
use num_bigint::BigInt;
use num_traits::Zero;
use pif::fault::Code;
use pif::javascript::date;
use pif::json::{Tape, Token, TokenId};
use pif::limits::INTEGER_BITS;
use pif::number::float_text;
use pif::term::TermId;
use std::fmt::{Arguments, Write as _};

/// Plain JSON as a value.
pub(super) fn read(text: &str) -> Evaluated {
    let mut tape = Tape::default();
    let root = tape.parse(text).map_err(|fault| fault.code)?;
    value(&tape, root)
}

fn value(tape: &Tape, token: TokenId) -> Evaluated {
    Ok(match tape.token(token) {
        Token::Null => Value::Unit,
        Token::Boolean(b) => Value::Boolean(b),
        Token::Integer(n) => Value::Integer(n.into()),
        Token::Number(span) => return number(tape.str(span)),
        Token::Text(span) => Value::Text(tape.str(span).into()),
        Token::Array { .. } => {
            let items: Result<_, _> = tape.items(token).map(|item| value(tape, item)).collect();
            Value::List(items?)
        }
        Token::Object { .. } => {
            let members = tape.members(token);
            let members = members.map(|(key, v)| Ok((tape.str(key).to_owned(), value(tape, v)?)));
            record(members.collect::<Result<Vec<_>, Code>>()?)
        }
    })
}

/// Digits and exponent of a number that is an integer: it has no point and no negative exponent.
pub(super) fn integer_parts(text: &str) -> Option<(&str, u64)> {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    if text.contains('.') || exponent.starts_with('-') {
        return None;
    }
    Some((digits, exponent.parse().unwrap_or(u64::MAX)))
}

pub(super) fn number(text: &str) -> Evaluated {
    let Some((digits, exponent)) = integer_parts(text) else {
        let n = text.parse::<f64>().map_err(|_| Code::Internal)?;
        return if n.is_finite() { Ok(Value::Float(n)) } else { Err(Code::NotFinite) };
    };
    let n = digits.parse::<BigInt>().map_err(|_| Code::Internal)?;
    // No power of ten beyond the number of bits is an integer.
    let exponent = if n.is_zero() { 0 } else { exponent };
    if exponent > INTEGER_BITS {
        return Err(Code::TooLarge);
    }
    let n = n * BigInt::from(10).pow(u32::try_from(exponent).map_err(|_| Code::Internal)?);
    if n.bits() > INTEGER_BITS { Err(Code::TooLarge) } else { Ok(Value::Integer(n)) }
}

/// Appends; a `String` takes everything.
fn put(out: &mut String, arguments: Arguments<'_>) {
    let _ = out.write_fmt(arguments);
}

/// A text in double quotes.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' => put(&mut out, format_args!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// An object; the members must be in the order of their keys.
pub(super) fn object<K: AsRef<str>>(members: impl IntoIterator<Item = (K, String)>) -> String {
    let members = members.into_iter().map(|(key, json)| format!("{}:{json}", quote(key.as_ref())));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

pub(super) fn array(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

impl Evaluator {
    /// The result of a run.
    pub(super) fn print(&self, value: &Value) -> Result<Finished, Code> {
        let mut json = String::new();
        if let Value::Continuation(continuation) = value {
            json.push_str(
                r#"{"message":"Recursive step needed. Call run again with:","next_input":"#,
            );
            self.write(&mut json, &continuation.input)?;
            let tool = quote(&continuation.tool);
            let step = continuation.step;
            put(&mut json, format_args!(r#","step":{step},"tool":{tool},"type":"continuation"}}"#));
        } else {
            self.write(&mut json, value)?;
        }
        self.check_size(&json)?;
        Ok(Finished { json, kind: value.kind() })
    }

    fn check_size(&self, json: &str) -> Result<(), Code> {
        let size = u32::try_from(json.len()).unwrap_or(u32::MAX);
        if size > self.limits.output { Err(Code::TooLarge) } else { Ok(()) }
    }

    fn write(&self, out: &mut String, value: &Value) -> Result<(), Code> {
        self.check_size(out)?;
        match value {
            Value::Unit => out.push_str("null"),
            Value::Boolean(b) => out.push_str(&b.to_string()),
            Value::Integer(n) => out.push_str(&n.to_string()),
            Value::NotNumber => return Err(Code::NotFinite),
            Value::Float(n) if n.is_infinite() => return Err(Code::NotFinite),
            Value::Float(n) => out.push_str(&float_text(*n)),
            Value::Text(text) => {
                self.check_size(text)?;
                out.push_str(&quote(text));
            }
            Value::List(list) => return self.write_items(out, list.iter()),
            Value::Pair(pair) => {
                out.push_str(r#"{"pair":"#);
                self.write_items(out, [&pair.0, &pair.1])?;
                out.push('}');
            }
            Value::Record(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    put(out, format_args!("{comma}{}:", quote(key)));
                    self.write(out, value)?;
                }
                out.push('}');
            }
            Value::Map(of) | Value::Set(of) => {
                let is_map = matches!(value, Value::Map(_));
                return self.write(out, &mapping::as_list(of, is_map));
            }
            Value::Function(_) => out.push_str("\"<function>\""),
            Value::Quoted(term, _) => out.push_str(&self.text_of(*term)),
            Value::Match(found) => return self.write_items(out, found.list.iter()),
            Value::Date(ms) => out.push_str(&quote(&date::text(*ms))),
            Value::Regex(regex) => out.push_str(&quote(&pattern::literal(regex))),
            Value::Continuation(continuation) => {
                out.push_str(r#"{"continuation":true,"input":"#);
                self.write(out, &continuation.input)?;
                let tool = quote(&continuation.tool);
                put(out, format_args!(r#","step":{},"tool":{tool}}}"#, continuation.step));
            }
        }
        Ok(())
    }

    fn write_items<'v>(
        &self,
        out: &mut String,
        items: impl IntoIterator<Item = &'v Value>,
    ) -> Result<(), Code> {
        out.push('[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            self.write(out, item)?;
        }
        out.push(']');
        Ok(())
    }

    /// The canonical text of a term.
    pub(super) fn text_of(&self, term: TermId) -> String {
        canonical::text(&self.terms, term)
    }
}
