//! Numbers taken together, exactly, by fractions.

use super::comparison::compare_with_float;
use super::keys::{count, long, numbers};
use super::operation::{float, is_number, limbs, mismatch};
use super::value::Value;
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use pif::fault::Code;
use pif::form::Form;
use std::cmp::Ordering;

/// A fraction whose denominator is positive.
pub(super) struct Fraction(pub(super) BigInt, pub(super) BigInt);

impl Fraction {
    /// The exact value of a number.
    pub(super) fn of(n: &Value) -> Result<Self, Code> {
        match n {
            Value::Integer(n) => Ok(Self(n.clone(), 1.into())),
            Value::Float(n) => {
                // Doubling is exact until there is no fraction left.
                let (mut n, mut denominator) = (*n, BigInt::from(1));
                while n.fract() != 0.0 {
                    (n, denominator) = (n * 2.0, denominator * 2);
                }
                let whole = format!("{n:.0}").parse().map_err(|_| Code::Internal)?;
                Ok(Self(whole, denominator))
            }
            value => Err(mismatch(value)),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let denominator = self.1.lcm(&other.1);
        let scaled = |n: &Self| &n.0 * (&denominator / &n.1);
        Self(scaled(self) + scaled(other), denominator)
    }

    /// The nearest float: so many decimals that only what follows all of them is left out, and a
    /// last digit that says whether anything does.
    fn float(&self) -> Evaluated {
        let (whole, mut rest): (BigInt, BigInt) = self.0.abs().div_rem(&self.1);
        let sign = if self.0.is_negative() { "-" } else { "" };
        let mut text = format!("{sign}{whole}.");
        for _ in 0..1200 {
            let scaled: BigInt = rest * 10;
            let (digit, left) = scaled.div_rem(&self.1);
            text.push_str(&digit.to_string());
            rest = left;
        }
        text.push(if rest.is_zero() { '0' } else { '1' });
        finite(text.parse().map_err(|_| Code::Internal)?)
    }
}

fn finite(n: f64) -> Evaluated {
    if n.is_finite() { Ok(Value::Float(n)) } else { Err(Code::NotFinite) }
}

fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Value::Integer(a), Value::Float(b)) => compare_with_float(a, *b),
        (Value::Float(a), Value::Integer(b)) => compare_with_float(b, *a).reverse(),
        _ => Ordering::Equal,
    }
}

impl Evaluator {
    /// The numbers of a list and their weight, paid for.
    fn numbers(&mut self, items: &[Value]) -> Result<(Vec<Value>, u64), Code> {
        self.work(count(items.len()))?;
        let mut weight = 0;
        for item in items {
            if is_number(item) {
                self.work(long(item)?)?;
                weight += long(item)?;
            } else if !matches!(item, Value::Unit) {
                return Err(mismatch(item));
            }
        }
        if items.iter().any(|item| matches!(item, Value::Float(n) if n.is_infinite())) {
            return Err(Code::NotFinite);
        }
        Ok((numbers(items), weight))
    }

    pub(super) fn statistic(&mut self, form: Form, items: &[Value]) -> Evaluated {
        if form == Form::Median {
            return self.percentile(items, &Value::Integer(50.into()));
        }
        let (numbers, _) = self.numbers(items)?;
        if form == Form::Product {
            let mut product = Value::Integer(1.into());
            for n in &numbers {
                product = self.times(&product, n)?;
            }
            return Ok(product);
        }
        if form == Form::Mean && numbers.is_empty() {
            return Err(Code::EmptyList);
        }
        let mut sum = Fraction(0.into(), 1.into());
        for n in &numbers {
            sum = sum.plus(&Fraction::of(n)?);
        }
        let is_float = form == Form::Mean || numbers.iter().any(|n| matches!(n, Value::Float(_)));
        match form {
            _ if !is_float && sum.0.bits() > pif::limits::INTEGER_BITS => Err(Code::TooLarge),
            _ if !is_float => Ok(Value::Integer(sum.0)),
            Form::Mean => Fraction(sum.0, sum.1 * numbers.len()).float(),
            _ => sum.float(),
        }
    }

    fn times(&mut self, a: &Value, b: &Value) -> Evaluated {
        let (limbs_a, limbs_b) = (limbs(a)?, limbs(b)?);
        if limbs_a.max(limbs_b) > 1 {
            self.work(limbs_a * limbs_b)?;
        }
        match (a, b) {
            (Value::Integer(a), Value::Integer(b)) => {
                let product = a * b;
                if product.bits() > pif::limits::INTEGER_BITS {
                    return Err(Code::TooLarge);
                }
                Ok(Value::Integer(product))
            }
            _ => finite(float(a)? * float(b)?),
        }
    }

    pub(super) fn percentile(&mut self, items: &[Value], p: &Value) -> Evaluated {
        if matches!(p, Value::Float(n) if n.is_infinite()) {
            return Err(Code::OutOfRange);
        }
        let Fraction(p, per) = Fraction::of(p)?;
        if p.is_negative() || p > BigInt::from(100) * &per {
            return Err(Code::OutOfRange);
        }
        let (mut numbers, weight) = self.numbers(items)?;
        let last = numbers.len().checked_sub(1).ok_or(Code::EmptyList)?;
        self.rounds(numbers.len(), weight)?;
        numbers.sort_by(order);
        let whole = per * 100;
        let (index, part) = (p * last).div_rem(&whole);
        let index = index.to_usize().ok_or(Code::Internal)?;
        if part.is_zero() {
            return finite(float(&numbers[index])?);
        }
        let (Fraction(a, x), Fraction(b, y)) =
            (Fraction::of(&numbers[index])?, Fraction::of(&numbers[index + 1])?);
        Fraction(a * &y * (&whole - &part) + b * &x * &part, x * y * whole).float()
    }
}
