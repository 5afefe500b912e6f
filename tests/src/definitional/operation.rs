//! What the forms do whose operands are nothing but values: numbers, comparison, lists, texts.

use super::lists::halves;
use super::text::TEXT_UNIT;
use super::value::{List, Value};
use super::{Evaluated, Evaluator, dates, lists, numbers, records};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, ToPrimitive, Zero};
use pif_guest::fault::Code;
use pif_guest::form::Form;
use pif_guest::limits::{INTEGER_BITS, TEXT_BYTES};
use pif_guest::term::TermId;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

/// 64-bit limbs of a number: of a float one.
pub(super) fn limbs(n: &Value) -> Result<u64, Code> {
    match n {
        Value::Integer(n) => Ok(n.bits().div_ceil(64).max(1)),
        Value::Float(_) => Ok(1),
        _ => Err(Code::TypeMismatch),
    }
}

fn integers(form: Form, a: &BigInt, b: &BigInt) -> Evaluated {
    if matches!(form, Form::Div | Form::Mod) && b.is_zero() {
        return Err(Code::DivideByZero);
    }
    let result = match form {
        Form::Add => a + b,
        Form::Sub => a - b,
        Form::Mul => a * b,
        Form::Div => a.div_floor(b),
        _ => a.mod_floor(b),
    };
    if result.bits() > INTEGER_BITS { Err(Code::TooLarge) } else { Ok(Value::Integer(result)) }
}

