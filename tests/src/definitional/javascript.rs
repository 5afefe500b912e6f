//! Forms that mean what JavaScript's operators and functions mean, as far as they are about numbers
//! and truth. What a float looks like, and the elementary functions, are taken from
//! `figures` and `functions`: recorded answers of an engine are their test.

use super::keys::{count, length_work};
use super::numbers::nearest;
use super::operation::{float, integral, is_number, limbs, mismatch};
use super::reading::{digits_work, reading_work};
use super::value::Value;
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive, Zero};
use pif::fault::Code;
use pif::form::Form;
use pif::javascript::date;
use pif::limits::{INTEGER_BITS, TEXT_BYTES};
use pif::{figures, functions};
use regex::Regex;
use std::cmp::Ordering;

/// Whether a form is one of these.
pub(super) fn knows(form: Form) -> bool {
    use Form::{AsText, Bits, Divide, LeadingNumber, LocaleCompare, Math, NumberIs, NumberText};
    matches!(form, Divide | Math | Bits | ToNumber | LeadingNumber | NumberText | NumberIs)
        || matches!(form, Form::Plus | Form::Truth | Typeof | AsText | Stringify | LocaleCompare)
}
use Form::{Stringify, ToNumber, Typeof};

/// Whether a value counts as true.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Unit | Value::NotNumber => false,
        Value::Boolean(b) => *b,
        Value::Integer(n) => !n.is_zero(),
        Value::Float(n) => *n != 0.0,
        Value::Text(text) => !text.is_empty(),
        _ => true,
    }
}

pub(super) fn text(text: &str) -> Value {
    Value::Text(text.into())
}

pub(super) fn integer(n: BigInt) -> Evaluated {
    if n.bits() > INTEGER_BITS { Err(Code::TooLarge) } else { Ok(Value::Integer(n)) }
}

fn finite(n: f64) -> Evaluated {
    if n.is_finite() { Ok(Value::Float(n)) } else { Err(Code::NotFinite) }
}

/// A number that is not infinite.
fn number(value: &Value) -> Result<&Value, Code> {
    match value {
        Value::Float(n) if n.is_infinite() => Err(Code::NotFinite),
        value if is_number(value) => Ok(value),
        value => Err(mismatch(value)),
    }
}

pub(super) fn string(value: &Value) -> Result<&str, Code> {
    match value {
        Value::Text(text) => Ok(text),
        value => Err(mismatch(value)),
    }
}

/// A value that has a text beside another one, and the work of it.
pub(super) fn scalar(value: &Value) -> Option<(String, u64)> {
    Some(match value {
        Value::Unit => ("null".to_owned(), 0),
        Value::Boolean(b) => (b.to_string(), 0),
        Value::Integer(n) => (n.to_string(), digits_work(n.bits().div_ceil(64))),
        Value::Float(n) => (figures::text(*n), 8),
        Value::NotNumber => ("NaN".to_owned(), 0),
        Value::Date(ms) => (date::spoken(*ms), 8),
        _ => return None,
    })
}

impl Evaluator {
    pub(super) fn javascript(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        match (form, operands) {
            (Form::Divide, [a, b, mode @ ..]) => self.divide(a, b, mode.first()),
            (Form::Plus, _) => self.plus(operands),
            (Form::Truth, [value]) => Ok(Value::Boolean(is_true(value))),
            (Form::Math, [name, numbers @ ..]) => self.math(name, numbers),
            (Form::Bits, [name, numbers @ ..]) => self.bits(name, numbers),
            (Form::ToNumber, [value]) => self.number_of(value),
            (Form::LeadingNumber, [value, base @ ..]) => self.leading_number(value, base.first()),
            (Form::NumberText, [n, style, count @ ..]) => self.number_text(n, style, count.first()),
            (Form::NumberIs, [value, what]) => number_is(value, string(what)?),
            (form, _) => self.in_words(form, operands),
        }
    }

