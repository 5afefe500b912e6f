//! What the forms do whose operands are nothing but values: numbers, comparison, lists, texts.

use super::lists::halves;
use super::value::{List, Value};
use super::{Evaluated, Evaluator, dates, javascript, lists, mapping, numbers, records};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, ToPrimitive, Zero};
use pif::fault::Code;
use pif::form::Form;
use pif::kinds;
use pif::limits::{INTEGER_BITS, TEXT_BYTES};
use pif::term::TermId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// 64-bit limbs of a number: of a float one.
pub(super) fn limbs(n: &Value) -> Result<u64, Code> {
    match n {
        Value::Integer(n) => Ok(n.bits().div_ceil(64).max(1)),
        Value::Float(_) => Ok(1),
        value => Err(mismatch(value)),
    }
}

/// The fault of a value of the wrong type. What is not a number is nothing that a form could want.
pub(super) fn mismatch(value: &Value) -> Code {
    if let Value::NotNumber = value { Code::NotFinite } else { Code::TypeMismatch }
}

/// The type of this name.
fn kind_named(name: &str) -> kinds::Kinds {
    kinds::names().iter().position(|known| *known == name).map_or(kinds::UNKNOWN, |bit| 1 << bit)
}

/// The fault of operands, where that is the type of one: the first that the form does not take.
pub(super) fn of_odd_operand(form: Form, operands: &[Value], code: Code) -> Code {
    let odd = operands.iter().enumerate().find(|(at, value)| {
        let kind = if let Value::NotNumber = value { 0 } else { kind_named(value.kind()) };
        form.accepted(*at) & kinds::VALUE != kinds::VALUE && form.accepted(*at) & kind == 0
    });
    match odd {
        // What is not a number can be compared with one.
        _ if matches!(form, Form::Lt | Form::Gt | Form::Lte | Form::Gte) => code,
        Some((_, value)) if code == Code::TypeMismatch => mismatch(value),
        _ => code,
    }
}

/// A number without a fraction as an integer. Infinity is beyond all of them.
pub(super) fn integral(value: &Value) -> Option<BigInt> {
    match value {
        Value::Integer(n) => Some(n.clone()),
        Value::Float(n) if n.is_infinite() => {
            let beyond = BigInt::from(1) << 200;
            Some(if *n > 0.0 { beyond } else { -beyond })
        }
        Value::Float(n) if n.fract() == 0.0 => BigInt::from_f64(*n),
        _ => None,
    }
}

/// The first operands, which must be numbers, and not infinite.
fn check_numbers(form: Form, operands: &[Value]) -> Result<(), Code> {
    use Form::{Ceil, DateAdd, DateFormat, DateParts, Exp, Floor, FormatNumber, Ln, Log10, Round};
    let count = match form {
        Form::Fdiv | Form::Pow | Form::DateDiff => 2,
        Ceil
        | DateAdd
        | DateFormat
        | DateParts
        | Exp
        | Floor
        | FormatNumber
        | Ln
        | Log10
        | Round
        | Form::Sqrt
        | Form::ToFloat
        | Form::ToInt => 1,
        _ => 0,
    };
    operands.iter().take(count).try_for_each(|n| match n {
        Value::Float(n) if n.is_infinite() => Err(Code::NotFinite),
        n if is_number(n) => Ok(()),
        n => Err(mismatch(n)),
    })
}

/// The operands of which a form takes floats without a fraction for integers.
fn is_count(form: Form, at: usize) -> bool {
    use Form::{Chunk, Drop, FromCharCode, Nth, PadLeft, PadRight, Range, Repeat, Slice, Take};
    match form {
        Chunk | Drop | Nth | PadLeft | PadRight | Repeat | Take | Form::Round => at == 1,
        Slice => at > 0,
        FromCharCode | Range => true,
        _ => false,
    }
}

/// The operands, with integers where floats stand for them.
fn with_counts(form: Form, mut operands: Vec<Value>) -> Result<Vec<Value>, Code> {
    for (_, operand) in operands.iter_mut().enumerate().filter(|(at, _)| is_count(form, *at)) {
        if form == Form::Range && matches!(operand, Value::Float(n) if n.is_infinite()) {
            return Err(Code::NotFinite);
        }
        if form == Form::Range && integral(operand).is_none() {
            return Err(mismatch(operand));
        }
        *operand = integral(operand).map_or(operand.clone(), Value::Integer);
    }
    Ok(operands)
}

