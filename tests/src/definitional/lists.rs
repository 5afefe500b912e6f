//! Forms on lists.

use super::keys::count;
use super::operation::{limbs, mismatch};
use super::value::{List, Value};
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};
use pif::fault::Code;
use pif::form::Form;

/// Whether a form is one of these.
pub(super) fn handles(form: Form) -> bool {
    matches!(
        form,
        Form::Sort
            | Form::Reverse
            | Form::Distinct
            | Form::Flatten
            | Form::Sum
            | Form::Product
            | Form::Mean
            | Form::Median
            | Form::Last
            | Form::Enumerate
            | Form::Append
            | Form::Nth
            | Form::Take
            | Form::Drop
            | Form::Range
            | Form::Zip
            | Form::Chunk
            | Form::Percentile
    )
}

pub(super) fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::List(items.into_iter().collect())
}

/// The halves of a pair, or the elements of a list of two.
pub(super) fn halves(of: &Value) -> Result<(Value, Value), Code> {
    match of {
        Value::Pair(pair) => Ok((pair.0.clone(), pair.1.clone())),
        Value::List(list) => match items(list).as_slice() {
            [a, b] => Ok((a.clone(), b.clone())),
            _ => Err(Code::TypeMismatch),
        },
        _ => Err(Code::TypeMismatch),
    }
}

/// The halves of a pair, or the first two elements of a list.
pub(super) fn entry(of: &Value) -> Result<(Value, Value), Code> {
    match of {
        Value::Pair(pair) => Ok((pair.0.clone(), pair.1.clone())),
        Value::List(_) | Value::Match(_) => {
            let Value::List(list) = of.clone().without_match() else { return Err(mismatch(of)) };
            let mut items = list.iter().cloned();
            let mut next = || items.next().unwrap_or(Value::Unit);
            Ok((next(), next()))
        }
        of => Err(mismatch(of)),
    }
}

pub(super) fn of_two(a: Value, b: Value) -> Value {
    list([a, b])
}

fn items(list: &List) -> Vec<Value> {
    list.iter().cloned().collect()
}

/// Whether all that a value holds can be listed.
fn is_iterable(of: &Value) -> bool {
    matches!(of, Value::List(_) | Value::Text(_) | Value::Unit | Value::Map(_) | Value::Set(_))
}

/// A number without its fraction.
pub(super) fn truncated(n: &Value) -> Result<BigInt, Code> {
    match n {
        Value::Integer(n) => Ok(n.clone()),
        Value::Float(n) if n.is_finite() => Ok(BigInt::from_f64(n.trunc()).unwrap_or_default()),
        Value::Float(n) if *n > 0.0 => Ok(BigInt::from(u64::MAX)),
        Value::Float(_) => Ok(-BigInt::from(u64::MAX)),
        _ => Err(Code::TypeMismatch),
    }
}

fn integer(n: usize) -> Value {
    Value::Integer(n.into())
}

/// A number of elements, `least` or more.
fn size(n: &BigInt, least: u8) -> Result<usize, Code> {
    if *n < BigInt::from(least) {
        return Err(Code::OutOfRange);
    }
    Ok(n.to_usize().unwrap_or(usize::MAX))
}

impl Evaluator {
    pub(super) fn list_form(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        Ok(match (form, operands) {
            (Form::Range, _) => return self.range(operands),
            (Form::Append, [a, b]) => {
                if !is_iterable(a) || !is_iterable(b) {
                    return Err(Code::TypeMismatch);
                }
                let (a, b) = (self.elements(a)?, self.elements(b)?);
                let a = items(&a);
                self.work(count(a.len()))?;
                list(a.into_iter().chain(items(&b)))
            }
            (Form::Flatten, [Value::List(of), depth @ ..]) => {
                let depth = match depth {
                    [] => BigInt::from(1),
                    [n] => truncated(n)?,
                    _ => return Err(Code::Internal),
                };
                if !depth.is_positive() {
                    return Ok(operands[0].clone());
                }
                list(self.flatten(&items(of), &depth)?)
            }
            (Form::Zip, [Value::List(a), Value::List(b)]) => {
                let pairs: Vec<_> = a.iter().zip(b.iter()).collect();
                self.work(count(pairs.len()))?;
                list(pairs.into_iter().map(|(a, b)| of_two(a.clone(), b.clone())))
            }
            (Form::Percentile, [Value::List(of), p]) => return self.percentile(&items(of), p),
            (_, [Value::List(of)]) => return self.of_list(form, &items(of)),
            (
                Form::Nth | Form::Take | Form::Drop | Form::Chunk,
                [Value::List(of), Value::Integer(n)],
            ) => {
                return self.of_list_and_integer(form, &items(of), n);
            }
            (Form::Nth, [Value::Pair(of), Value::Integer(n)]) => {
                return self.of_list_and_integer(form, &[of.0.clone(), of.1.clone()], n);
            }
            _ => return Err(Code::TypeMismatch),
        })
    }

