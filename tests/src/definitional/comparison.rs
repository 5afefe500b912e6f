//! Order and equality of values.

use super::Evaluator;
use super::operation::{bytes, is_date, is_float, is_number, is_ordered, limbs, mismatch, time};
use super::text::TEXT_UNIT;
use super::value::{List, Value};
use num_bigint::BigInt;
use num_traits::FromPrimitive;
use pif::fault::Code;
use std::cmp::Ordering;

/// Compares exactly: the integer is not rounded.
pub(super) fn compare_with_float(a: &BigInt, b: f64) -> Ordering {
    if b.is_infinite() {
        return if b > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    let floor = b.floor();
    let whole = BigInt::from_f64(floor).unwrap_or_default();
    a.cmp(&whole).then(if b > floor { Ordering::Less } else { Ordering::Equal })
}

impl Evaluator {
    pub(super) fn compare(&mut self, a: &Value, b: &Value) -> Result<Ordering, Code> {
        if is_date(a) || is_date(b) {
            return match (time(a), time(b)) {
                (a, b) if is_number(&a) && is_number(&b) => self.order_numbers(&a, &b),
                _ => Err(Code::TypeMismatch),
            };
        }
        match (a, b) {
            (Value::Text(a), Value::Text(b)) => {
                self.work(6 + bytes(a).min(bytes(b)) / TEXT_UNIT)?;
                Ok(a.cmp(b))
            }
            _ if is_number(a) && is_number(b) => self.order_numbers(a, b),
            _ if !is_ordered(a) => Err(mismatch(a)),
            _ if !is_ordered(b) => Err(mismatch(b)),
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
        let (a, b) = (&a.clone().without_match(), &b.clone().without_match());
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
            (Value::Map(a), Value::Map(b)) => return self.equal_entries(a, b, true),
            (Value::Set(a), Value::Set(b)) => return self.equal_entries(a, b, false),
            (Value::Date(a), Value::Date(b)) => a == b,
            (Value::Regex(a), Value::Regex(b)) => {
                let text = |text: &str| Value::Text(text.into());
                return Ok(self.equal(&text(&a.0), &text(&b.0))?
                    && self.equal(&text(&a.1), &text(&b.1))?);
            }
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
        let mut values = Vec::new();
        for (key, value) in a {
            self.work(bytes(key) / TEXT_UNIT)?;
            let Some((_, other)) = b.iter().find(|(known, _)| known == key) else {
                return Ok(false);
            };
            values.push((value, other));
        }
        for (a, b) in values {
            self.work(1)?;
            if !self.equal(a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
