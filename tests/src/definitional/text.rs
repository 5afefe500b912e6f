//! Texts, and the forms that take lists as well.

use super::lists::truncated;
use super::value::Value;
use super::{Evaluated, Evaluator, codec};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use pif::fault::Code;
use pif::form::Form;
use pif::limits::TEXT_BYTES;
use unicode_normalization::UnicodeNormalization as _;

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

/// The scripts that `normalize` knows.
fn has_normal_form(c: u32) -> bool {
    matches!(c,
        0..=0x482 | 0x488..=0x58f | 0x1100..=0x11ff | 0x1e00..=0x20cf | 0x20f1..=0x2bff
        | 0x2e00..=0x3029 | 0x3030..=0x9fff | 0xac00..=0xd7a3 | 0xe000..=0xf8ff | 0xfe00..=0xfe0f
        | 0xff00..=0xffef | 0x1_f000..=0x1_faff | 0x2_0000..=0x2_f7ff)
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
    pub(super) fn check_bytes(&self, bytes: &BigInt) -> Result<(), Code> {
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
            (Form::Split, [Text(_)]) => {
                self.work(1)?;
                Ok(Items(operands.iter().cloned().collect()))
            }
            (Form::Split, [_, Value::Regex(_), ..]) | (Form::IndexOf, [_, Value::Regex(_)]) => {
                if form == Form::Split || matches!(operands[0], Text(_)) {
                    return self.regex(form, operands);
                }
                Err(Code::TypeMismatch)
            }
            (Form::Split, [Text(s), Text(separator), most]) => {
                let most = limit(Some(most))?;
                self.charge_texts(&[s, separator])?;
                let chars = s.chars().map(|c| c.to_string());
                let parts: Vec<String> = match separator.is_empty() {
                    true => chars.collect(),
                    false => split(s, separator).into_iter().map(str::to_owned).collect(),
                };
                self.made_list(parts.iter().take(most).map(text).collect())
            }
            (Form::Split, [Text(s), Text(separator)]) => {
                self.charge_texts(&[s, separator])?;
                if separator.is_empty() {
                    self.charge_texts(&[s])?;
                    return self.made_list(s.chars().map(|c| text(c.to_string())).collect());
                }
                self.made_list(split(s, separator).iter().map(text).collect())
            }
            (Form::Join, [Items(parts)]) => self.join(parts, ","),
            (Form::Join, [Items(parts), Text(separator)]) => self.join(parts, separator),
            (Form::Slice, [Text(s), bounds @ ..]) => {
                let (from, to) = (start(bounds.first())?, optional(bounds.get(1))?);
                self.charge_texts(&[s])?;
                self.made(&slice(&chars(s), &from, to.as_ref()).iter().collect::<String>())
            }
            (Form::Slice, [Items(list), bounds @ ..]) => {
                let (from, to) = (start(bounds.first())?, optional(bounds.get(1))?);
                let items = list.iter().cloned().collect::<Vec<_>>();
                self.work(items.len() as u64)?;
                Ok(Value::List(slice(&items, &from, to.as_ref()).into_iter().collect()))
            }
            (Form::Contains, [Value::Set(_), _]) => self.of_mapping(form, operands),
            (
                Form::Contains | Form::IndexOf | Form::LastIndexOf,
                [Text(s), Text(part), from @ ..],
            ) => {
                let from = start(from.first())?.max(BigInt::ZERO);
                self.charge_texts(&[s, part])?;
                let (s, part) = (chars(s), chars(part));
                let from = from.to_usize().unwrap_or(usize::MAX).min(s.len());
                let last = s.len().checked_sub(part.len());
                let starts = last.map_or(0..0, |last| from..last + 1);
                let mut starts = starts.filter(|at| s[*at..].starts_with(&part));
                let place = match form {
                    _ if part.is_empty() && form != Form::LastIndexOf => Some(from),
                    Form::LastIndexOf => starts.last(),
                    _ => starts.next(),
                };
                Ok(found(form, place))
            }
            (Form::Contains | Form::IndexOf | Form::LastIndexOf, [Items(list), x, from @ ..]) => {
                let from = start(from.first())?;
                let items: Vec<Value> = list.iter().cloned().collect();
                self.work(items.len() as u64)?;
                let from = place(&from, items.len());
                let mut places: Vec<usize> = (from..items.len()).collect();
                if form == Form::LastIndexOf {
                    places.reverse();
                }
                for index in places {
                    if self.equal(&items[index], x)? {
                        return Ok(found(form, Some(index)));
                    }
                }
                Ok(found(form, None))
            }
            (Form::StartsWith | Form::EndsWith, [Text(s), Text(part), at @ ..]) => {
                let at = optional(at.first())?;
                self.charge_texts(&[s, part])?;
                let mut chars = (chars(s), chars(part));
                if let Some(at) = at {
                    let at = at.clamp(BigInt::ZERO, chars.0.len().into());
                    let at = at.to_usize().unwrap_or_default();
                    let rest = chars.0.split_off(at);
                    if form == Form::StartsWith {
                        chars.0 = rest;
                    }
                }
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
            (Form::Normalize, [Text(s)]) => self.normalize(s, "NFC"),
            (Form::Normalize, [Text(s), Text(form)]) => self.normalize(s, form),
            _ => self.reading(form, operands),
        }
    }

    fn normalize(&mut self, s: &str, form: &str) -> Evaluated {
        self.charge_texts(&[s, form])?;
        if !matches!(form, "NFC" | "NFD") {
            return Err(Code::OutOfRange);
        }
        if s.is_ascii() {
            return self.made(s);
        }
        self.charge_texts(&[s, s, s])?;
        if s.len() as u64 > self.longest() / 3 {
            return Err(Code::TooLarge);
        }
        if !s.chars().all(|c| has_normal_form(c.into())) {
            return Err(Code::OutOfRange);
        }
        let made: String = if form == "NFC" { s.nfc().collect() } else { s.nfd().collect() };
        self.made(&made)
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

/// A place in a list or text, if there is one.
fn optional(place: Option<&Value>) -> Result<Option<BigInt>, Code> {
    match place {
        None | Some(Value::Unit) => Ok(None),
        Some(n) => truncated(n).map(Some),
    }
}

/// The most elements that are wanted.
pub(super) fn limit(most: Option<&Value>) -> Result<usize, Code> {
    match most {
        None | Some(Value::Unit) => Ok(usize::MAX),
        Some(Value::Integer(n)) => Ok(n.to_usize().unwrap_or(usize::MAX)),
        Some(_) => Err(Code::TypeMismatch),
    }
}

/// The place where something begins.
fn start(place: Option<&Value>) -> Result<BigInt, Code> {
    optional(place).map(Option::unwrap_or_default)
}

fn found(form: Form, place: Option<usize>) -> Value {
    match (form, place) {
        (Form::Contains, place) => Value::Boolean(place.is_some()),
        (_, Some(place)) => number(place),
        (_, None) => Value::Unit,
    }
}