fn integers(form: Form, a: &BigInt, b: &BigInt) -> Evaluated {
    if matches!(form, Form::Div | Form::Mod | Form::Rem) && b.is_zero() {
        return Err(Code::DivideByZero);
    }
    let result = match form {
        Form::Add => a + b,
        Form::Sub => a - b,
        Form::Mul => a * b,
        Form::Div => a.div_floor(b),
        Form::Rem => a % b,
        _ => a.mod_floor(b),
    };
    if result.bits() > INTEGER_BITS { Err(Code::TooLarge) } else { Ok(Value::Integer(result)) }
}

fn floats(form: Form, a: f64, b: f64) -> Evaluated {
    if matches!(form, Form::Div | Form::Mod | Form::Rem) && b == 0.0 {
        return Err(Code::DivideByZero);
    }
    finite(match form {
        Form::Add => a + b,
        Form::Sub => a - b,
        Form::Mul => a * b,
        Form::Rem => a % b,
        _ => a / b,
    })
}

pub(super) fn bytes(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

fn count(n: usize) -> Value {
    Value::Integer(n.into())
}

pub(super) fn finite(n: f64) -> Evaluated {
    if n.is_finite() { Ok(Value::Float(n)) } else { Err(Code::NotFinite) }
}

/// A number as the nearest float.
pub(super) fn float(n: &Value) -> Result<f64, Code> {
    match n {
        Value::Integer(n) => n.to_f64().filter(|n| n.is_finite()).ok_or(Code::NotFinite),
        Value::Float(n) if n.is_infinite() => Err(Code::NotFinite),
        Value::Float(n) => Ok(*n),
        value => Err(mismatch(value)),
    }
}

impl Evaluator {
    #[expect(clippy::too_many_lines, reason = "a dispatch table")]
    pub(super) fn operate(&mut self, form: Form, operands: Vec<Value>) -> Evaluated {
        check_numbers(form, &operands)?;
        let operands = with_counts(form, operands)?;
        Ok(match (form, operands.as_slice()) {
            (Form::List, _) => Value::List(operands.into_iter().collect()),
            (Form::Sub, [a, b]) if is_date(a) || is_date(b) => {
                return self.arithmetic(form, &time(a), &time(b));
            }
            (Form::Add | Form::Sub | Form::Mul | Form::Div | Form::Mod | Form::Rem, [a, b]) => {
                return self.arithmetic(form, a, b);
            }
            (Form::Lt | Form::Gt | Form::Lte | Form::Gte, [a, b])
                if [a, b].iter().any(|v| matches!(v, Value::NotNumber))
                    && [a, b].iter().all(|v| is_ordered(v)) =>
            {
                Value::Boolean(false)
            }
            (Form::Lt, [a, b]) => Value::Boolean(self.compare(a, b)?.is_lt()),
            (Form::Gt, [a, b]) => Value::Boolean(self.compare(a, b)?.is_gt()),
            (Form::Lte, [a, b]) => Value::Boolean(self.compare(a, b)?.is_le()),
            (Form::Gte, [a, b]) => Value::Boolean(self.compare(a, b)?.is_ge()),
            (Form::Eq, [a, b]) => {
                let equal = self.equal(a, b)?;
                if !equal {
                    self.doubt_equality([a, b]);
                }
                Value::Boolean(equal)
            }
            (Form::Not, [Value::Boolean(b)]) => Value::Boolean(!b),
            (Form::Nil, _) => Value::List(List::default()),
            (Form::Cons, [head, Value::List(tail)]) => {
                Value::List(List::cons(head.clone(), tail.clone()))
            }
            (Form::Head, [Value::List(list)]) => list.0.as_ref().ok_or(Code::EmptyList)?.0.clone(),
            (Form::Tail, [Value::List(list)]) => {
                Value::List(list.0.as_ref().ok_or(Code::EmptyList)?.1.clone())
            }
            (Form::IsEmpty, [Value::List(list)]) => Value::Boolean(list.0.is_none()),
            (Form::IsEmpty, [Value::Map(of) | Value::Set(of)]) => Value::Boolean(of.is_empty()),
            (Form::Length, [Value::Map(of) | Value::Set(of)]) => count(of.len()),
            (Form::Length, [Value::Text(text)]) => count(text.chars().count()),
            (Form::Length, [Value::List(list)]) => {
                let length = list.iter().count();
                self.work(u64::try_from(length).unwrap_or(u64::MAX))?;
                count(length)
            }
            (Form::Pair, [a, b]) => Value::Pair(Rc::new((a.clone(), b.clone()))),
            (Form::Fst, [whole]) => halves(whole)?.0,
            (Form::Snd, [whole]) => halves(whole)?.1,
            (Form::Concat, [Value::Text(a), Value::Text(b)]) => {
                // The one memory limit that can be seen from outside: a text fits into it in words.
                if bytes(a) + bytes(b) > TEXT_BYTES.min(self.limits.memory / 8 * 8) {
                    return Err(Code::TooLarge);
                }
                Value::Text(format!("{a}{b}").into())
            }
            (Form::TypeOf, [value]) => Value::Text(value.kind().into()),
            (Form::Trace, [_, value]) => {
                if self.traced < 100 {
                    self.work(256)?;
                    self.traced += 1;
                }
                value.clone()
            }
            (Form::Analyze, [Value::Quoted(term, _)]) => return self.analyze(*term),
            (Form::TermToData, [Value::Quoted(term, _)]) => return self.term_to_data(*term),
            (Form::DataToTerm, [data]) => return self.data_to_term(data),
            _ if mapping::knows(form) => return self.mapping(form, &operands),
            (Form::LastIndexOf | Form::Normalize, operands) => return self.texts(form, operands),
            (form, operands) if javascript::knows(form) => return self.javascript(form, operands),
            _ if records::is_one(form) => return self.records(form, &operands),
            _ if lists::handles(form) => return self.list_form(form, &operands),
            (form, operands) if numbers::knows(form) => return self.numeric(form, operands),
            (Form::Moment | Form::MomentPart, operands) => return self.moments(form, operands),
            (form, operands) if dates::knows(form) => return self.of_dates(form, operands),
            (
                Form::Regex
                | Form::RegexMatch
                | Form::RegexMatchAll
                | Form::RegexParts
                | Form::Substitute,
                _,
            ) => return self.regex(form, &operands),
            (form, _) if form.row().is_some_and(|row| row.group == "strings") => {
                return self.texts(form, &operands);
            }
            _ => return Err(Code::TypeMismatch),
        })
    }

    pub(super) fn arithmetic(&mut self, form: Form, a: &Value, b: &Value) -> Evaluated {
        let is_infinite = |n: &Value| matches!(n, Value::Float(n) if n.is_infinite());
        let remainder =
            form == Form::Mod && (is_float(a) || is_float(b)) && !is_infinite(a) && !is_infinite(b);
        self.pay_for_arithmetic(form, a, b, remainder)?;
        match (a, b) {
            (Value::Integer(a), Value::Integer(b)) => integers(form, a, b),
            _ if remainder => numbers::remainder(a, b),
            _ if is_infinite(a) || is_infinite(b) => Err(Code::NotFinite),
            _ => floats(form, float(a)?, float(b)?),
        }
    }

    pub(super) fn pay_for_quotient(&mut self, a: &Value, b: &Value) -> Result<(), Code> {
        self.pay_for_arithmetic(Form::Div, a, b, false)
    }

    fn pay_for_arithmetic(
        &mut self,
        form: Form,
        a: &Value,
        b: &Value,
        remainder: bool,
    ) -> Result<(), Code> {
        let (mut limbs_a, mut limbs_b) = (limbs(a)?, limbs(b)?);
        if remainder {
            (limbs_a, limbs_b) = numbers::limbs_of_remainder(a, b)?;
        }
        if limbs_a > 1 || limbs_b > 1 {
            let of_limbs = match form {
                Form::Add | Form::Sub => limbs_a.max(limbs_b),
                Form::Mul => limbs_a * limbs_b,
                _ => limbs_b * (limbs_a.max(limbs_b) - limbs_b + 1),
            };
            self.work(16 + of_limbs)?;
        } else if is_float(a) || is_float(b) {
            self.work(6)?;
        }
        Ok(())
    }

    /// How often each form occurs in a term.
    fn analyze(&mut self, root: TermId) -> Evaluated {
        let (mut nodes, mut counts) = (0_u64, BTreeMap::new());
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            nodes += 1;
            open.extend_from_slice(self.terms.operands(term));
            if let Some(row) = self.terms.form(term).row() {
                *counts.entry(row.name.to_owned()).or_insert(0_usize) += 1;
            }
        }
        self.work(nodes)?;
        let members = counts.into_iter().map(|(key, n)| (key, count(n)));
        Ok(Value::Record(Rc::new(members.collect())))
    }
}

pub(super) fn is_date(value: &Value) -> bool {
    matches!(value, Value::Date(_))
}

/// A date as its milliseconds.
pub(super) fn time(value: &Value) -> Value {
    match value {
        Value::Date(ms) => Value::Integer((*ms).into()),
        value => value.clone(),
    }
}

pub(super) fn is_ordered(value: &Value) -> bool {
    is_number(value) || matches!(value, Value::Text(_) | Value::NotNumber)
}

pub(super) fn is_float(value: &Value) -> bool {
    matches!(value, Value::Float(_))
}

pub(super) fn is_number(value: &Value) -> bool {
    matches!(value, Value::Integer(_) | Value::Float(_))
}