    fn divide(&mut self, a: &Value, b: &Value, mode: Option<&Value>) -> Evaluated {
        let (a, b) = (number(a)?, number(b)?);
        let mode = mode.map(string).transpose()?;
        if let Some(mode) = mode {
            self.charge_texts(&[mode])?;
            if !matches!(mode, "floor" | "ceil" | "round" | "trunc") {
                return Err(Code::OutOfRange);
            }
        }
        self.pay_for_quotient(a, b)?;
        let half = BigInt::from(2);
        // A fraction with a positive divisor, rounded.
        let rounded = |mode: &str, a: &BigInt, b: &BigInt| match mode {
            "floor" => a.div_floor(b),
            "ceil" => -(-a).div_floor(b),
            "trunc" => a.abs() / b * a.signum(),
            _ => (a * &half + b).div_floor(&(b * &half)),
        };
        if let (Value::Integer(a), Value::Integer(b)) = (a, b) {
            if b.is_zero() {
                return Err(Code::DivideByZero);
            }
            let (a, b) = (a * b.signum(), b.abs());
            return match mode {
                Some(mode) => integer(rounded(mode, &a, &b)),
                None if (&a % &b).is_zero() => Ok(Value::Integer(a / b)),
                None => nearest(&a, &b, a.is_negative()),
            };
        }
        if float(b).is_ok_and(|b| b == 0.0) {
            return Err(Code::DivideByZero);
        }
        let quotient = finite(float(a)? / float(b)?)?;
        match mode {
            None => Ok(quotient),
            Some(mode) => {
                let exact = super::statistics::Fraction::of(&quotient)?;
                Ok(Value::Integer(rounded(mode, &exact.0, &exact.1)))
            }
        }
    }

    fn plus(&mut self, operands: &[Value]) -> Evaluated {
        let is_text = |value: &Value| matches!(value, Value::Text(_));
        let first = operands.iter().position(is_text).unwrap_or(operands.len());
        let (added, joined) = operands.split_at(first);
        if added.len() == 1 && !joined.is_empty() {
            scalar(&added[0]).ok_or_else(|| mismatch(&added[0]))?;
        } else if let Some(odd) = added.iter().find(|value| !is_number(value)) {
            return Err(mismatch(odd));
        }
        if let Some(odd) = joined.iter().find(|value| !is_text(value) && scalar(value).is_none()) {
            return Err(mismatch(odd));
        }
        let mut sum = added.first().cloned();
        for n in added.iter().skip(1) {
            let so_far = sum.take().unwrap_or(Value::Unit);
            sum = Some(self.arithmetic(Form::Add, &so_far, n)?);
        }
        if joined.is_empty() {
            return sum.ok_or(Code::Internal);
        }
        let parts: Vec<&Value> = sum.iter().chain(joined).collect();
        let mut whole = String::new();
        for part in &parts {
            self.work(scalar(part).map_or(0, |(_, work)| work))?;
        }
        for part in parts {
            match part {
                Value::Text(text) => whole.push_str(text),
                part => whole.push_str(&scalar(part).unwrap_or_default().0),
            }
            if whole.len() as u64 > TEXT_BYTES.min(self.limits.memory / 8 * 8) {
                return Err(Code::TooLarge);
            }
        }
        Ok(Value::Text(whole.into()))
    }