fn floats(form: Form, a: f64, b: f64) -> Evaluated {
    if matches!(form, Form::Div | Form::Mod) && b == 0.0 {
        return Err(Code::DivideByZero);
    }
    finite(match form {
        Form::Add => a + b,
        Form::Sub => a - b,
        Form::Mul => a * b,
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
        Value::Float(n) => Ok(*n),
        _ => Err(Code::TypeMismatch),
    }
}

/// Compares exactly: the integer is not rounded.
pub(super) fn compare_with_float(a: &BigInt, b: f64) -> Ordering {
    let floor = b.floor();
    let whole = BigInt::from_f64(floor).unwrap_or_default();
    a.cmp(&whole).then(if b > floor { Ordering::Less } else { Ordering::Equal })
}

impl Evaluator {
    pub(super) fn operate(&mut self, form: Form, operands: Vec<Value>) -> Evaluated {
        Ok(match (form, operands.as_slice()) {
            (Form::List, _) => Value::List(operands.into_iter().collect()),
            (Form::Add | Form::Sub | Form::Mul | Form::Div | Form::Mod, [a, b]) => {
                return self.arithmetic(form, a, b);
            }
            (Form::Lt, [a, b]) => Value::Boolean(self.compare(a, b)?.is_lt()),
            (Form::Gt, [a, b]) => Value::Boolean(self.compare(a, b)?.is_gt()),
            (Form::Lte, [a, b]) => Value::Boolean(self.compare(a, b)?.is_le()),
            (Form::Gte, [a, b]) => Value::Boolean(self.compare(a, b)?.is_ge()),
            (Form::Eq, [a, b]) => Value::Boolean(self.equal(a, b)?),
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
            _ if records::is_one(form) => return self.records(form, &operands),
            _ if lists::handles(form) => return self.list_form(form, &operands),
            (form, operands) if numbers::knows(form) => return self.numeric(form, operands),
            (form, operands) if dates::knows(form) => return self.of_dates(form, operands),
            (form, _) if (Form::Upper..=Form::FormatNumber).contains(&form) => {
                return self.texts(form, &operands);
            }
            _ => return Err(Code::TypeMismatch),
        })
    }

    pub(super) fn arithmetic(&mut self, form: Form, a: &Value, b: &Value) -> Evaluated {
        let (mut limbs_a, mut limbs_b) = (limbs(a)?, limbs(b)?);
        let remainder = form == Form::Mod && (is_float(a) || is_float(b));
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
        match (a, b) {
            (Value::Integer(a), Value::Integer(b)) => integers(form, a, b),
            _ if remainder => numbers::remainder(a, b),
            _ => floats(form, float(a)?, float(b)?),
        }
    }

    fn compare(&mut self, a: &Value, b: &Value) -> Result<Ordering, Code> {
        match (a, b) {
            (Value::Text(a), Value::Text(b)) => {
                self.work(6 + bytes(a).min(bytes(b)) / TEXT_UNIT)?;
                Ok(a.cmp(b))
            }
            _ if is_number(a) && is_number(b) => self.order_numbers(a, b),
            _ => Err(Code::TypeMismatch),
        }
    }

    /// Compares numbers by themselves: a float costs more.
    pub(super) fn order_numbers(&mut self, a: &Value, b: &Value) -> Result<Ordering, Code> {
        if is_float(a) || is_float(b) {
            self.work(6)?;
        }
        self.compare_numbers(a, b)
    }

    pub(super) fn compare_numbers(&mut self, a: &Value, b: &Value) -> Result<Ordering, Code> {
        let limbs = limbs(a)?.max(limbs(b)?);
        match (a, b) {
            (Value::Integer(a), Value::Integer(b)) => {
                if limbs > 1 {
                    self.work(limbs)?;
                }
                Ok(a.cmp(b))
            }
            (Value::Integer(a), Value::Float(b)) => Ok(compare_with_float(a, *b)),
            (Value::Float(a), Value::Integer(b)) => Ok(compare_with_float(b, *a).reverse()),
            (Value::Float(a), Value::Float(b)) => Ok(a.partial_cmp(b).unwrap_or(Ordering::Equal)),
            _ => Err(Code::TypeMismatch),
        }
    }

    pub(super) fn equal(&mut self, a: &Value, b: &Value) -> Result<bool, Code> {
        Ok(match (a, b) {
            (Value::Function(_) | Value::Continuation(_), _)
            | (_, Value::Function(_) | Value::Continuation(_)) => return Err(Code::TypeMismatch),
            (Value::Unit, Value::Unit) => true,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Text(a), Value::Text(b)) if a.len() == b.len() => {
                self.work(bytes(a) / TEXT_UNIT)?;
                a == b
            }
            (Value::List(a), Value::List(b)) => return self.equal_lists(a, b),
            (Value::Pair(a), Value::Pair(b)) => {
                self.work(1)?;
                self.equal(&a.0, &b.0)? && self.equal(&a.1, &b.1)?
            }
            (Value::Record(a), Value::Record(b)) => return self.equal_records(a, b),
            (Value::Quoted(a, _), Value::Quoted(b, _)) => return self.same_terms(*a, *b),
            _ if is_number(a) && is_number(b) => self.compare_numbers(a, b)?.is_eq(),
            _ => false,
        })
    }

    fn equal_lists(&mut self, a: &List, b: &List) -> Result<bool, Code> {
        let (mut a, mut b) = (a.iter(), b.iter());
        loop {
            match (a.next(), b.next()) {
                (Some(a), Some(b)) => {
                    self.work(1)?;
                    if !self.equal(a, b)? {
                        return Ok(false);
                    }
                }
                (a, b) => return Ok(a.is_none() && b.is_none()),
            }
        }
    }

    fn equal_records(
        &mut self,
        a: &[(String, Value)],
        b: &[(String, Value)],
    ) -> Result<bool, Code> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for ((k, _), (l, _)) in a.iter().zip(b) {
            if k.len() != l.len() {
                return Ok(false);
            }
            self.work(bytes(k) / TEXT_UNIT)?;
            if k != l {
                return Ok(false);
            }
        }
        for ((_, a), (_, b)) in a.iter().zip(b) {
            self.work(1)?;
            if !self.equal(a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
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

fn is_float(value: &Value) -> bool {
    matches!(value, Value::Float(_))
}

pub(super) fn is_number(value: &Value) -> bool {
    matches!(value, Value::Integer(_) | Value::Float(_))
}
