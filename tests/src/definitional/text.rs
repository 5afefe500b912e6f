//! Texts, and the forms that take lists as well.

use super::value::{List, Value};
use super::{Evaluated, Evaluator, codec};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use pif_guest::fault::Code;
use pif_guest::form::Form;
use pif_guest::limits::TEXT_BYTES;

/// Bytes of a text that are one unit of work.
pub(super) const TEXT_UNIT: u64 = 8;

/// Fuel of a text.
pub(super) fn units(text: &str) -> u64 {
    text.len() as u64 / TEXT_UNIT
}

pub(super) fn text(text: impl AsRef<str>) -> Value {
    Value::Text(text.as_ref().into())
}

fn number(n: usize) -> Value {
    Value::Integer(n.into())
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// The place of an index that may count from the end, within bounds.
fn place(index: &BigInt, length: usize) -> usize {
    let index = if index.is_negative() { index + length } else { index.clone() };
    let most = BigInt::from(length);
    index.clamp(BigInt::ZERO, most).to_usize().unwrap_or(length)
}

fn slice<T: Clone>(items: &[T], from: &BigInt, to: Option<&BigInt>) -> Vec<T> {
    let to = to.map_or(items.len(), |to| place(to, items.len()));
    let from = place(from, items.len());
    if from < to { items[from..to].to_vec() } else { Vec::new() }
}

/// Lines, the last of which may lack its end.
fn lines(text: &str) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for c in text.chars() {
        line.push(c);
        if c == '\n' {
            line.pop();
            if line.ends_with('\r') {
                line.pop();
            }
            lines.push(std::mem::take(&mut line));
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Where a part begins: places of its first bytes, none within another.
fn places(text: &str, part: &str) -> Vec<usize> {
    let (mut places, mut at) = (Vec::new(), 0);
    while at + part.len() <= text.len() {
        if text.as_bytes()[at..].starts_with(part.as_bytes()) {
            places.push(at);
            at += part.len().max(1);
        } else {
            at += 1;
        }
    }
    places
}

fn split<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for at in places(text, separator) {
        parts.push(&text[from..at]);
        from = at + separator.len();
    }
    parts.push(&text[from..]);
    parts
}

impl Evaluator {
    /// Fuel of texts that are gone through.
    pub(super) fn charge_texts(&mut self, texts: &[&str]) -> Result<(), Code> {
        self.work(texts.iter().map(|text| units(text)).sum())
    }

    /// A text that has been made.
    pub(super) fn made(&mut self, made: &str) -> Evaluated {
        self.charge_texts(&[made])?;
        Ok(text(made))
    }

    /// A list that has been made.
    pub(super) fn made_list(&mut self, items: Vec<Value>) -> Evaluated {
        self.work(items.len() as u64)?;
        Ok(Value::List(items.into_iter().collect()))
    }

    /// Bytes of the longest text that a form can build: it must fit into half the memory.
    pub(super) fn longest(&self) -> u64 {
        TEXT_BYTES.min(self.limits.memory / 8 * 8) / 2
    }

    /// Refuses a text that would be longer than any.
    fn check_bytes(&self, bytes: &BigInt) -> Result<(), Code> {
        if *bytes > self.longest().into() { Err(Code::TooLarge) } else { Ok(()) }
    }

    #[expect(clippy::too_many_lines, reason = "a dispatch table")]
    pub(super) fn texts(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        use Value::{Integer, List as Items, Text};
        match (form, operands) {
            (Form::Upper | Form::Lower | Form::Trim, [Text(s)]) => {
                self.charge_texts(&[s])?;
                if form != Form::Trim && !s.is_ascii() {
                    self.charge_texts(&[s, s, s])?;
                }
                let changed = match form {
                    Form::Upper => s.chars().flat_map(char::to_uppercase).collect(),
                    Form::Lower => s.to_lowercase(),
                    _ => s.trim_matches(char::is_whitespace).to_owned(),
                };
                self.made(&changed)
            }
            (Form::Chars, [Text(s)]) => {
                self.charge_texts(&[s])?;
                self.made_list(s.chars().map(|c| text(c.to_string())).collect())
            }
            (Form::Lines, [Text(s)]) => {
                self.charge_texts(&[s])?;
                self.made_list(lines(s).iter().map(text).collect())
            }
            (Form::Split, [Text(s), Text(separator)]) => {
                self.charge_texts(&[s, separator])?;
                if separator.is_empty() {
                    self.charge_texts(&[s])?;
                    return self.made_list(s.chars().map(|c| text(c.to_string())).collect());
                }
                self.made_list(split(s, separator).iter().map(text).collect())
            }
            (Form::Join, [Items(parts), Text(separator)]) => self.join(parts, separator),
            (Form::Slice, [Text(s), Integer(from), to @ ..]) => {
                let to = optional(to)?;
                self.charge_texts(&[s])?;
                self.made(&slice(&chars(s), from, to).iter().collect::<String>())
            }
            (Form::Slice, [Items(list), Integer(from), to @ ..]) => {
                let (to, items) = (optional(to)?, list.iter().cloned().collect::<Vec<_>>());
                self.work(items.len() as u64)?;
                Ok(Value::List(slice(&items, from, to).into_iter().collect()))
            }
            (Form::Contains | Form::IndexOf, [Text(s), Text(part)]) => {
                self.charge_texts(&[s, part])?;
                let (s, part) = (chars(s), chars(part));
                let last = s.len().checked_sub(part.len());
                let mut starts = last.map_or(0..0, |last| 0..last + 1);
                Ok(found(form, starts.find(|at| s[*at..].starts_with(&part))))
            }
            (Form::Contains | Form::IndexOf, [Items(list), x]) => {
                self.work(list.iter().count() as u64)?;
                for (index, item) in list.iter().enumerate() {
                    if self.equal(item, x)? {
                        return Ok(found(form, Some(index)));
                    }
                }
                Ok(found(form, None))
            }
            (Form::StartsWith | Form::EndsWith, [Text(s), Text(part)]) => {
                self.charge_texts(&[s, part])?;
                let mut chars = (chars(s), chars(part));
                if form == Form::EndsWith {
                    chars.0.reverse();
                    chars.1.reverse();
                }
                Ok(Value::Boolean(chars.0.starts_with(&chars.1)))
            }
            (Form::Replace, [Text(s), Text(from), Text(to)]) => self.replace(s, from, to),
            (Form::Repeat, [Text(s), Integer(n)]) => {
                if n.is_negative() {
                    return Err(Code::OutOfRange);
                }
                self.check_bytes(&(n * s.len()))?;
                self.charge_texts(&[s])?;
                let n = if s.is_empty() { 0 } else { n.to_usize().unwrap_or_default() };
                self.made(&(0..n).map(|_| s.as_ref()).collect::<String>())
            }
            (Form::PadLeft | Form::PadRight, [Text(s), Integer(n)]) => self.pad(form, s, n, " "),
            (Form::PadLeft | Form::PadRight, [Text(s), Integer(n), Text(fill)]) => {
                self.pad(form, s, n, fill)
            }
            (
                Form::Matches
                | Form::FindAll
                | Form::RegexReplace
                | Form::RegexSplit
                | Form::Captures,
                _,
            ) => self.regex(form, operands),
            (Form::Encode | Form::Decode, [Text(s), Text(encoding)]) => {
                self.charge_texts(&[s, encoding])?;
                if form == Form::Encode {
                    let encoded = codec::encode(s, encoding).ok_or(Code::OutOfRange)?;
                    return self.made(&encoded);
                }
                self.made(&codec::decode(s, encoding)?)
            }
            (Form::FormatNumber, [n, options @ ..]) => self.format_number(n, options),
            (Form::CharCode, [Text(s)]) => {
                self.charge_texts(&[s])?;
                let first = s.chars().next().ok_or(Code::OutOfRange)?;
                Ok(Integer(u32::from(first).into()))
            }
            (Form::FromCharCode, [Integer(n)]) => {
                let one = n.to_u32().and_then(char::from_u32).ok_or(Code::OutOfRange)?;
                Ok(text(one.to_string()))
            }
            _ => self.reading(form, operands),
        }
    }

    fn join(&mut self, parts: &List, separator: &str) -> Evaluated {
        self.work(parts.iter().count() as u64)?;
        let texts = parts.iter().map(|part| match part {
            Value::Text(text) => Ok(text.as_ref()),
            _ => Err(Code::TypeMismatch),
        });
        let texts = texts.collect::<Result<Vec<&str>, _>>()?;
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let between = BigInt::from(separator.len()) * texts.len().saturating_sub(1);
        self.check_bytes(&(between + bytes))?;
        self.charge_texts(&[separator])?;
        self.made(&texts.join(separator))
    }

    fn replace(&mut self, s: &str, from: &str, to: &str) -> Evaluated {
        if from.is_empty() {
            return Err(Code::OutOfRange);
        }
        self.charge_texts(&[s, from, to])?;
        let parts = split(s, from);
        let kept: usize = parts.iter().map(|part| part.len()).sum();
        self.check_bytes(&(BigInt::from(to.len()) * (parts.len() - 1) + kept))?;
        self.made(&parts.join(to))
    }

    fn pad(&mut self, form: Form, s: &str, n: &BigInt, fill: &str) -> Evaluated {
        if n.is_negative() || fill.is_empty() {
            return Err(Code::OutOfRange);
        }
        // What does not fit by far is not filled; for the rest the bytes are counted.
        self.check_bytes(n)?;
        let missing = n.to_usize().unwrap_or_default().saturating_sub(s.chars().count());
        let bytes: usize = fill.chars().cycle().take(missing).map(char::len_utf8).sum();
        self.check_bytes(&(s.len() + bytes).into())?;
        self.charge_texts(&[s, fill])?;
        let padding: String = fill.chars().cycle().take(missing).collect();
        self.made(&match form {
            Form::PadLeft => format!("{padding}{s}"),
            _ => format!("{s}{padding}"),
        })
    }
}

/// The operand after the others, if it is there.
fn optional(rest: &[Value]) -> Result<Option<&BigInt>, Code> {
    match rest {
        [] => Ok(None),
        [Value::Integer(n)] => Ok(Some(n)),
        _ => Err(Code::TypeMismatch),
    }
}

fn found(form: Form, place: Option<usize>) -> Value {
    match (form, place) {
        (Form::Contains, place) => Value::Boolean(place.is_some()),
        (_, Some(place)) => number(place),
        (_, None) => Value::Unit,
    }
}
