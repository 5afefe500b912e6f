//! Values as text and text as values. JSON is read by `serde_json`, a level at a time.

use super::json::{self, quote};
use super::mapping;
use super::members::record;
use super::operation::bytes;
use super::pattern;
use super::text::{TEXT_UNIT, text};
use super::value::Value;
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use pif::fault::Code;
use pif::form::Form;
use pif::javascript::date;
use pif::limits::INTEGER_BITS;
use pif::number::float_text;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fmt;

/// Work of reading an integer without a sign: 19 digits that begin with no 0 are the first that
/// count, and then as two limbs.
pub(super) fn reading_work(digits: u64) -> u64 {
    let limbs = digits / 19;
    digits_work(if limbs == 1 { 2 } else { limbs })
}

/// A number as it is written, without sign and without the zeros that its first digit follows.
fn significant(number: &str) -> &str {
    let number = number.trim_start_matches('-');
    let digits = number.trim_start_matches('0');
    match digits.as_bytes().first() {
        Some(b'0'..=b'9') => digits,
        _ => number.get(number.len() - digits.len() - 1..).unwrap_or(number),
    }
}

/// Work of finding an integer's digits, or the integer of digits.
pub(super) fn digits_work(limbs: u64) -> u64 {
    let root = (0..=limbs).take_while(|root| root * root <= limbs).last().unwrap_or_default();
    if limbs > 1 { limbs * (8 + 2 * root) } else { 0 }
}

/// JSON being written.
pub(super) struct Text {
    pub(super) out: String,
    pub(super) work: u64,
    pub(super) longest: u64,
    pub(super) budget: u64,
}

impl Text {
    pub(super) fn used(&self) -> u64 {
        self.out.len() as u64 / TEXT_UNIT + self.work
    }

    pub(super) fn put(&mut self, piece: &str) -> Result<(), Code> {
        self.out.push_str(piece);
        if self.out.len() as u64 > self.longest {
            return Err(Code::TooLarge);
        }
        if self.used() > self.budget { Err(Code::OutOfFuel) } else { Ok(()) }
    }
}

/// An object, in order and with what stands twice.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

fn part<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, Code> {
    serde_json::from_str(text).map_err(|_| Code::Unparsable)
}