    fn of_list(&mut self, form: Form, items: &[Value]) -> Evaluated {
        match form {
            Form::Sort => return Ok(list(self.sorted(items, items, false)?)),
            Form::Distinct => {
                let groups = self.grouped(items, items)?;
                return Ok(list(groups.into_iter().map(|group| group.0)));
            }
            Form::Sum | Form::Product | Form::Mean | Form::Median => {
                return self.statistic(form, items);
            }
            _ => self.work(count(items.len()))?,
        }
        Ok(match form {
            Form::Reverse => list(items.iter().rev().cloned()),
            Form::Last => items.last().cloned().ok_or(Code::EmptyList)?,
            Form::Enumerate => {
                list(items.iter().enumerate().map(|(i, item)| of_two(integer(i), item.clone())))
            }
            _ => return Err(Code::TypeMismatch),
        })
    }

    /// How many elements of so many words fit into memory: half of it, because the other half is
    /// where a collection puts what it keeps.
    fn room(&self, words: u64) -> u64 {
        self.limits.memory / 8 / 2 / words
    }

    fn flatten(&mut self, items: &[Value], depth: &BigInt) -> Result<Vec<Value>, Code> {
        self.work(count(items.len()))?;
        let (mut flat, mut passed) = (Vec::new(), 0);
        self.flatten_onto(items, depth, &mut flat, &mut passed)?;
        Ok(flat)
    }

    fn flatten_onto(
        &mut self,
        items: &[Value],
        depth: &BigInt,
        flat: &mut Vec<Value>,
        passed: &mut u64,
    ) -> Result<(), Code> {
        for item in items {
            match item {
                Value::List(inner) if depth.is_positive() => {
                    let inner = self::items(inner);
                    self.work(count(inner.len()))?;
                    *passed += count(inner.len());
                    if *passed > self.room(2) {
                        return Err(Code::TooLarge);
                    }
                    self.flatten_onto(&inner, &(depth - 1), flat, passed)?;
                }
                _ => flat.push(item.clone()),
            }
        }
        Ok(())
    }

    fn of_list_and_integer(&mut self, form: Form, items: &[Value], n: &BigInt) -> Evaluated {
        let n = size(n, u8::from(form == Form::Chunk))?;
        let most = n.min(items.len());
        Ok(match form {
            Form::Nth => {
                self.work(count(n.saturating_add(1).min(items.len())))?;
                items.get(n).cloned().ok_or(Code::OutOfRange)?
            }
            Form::Take => {
                self.work(count(most))?;
                list(items[..most].iter().cloned())
            }
            Form::Drop => {
                self.work(count(most))?;
                list(items[most..].iter().cloned())
            }
            Form::Chunk => {
                self.work(count(items.len()))?;
                list(items.chunks(n).map(|chunk| list(chunk.iter().cloned())))
            }
            _ => return Err(Code::TypeMismatch),
        })
    }

    fn range(&mut self, operands: &[Value]) -> Evaluated {
        let mut numbers = Vec::new();
        let mut longest = 0;
        for operand in operands {
            let Value::Integer(n) = operand else { return Err(mismatch(operand)) };
            let limbs = limbs(operand)?;
            longest = longest.max(if limbs > 1 { limbs } else { 0 });
            numbers.push(n.clone());
        }
        let step = numbers.get(2).cloned().unwrap_or_else(|| 1.into());
        let [from, to] = [&numbers[0], &numbers[1]];
        if step.is_zero() {
            return Err(Code::OutOfRange);
        }
        let way = if step.is_negative() { from - to } else { to - from };
        let n = if way.is_positive() { (way - 1) / step.abs() + 1 } else { BigInt::ZERO };
        if n > self.room(if longest > 0 { longest + 3 } else { 2 }).into() {
            return Err(Code::TooLarge);
        }
        let n = n.to_u64().unwrap_or(u64::MAX);
        self.work(if longest > 0 { n.max(1) * longest } else { n })?;
        Ok(list((0..n).map(|i| Value::Integer(from + &step * i))))
    }
}