    /// The name of a function, and its numbers, which are paid for.
    pub(super) fn named_function<'v>(
        &mut self,
        name: &'v Value,
        numbers: &[Value],
    ) -> Result<&'v str, Code> {
        let name = string(name)?;
        for n in numbers {
            number(n)?;
        }
        self.charge_texts(&[name])?;
        let mut most = 1;
        for n in numbers {
            most = most.max(limbs(n)?);
        }
        self.work(length_work(most))?;
        Ok(name)
    }

    fn math(&mut self, name: &Value, numbers: &[Value]) -> Evaluated {
        let name = self.named_function(name, numbers)?;
        match (name, numbers) {
            ("sign", [n]) => Ok(Value::Integer(match n {
                Value::Integer(n) => n.signum(),
                n => (float(n)?.partial_cmp(&0.0).unwrap_or(Ordering::Equal) as i8).into(),
            })),
            ("pow", [a, b]) => self.pow(a, b),
            ("atan2", [y, x]) => Ok(Value::Float(functions::atan2(float(y)?, float(x)?))),
            ("hypot", _) => {
                let floats = numbers.iter().map(float).collect::<Result<Vec<_>, _>>()?;
                finite(functions::hypot(&floats))
            }
            (name, [n]) => match functions::of_one(name) {
                Some(f) => finite(f(float(n)?)),
                None => Err(Code::OutOfRange),
            },
            _ => Err(Code::OutOfRange),
        }
    }

    fn number_of(&mut self, value: &Value) -> Evaluated {
        let read = match value {
            Value::Unit => return Ok(Value::Integer(0.into())),
            Value::Boolean(b) => return Ok(Value::Integer(u8::from(*b).into())),
            Value::Integer(_) | Value::Float(_) | Value::NotNumber => return Ok(value.clone()),
            Value::Text(read) => read,
            Value::Date(ms) => return Ok(Value::Integer((*ms).into())),
            _ => return Ok(Value::NotNumber),
        };
        self.charge_texts(&[read])?;
        let trimmed = read.trim_matches(is_blank);
        if trimmed.is_empty() {
            return Ok(Value::Integer(0.into()));
        }
        let based = Regex::new(r"^0(?:[xX]([0-9a-fA-F]+)|[oO]([0-7]+)|[bB]([01]+))$");
        if let Some(found) = based.map_err(|_| Code::Internal)?.captures(trimmed) {
            for (group, base) in [(1, 16), (2, 8), (3, 2)] {
                if let Some(digits) = found.get(group) {
                    return self.digits(digits.as_str(), base, false);
                }
            }
        }
        let decimal = Regex::new(&format!("^{DECIMAL}$")).map_err(|_| Code::Internal)?;
        if decimal.is_match(trimmed) {
            self.decimal(trimmed, read.len())
        } else {
            Ok(Value::NotNumber)
        }
    }

    fn leading_number(&mut self, value: &Value, base: Option<&Value>) -> Evaluated {
        if let Value::NotNumber = value {
            return Ok(value.clone());
        }
        let base = match base {
            None | Some(Value::Unit) => Some(0),
            Some(Value::Text(name)) if &**name == "float" => None,
            Some(Value::Text(_)) => return Err(Code::OutOfRange),
            Some(n) => {
                let n = integral(n).ok_or_else(|| mismatch(n))?;
                Some(n.to_u32().unwrap_or(1))
            }
        };
        let read = match (value, scalar(value)) {
            (Value::Text(read), _) => read.to_string(),
            (_, Some((read, work))) => {
                self.work(work)?;
                read
            }
            _ => return Ok(Value::NotNumber),
        };
        self.charge_texts(&[&read])?;
        let length = if let Value::Text(read) = value { read.len() } else { 0 };
        let trimmed = read.trim_start_matches(is_blank);
        let Some(base) = base else {
            let decimal = Regex::new(&format!("^{DECIMAL}")).map_err(|_| Code::Internal)?;
            return match decimal.find(trimmed) {
                Some(found) => self.decimal(found.as_str(), length),
                None => Ok(Value::NotNumber),
            };
        };
        let (sign, digits) = match trimmed.strip_prefix(['+', '-']) {
            Some(rest) => (trimmed.starts_with('-'), rest),
            None => (false, trimmed),
        };
        let hexadecimal = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
        let (digits, base) = match (base, hexadecimal) {
            (0 | 16, Some(rest)) => (rest, 16),
            (0, None) => (digits, 10),
            (base, _) => (digits, base),
        };
        if !(2..=36).contains(&base) {
            return Ok(Value::NotNumber);
        }
        let digits: String = digits.chars().take_while(|c| c.is_digit(base)).collect();
        if digits.is_empty() {
            return Ok(Value::NotNumber);
        }
        self.digits(&digits, base, sign)
    }

    /// The number of a decimal, in a text of so many bytes.
    fn decimal(&mut self, decimal: &str, length: usize) -> Evaluated {
        let unsigned = decimal.trim_start_matches(['+', '-']);
        if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.digits(unsigned, 10, decimal.starts_with('-'));
        }
        self.work(if length > 19 { 16 } else { 0 })?;
        let n: f64 = decimal.parse().map_err(|_| Code::Internal)?;
        let is_told = n.fract() == 0.0 && n.abs() <= 9_007_199_254_740_992.0;
        Ok(if is_told { Value::Integer(trunc(n)) } else { Value::Float(n) })
    }

    fn digits(&mut self, digits: &str, base: u32, is_negative: bool) -> Evaluated {
        let digits = digits.trim_start_matches('0');
        let least = count(digits.len()).saturating_sub(1) * u64::from(base.ilog2());
        if least > INTEGER_BITS {
            return Err(Code::TooLarge);
        }
        let mut n = BigInt::ZERO;
        for digit in digits.chars() {
            n = n * base + digit.to_digit(base).unwrap_or_default();
        }
        // A short one that is no word has its digits made, too.
        let is_short = digits.len() < 19;
        if !is_short {
            self.work(reading_work(count(digits.len())))?;
        }
        integer(if is_negative { -n } else { n })
    }

    fn number_text(&mut self, n: &Value, style: &Value, given: Option<&Value>) -> Evaluated {
        if !is_number(n) {
            return Err(mismatch(n));
        }
        let style = string(style)?;
        let given = match given {
            None | Some(Value::Unit) => None,
            Some(n) => Some(integral(n).ok_or_else(|| mismatch(n))?),
        };
        let (least, most) = match style {
            "fixed" | "exponential" | "locale" => (0, 100),
            "precision" => (1, 100),
            "radix" => (2, 36),
            _ => return Err(Code::OutOfRange),
        };
        let within = |n: BigInt| n.to_usize().filter(|n| (least..=most).contains(n));
        let given = given.map(|n| within(n).ok_or(Code::OutOfRange)).transpose()?;
        let length = limbs(n)?;
        self.work(if let Value::Float(_) = n { 8 } else { digits_work(length) })?;
        let near = || match n {
            Value::Float(n) => Ok(*n),
            n => float(n),
        };
        let made = match (style, given, n) {
            ("fixed", given, Value::Integer(n)) => {
                let zeros = "0".repeat(given.unwrap_or_default());
                let point = if zeros.is_empty() { "" } else { "." };
                format!("{n}{point}{zeros}")
            }
            ("fixed", given, _) => figures::fixed(near()?, given.unwrap_or_default()),
            ("precision", Some(count), _) => figures::precision(near()?, count),
            ("exponential", count, _) => figures::exponential(near()?, count),
            ("radix", Some(base), Value::Integer(n)) => {
                n.to_str_radix(u32::try_from(base).unwrap_or(10))
            }
            ("radix", Some(base), _) => {
                figures::in_base(near()?, u32::try_from(base).unwrap_or(10))
            }
            ("locale", _, Value::Float(n)) if n.is_infinite() => {
                if *n > 0.0 { "∞" } else { "-∞" }.to_owned()
            }
            ("locale", most, Value::Float(n)) => {
                figures::grouped(&figures::plain(*n), (0, most.unwrap_or(3)))
            }
            ("locale", _, _) => grouped(&scalar(n).unwrap_or_default().0),
            _ => scalar(n).unwrap_or_default().0,
        };
        self.made(&made)
    }
}

/// A decimal as JavaScript reads it.
const DECIMAL: &str = r"[+-]?(?:Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)";

pub(super) fn is_blank(c: char) -> bool {
    let blanks = "\t\n\u{b}\u{c}\r \u{a0}\u{1680}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
    blanks.contains(c) || ('\u{2000}'..='\u{200a}').contains(&c)
}

/// A float without its fraction.
pub(super) fn trunc(n: f64) -> BigInt {
    format!("{:.0}", n.trunc()).parse().unwrap_or_default()
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    let groups = groups.into_iter().map(|group| String::from_utf8_lossy(group).into_owned());
    format!("{sign}{}", groups.collect::<Vec<_>>().join(","))
}

fn number_is(value: &Value, what: &str) -> Evaluated {
    let whole = integral(value).filter(|_| !matches!(value, Value::Float(n) if n.is_infinite()));
    Ok(Value::Boolean(match what {
        "integer" => whole.is_some(),
        "safe" => whole.is_some_and(|n| n.abs() < BigInt::from(1_u64 << 53)),
        "finite" => is_number(value) && number(value).is_ok(),
        "nan" => matches!(value, Value::NotNumber),
        _ => return Err(Code::OutOfRange),
    }))
}