impl Evaluator {
    pub(super) fn reading(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        match (form, operands) {
            (Form::ToString, [Value::Text(_)]) => Ok(operands[0].clone()),
            (Form::ToString | Form::JsonText, [value]) => {
                self.json_of(value).map(|json| text(&json))
            }
            (Form::ParseInt, [Value::Text(s)]) => {
                self.charge_texts(&[s])?;
                let digits = s.strip_prefix('-').unwrap_or(s);
                if digits.is_empty() || digits.chars().any(|c| !c.is_ascii_digit()) {
                    return Err(Code::Unparsable);
                }
                let significant = digits.trim_start_matches('0');
                self.work(reading_work(significant.len() as u64))?;
                integer(&s.replacen(digits, significant, 1))
            }
            (Form::ParseFloat, [Value::Text(s)]) => {
                self.charge_texts(&[s])?;
                let known = regex::Regex::new(r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$");
                if known.is_ok_and(|known| known.is_match(s)) {
                    if significant(s).len() > 19 {
                        self.work(16)?;
                    }
                    float(s)
                } else {
                    Err(Code::Unparsable)
                }
            }
            (Form::JsonParse, [Value::Text(s)]) => {
                self.charge_texts(&[s])?;
                self.read_json(s)
            }
            (Form::CsvParse, [Value::Text(s)]) => {
                self.charge_texts(&[s])?;
                self.doubted_table(s, true)
            }
            (Form::CsvParse, [Value::Text(s), Value::Record(options)]) => {
                self.charge_texts(&[s])?;
                self.work(options.len() as u64)?;
                let (delimiter, has_header) = self.csv_options(options)?;
                match delimiter {
                    Some(delimiter) => self.table(s, delimiter, has_header),
                    None => self.doubted_table(s, has_header),
                }
            }
            (Form::CsvParse, [Value::Text(s), _]) => {
                self.charge_texts(&[s])?;
                Err(Code::TypeMismatch)
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// The JSON text of a value without functions.
    pub(super) fn json_of(&mut self, value: &Value) -> Result<String, Code> {
        let (longest, budget) = (self.longest() / 2, self.fuel);
        let mut json = Text { out: String::new(), work: 0, longest, budget };
        let end = self.data(&mut json, value);
        if end != Err(Code::TooLarge) {
            self.work(json.used())?;
        }
        end.map(|()| json.out)
    }

    /// The value of a JSON text, which is paid for.
    pub(super) fn read_json(&mut self, text: &str) -> Evaluated {
        let mut work = 0;
        check(part::<&RawValue>(text)?.get(), &mut work)?;
        self.work(work)?;
        value(part::<&RawValue>(text)?.get())
    }

    /// The delimiter, if it is given, and whether the first row names the columns.
    fn csv_options(&mut self, options: &[(String, Value)]) -> Result<(Option<char>, bool), Code> {
        let (mut delimiter, mut has_header) = (None, true);
        for (name, value) in options {
            self.work(bytes(name) / TEXT_UNIT)?;
            match (name.as_str(), value) {
                ("delimiter", Value::Text(text)) => match *text.chars().collect::<Vec<_>>() {
                    ['"' | '\r' | '\n'] => return Err(Code::OutOfRange),
                    [c] => delimiter = Some(c),
                    _ => return Err(Code::OutOfRange),
                },
                ("header", Value::Boolean(b)) => has_header = *b,
                ("delimiter" | "header", _) => return Err(Code::TypeMismatch),
                _ => return Err(Code::OutOfRange),
            }
        }
        Ok((delimiter, has_header))
    }

    /// Writes a value without functions.
    fn data(&self, json: &mut Text, value: &Value) -> Result<(), Code> {
        match value {
            Value::Function(_) => return Err(Code::TypeMismatch),
            Value::Unit => json.put("null")?,
            Value::Boolean(b) => json.put(if *b { "true" } else { "false" })?,
            Value::NotNumber => return Err(Code::NotFinite),
            Value::Float(n) if n.is_infinite() => return Err(Code::NotFinite),
            Value::Float(n) => {
                json.work += 8;
                json.put(&float_text(*n))?;
            }
            Value::Text(text) => json.put(&quote(text))?,
            Value::Quoted(term, _) => {
                json.work += self.weight(*term, None);
                json.put(&self.text_of(*term))?;
            }
            Value::Integer(n) => {
                json.work += digits_work(n.bits().div_ceil(64));
                json.put(&n.to_string())?;
            }
            Value::List(list) => {
                let mut comma = "[";
                for item in list.iter() {
                    json.work += 1;
                    json.put(comma)?;
                    self.data(json, item)?;
                    comma = ",";
                }
                json.put(if comma == "[" { "[]" } else { "]" })?;
            }
            Value::Pair(pair) => {
                json.work += 1;
                json.put("{\"pair\":[")?;
                self.data(json, &pair.0)?;
                json.put(",")?;
                self.data(json, &pair.1)?;
                json.put("]}")?;
            }
            Value::Map(of) | Value::Set(of) => {
                self.data(json, &mapping::as_list(of, matches!(value, Value::Map(_))))?;
            }
            Value::Record(members) => {
                json.put("{")?;
                for (index, (key, value)) in members.iter().enumerate() {
                    json.work += 1;
                    json.put(if index > 0 { "," } else { "" })?;
                    json.put(&quote(key))?;
                    json.put(":")?;
                    self.data(json, value)?;
                }
                json.put("}")?;
            }
            Value::Match(found) => return self.data(json, &Value::List(found.list.clone())),
            Value::Date(ms) => json.put(&quote(&date::text(*ms)))?,
            Value::Regex(regex) => json.put(&quote(&pattern::literal(regex)))?,
            Value::Continuation(next) => {
                json.put("{\"continuation\":true,\"input\":")?;
                self.data(json, &next.input)?;
                let tool = quote(&next.tool);
                json.put(&format!(",\"step\":{},\"tool\":{tool}}}", next.step))?;
            }
        }
        Ok(())
    }

    /// Reads CSV whose cells stand between commas. One wide column that holds another mark is likely
    /// to be several.
    fn doubted_table(&mut self, text: &str, has_header: bool) -> Evaluated {
        let table = self.table(text, ',', has_header)?;
        let first = rows(text.strip_prefix('\u{feff}').unwrap_or(text), ',')?.into_iter().next();
        if let Some([cell]) = first.as_deref()
            && cell.contains([';', '\t', '|'])
        {
            self.warnings.arise("likely-mistake", self.at);
        }
        Ok(table)
    }

    /// Reads CSV a character at a time.
    fn table(&mut self, text: &str, delimiter: char, has_header: bool) -> Evaluated {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut rows = rows(text, delimiter)?.into_iter();
        if !has_header {
            let rows: Vec<Vec<String>> = rows.collect();
            let columns = rows.first().map_or(0, Vec::len);
            if rows.iter().any(|row| row.len() != columns) {
                return Err(Code::Unparsable);
            }
            self.work((rows.len() * (1 + columns)) as u64)?;
            let lists = rows.into_iter().map(|row| row.into_iter().map(text_of).collect());
            return Ok(Value::List(lists.map(Value::List).collect()));
        }
        let Some(header) = rows.next() else {
            return Ok(Value::List(Vec::new().into_iter().collect()));
        };
        if header.iter().collect::<BTreeSet<_>>().len() < header.len() {
            return Err(Code::Unparsable);
        }
        let rows: Vec<Vec<String>> = rows.collect();
        if rows.iter().any(|row| row.len() != header.len()) {
            return Err(Code::Unparsable);
        }
        self.work((rows.len() * (1 + header.len())) as u64)?;
        let records = rows.into_iter().map(|row| {
            let cells = row.into_iter().map(text_of);
            record(header.iter().cloned().zip(cells))
        });
        Ok(Value::List(records.collect()))
    }
}

fn text_of(cell: String) -> Value {
    Value::Text(cell.into())
}

fn integer(digits: &str) -> Evaluated {
    // A digit has more than 3 bits: this one need not be found out.
    if digits.len() as u64 > INTEGER_BITS / 3 {
        return Err(Code::TooLarge);
    }
    let digits = if matches!(digits, "" | "-") { "0" } else { digits };
    let n: BigInt = digits.parse().map_err(|_| Code::Unparsable)?;
    if n.bits() > INTEGER_BITS { Err(Code::TooLarge) } else { Ok(Value::Integer(n)) }
}

fn float(text: &str) -> Evaluated {
    let n: f64 = text.parse().map_err(|_| Code::Unparsable)?;
    if n.is_finite() { Ok(Value::Float(n)) } else { Err(Code::NotFinite) }
}

/// Whether all of a JSON text is right, and the fuel of what is in it.
fn check(json: &str, work: &mut u64) -> Result<(), Code> {
    match json.as_bytes().first() {
        Some(b'[') => {
            for item in part::<Vec<&RawValue>>(json)? {
                *work += 1;
                check(item.get(), work)?;
            }
        }
        Some(b'{') => {
            let Members(members) = part(json)?;
            let mut keys = BTreeSet::new();
            for (_, member) in &members {
                *work += 1;
                check(member.get(), work)?;
            }
            if !members.iter().all(|(key, _)| keys.insert(key)) {
                return Err(Code::DuplicateKey);
            }
        }
        Some(b'"') => drop(part::<String>(json)?),
        Some(b'-' | b'0'..=b'9') => {
            let Some((digits, exponent)) = json::integer_parts(json) else { return Ok(()) };
            let digits = digits.trim_start_matches('-');
            let is_long = digits == "0" || exponent > INTEGER_BITS * 302 / 1000 + 1;
            *work += reading_work(digits.len() as u64 + if is_long { 0 } else { exponent });
        }
        _ => {}
    }
    Ok(())
}

/// The value of a JSON text that is right.
fn value(json: &str) -> Evaluated {
    Ok(match json.as_bytes().first() {
        Some(b'[') => {
            let items = part::<Vec<&RawValue>>(json)?;
            let items: Result<Vec<_>, _> = items.iter().map(|item| value(item.get())).collect();
            Value::List(items?.into_iter().collect())
        }
        Some(b'{') => {
            let Members(members) = part(json)?;
            let members = members.into_iter().map(|(key, member)| Ok((key, value(member.get())?)));
            record(members.collect::<Result<Vec<_>, Code>>()?)
        }
        Some(b'"') => text(part::<String>(json)?),
        Some(b't') => Value::Boolean(true),
        Some(b'f') => Value::Boolean(false),
        Some(b'n') => Value::Unit,
        _ => json::number(json)?,
    })
}

/// The cells of each row; a line with nothing in it is none.
fn rows(text: &str, delimiter: char) -> Result<Vec<Vec<String>>, Code> {
    #[derive(PartialEq)]
    enum State {
        Begin,
        Plain,
        Quoted,
        /// After a quote in a quoted cell.
        Quote,
        /// After a carriage return.
        Return,
    }
    let (mut rows, mut row, mut cell, mut state) =
        (Vec::new(), Vec::new(), String::new(), State::Begin);
    let mut open = false;
    let lines: Vec<char> = text.chars().collect();
    for (at, c) in lines.iter().copied().enumerate() {
        let return_ends = c == '\r' && lines.get(at + 1) == Some(&'\n');
        if state == State::Begin && row.is_empty() && (c == '\n' || return_ends) {
            continue;
        }
        open = true;
        state = match (state, c) {
            (State::Quoted, '"') => State::Quote,
            (State::Quote, '"') | (State::Quoted, _) => {
                cell.push(c);
                State::Quoted
            }
            (State::Begin, '"') => State::Quoted,
            (State::Begin | State::Plain | State::Quote, c) if c == delimiter => {
                row.push(std::mem::take(&mut cell));
                State::Begin
            }
            (_, '\n') => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
                open = false;
                State::Begin
            }
            (State::Begin | State::Plain | State::Quote, '\r') => State::Return,
            (State::Begin | State::Plain, c) if c != '"' => {
                cell.push(c);
                State::Plain
            }
            _ => return Err(Code::Unparsable),
        };
    }
    if matches!(state, State::Quoted | State::Return) {
        return Err(Code::Unparsable);
    }
    if open {
        row.push(cell);
        rows.push(row);
    }
    Ok(rows)
}
