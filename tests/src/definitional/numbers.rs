//! Numbers beyond the original calculus. Floats are exact fractions here, and the float nearest to
//! a fraction is what Rust reads from its decimal digits.

use super::keys::length_work;
use super::operation::{bytes, finite, float, is_number, limbs, mismatch};
use super::statistics::Fraction;
use super::value::Value;
use super::{Evaluated, Evaluator, elementary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, One, Pow, Signed, ToPrimitive, Zero};
use pif::fault::Code;
use pif::form::Form;
use pif::limits::{INTEGER_BITS, TEXT_BYTES};

/// Whether a form is one of these.
pub(super) fn knows(form: Form) -> bool {
    use Form::{Abs, Ceil, Exp, Fdiv, Floor, Ln, Log10, Neg, Pow, Round, Sqrt, ToFloat, ToInt};
    matches!(form, Form::Add | Form::Mul | Form::Concat | Form::Min | Form::Max)
        || matches!(form, Abs | Ceil | Exp | Fdiv | Floor | Ln | Log10 | Neg | Pow | Round)
        || matches!(form, Sqrt | ToFloat | ToInt)
}

/// More decimals than any float has.
const DECIMALS: usize = 1074;

fn ten(exponent: usize) -> BigInt {
    BigInt::from(10).pow(exponent)
}

/// A number as an exact fraction with a positive divisor.
fn fraction(n: &Value) -> Result<(BigInt, BigInt), Code> {
    match n {
        Value::Integer(n) => Ok((n.clone(), BigInt::one())),
        Value::Float(n) => {
            let digits = format!("{n:.DECIMALS$}").replace('.', "");
            Ok((digits.parse().map_err(|_| Code::Internal)?, ten(DECIMALS)))
        }
        _ => Err(Code::TypeMismatch),
    }
}

fn is_negative(n: &Value) -> bool {
    match n {
        Value::Integer(n) => n.is_negative(),
        Value::Float(n) => n.is_sign_negative(),
        _ => false,
    }
}

fn is_zero(n: &Value) -> bool {
    matches!(n, Value::Integer(n) if n.is_zero()) || matches!(n, Value::Float(n) if *n == 0.0)
}

/// The float nearest to a fraction. More decimals than those that are written out cannot tell
/// whether it is half way between two floats; that there are any others is said by a last 1.
pub(super) fn nearest(a: &BigInt, b: &BigInt, is_negative: bool) -> Evaluated {
    let (a, b) = (a.magnitude(), b.magnitude());
    if a.bits() > b.bits() + 1100 {
        return Err(Code::NotFinite);
    }
    let more = 2 * DECIMALS;
    let (decimals, rest) = (a * ten(more).magnitude()).div_rem(b);
    let sign = if is_negative { "-" } else { "" };
    let last = u8::from(!rest.is_zero());
    let text = format!("{sign}{decimals}{last}e-{}", more + 1);
    finite(text.parse().map_err(|_| Code::Internal)?)
}

/// Rounds a fraction to an integer: up if it is nearer, or as near and even.
fn half_even(a: &BigInt, b: &BigInt) -> BigInt {
    let below = a.div_floor(b);
    let (from_below, to_above) = (a - &below * b, (&below + 1) * b - a);
    let up = from_below > to_above || from_below == to_above && below.is_odd();
    below + u8::from(up)
}

fn integer(n: BigInt) -> Evaluated {
    if n.bits() > INTEGER_BITS { Err(Code::TooLarge) } else { Ok(Value::Integer(n)) }
}

fn whole(n: f64) -> Value {
    Value::Integer(BigInt::from_f64(n).unwrap_or_default())
}

impl Evaluator {
    pub(super) fn numeric(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        match (form, operands) {
            (Form::Concat, _) => self.joined(operands),
            (Form::Min | Form::Max, [list]) => {
                let Value::List(list) = list else { return Err(Code::TypeMismatch) };
                let length = list.iter().count();
                self.work(u64::try_from(length).unwrap_or(u64::MAX))?;
                let items = list.iter().filter(|item| !matches!(item, Value::Unit));
                self.least_or_greatest(form, &items.collect::<Vec<_>>())
            }
            (Form::Min | Form::Max, _) => {
                self.least_or_greatest(form, &operands.iter().collect::<Vec<_>>())
            }
            (Form::Add | Form::Mul, [first, others @ ..]) => {
                if let Some(odd) = operands.iter().find(|n| !is_number(n)) {
                    return Err(mismatch(odd));
                }
                others.iter().try_fold(first.clone(), |sum, n| self.arithmetic(form, &sum, n))
            }
            (Form::Fdiv, [a, b]) => {
                self.charge_limbs(&[a, b])?;
                fdiv(a, b)
            }
            (Form::Pow, [a, b]) => self.pow(a, b),
            (Form::Round, [n, digits]) => self.round(n, digits),
            (_, [n]) => {
                self.charge_limbs(&[n])?;
                unary(form, n)
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// The limbs of the longest number, if that has more than one.
    fn charge_limbs(&mut self, numbers: &[&Value]) -> Result<(), Code> {
        let mut most = 1;
        for n in numbers {
            most = most.max(limbs(n)?);
        }
        self.work(length_work(most))
    }

    fn joined(&mut self, operands: &[Value]) -> Evaluated {
        if operands.iter().all(|operand| matches!(operand, Value::Text(_))) {
            self.work(operands.len() as u64)?;
        }
        let mut joined = String::new();
        for operand in operands {
            let Value::Text(text) = operand else { return Err(mismatch(operand)) };
            joined.push_str(text);
        }
        if bytes(&joined) > TEXT_BYTES.min(self.limits.memory / 8 * 8) {
            return Err(Code::TooLarge);
        }
        Ok(Value::Text(joined.into()))
    }

    fn least_or_greatest(&mut self, form: Form, numbers: &[&Value]) -> Evaluated {
        if let Some(odd) = numbers.iter().find(|n| !is_number(n)) {
            return Err(mismatch(odd));
        }
        let mut best: Option<&Value> = None;
        for n in numbers {
            let Some(so_far) = best else {
                best = Some(n);
                continue;
            };
            let order = self.order_numbers(n, so_far)?;
            if if form == Form::Min { order.is_lt() } else { order.is_gt() } {
                best = Some(n);
            }
        }
        best.cloned().ok_or(Code::EmptyList)
    }

    pub(super) fn pow(&mut self, base: &Value, exponent: &Value) -> Evaluated {
        let (Value::Integer(a), Value::Integer(b)) = (base, exponent) else {
            self.charge_limbs(&[base, exponent])?;
            let (x, y) = (float(base)?, float(exponent)?);
            return elementary::pow(x, y);
        };
        if a.magnitude() > &1_u8.into() && b.is_positive() {
            return self.product(a, b);
        }
        self.charge_limbs(&[base, exponent])?;
        let sign = if b.is_odd() { a.signum() } else { a.abs().signum() };
        match b.sign() {
            num_bigint::Sign::NoSign => Ok(Value::Integer(BigInt::one())),
            num_bigint::Sign::Plus => Ok(Value::Integer(sign)),
            num_bigint::Sign::Minus if a.is_zero() => Err(Code::DivideByZero),
            // Any more factors than these, and the power is as good as 0.
            num_bigint::Sign::Minus => {
                let factors = b.magnitude().to_u32().unwrap_or(u32::MAX).min(1100);
                let power = if a.bits() > 2000 { a.clone() } else { a.pow(factors) };
                nearest(&BigInt::one(), &power, sign.is_negative())
            }
        }
    }

    /// A power by repeated squaring, of which each product costs what `mul` costs. What is too
    /// large costs nothing.
    fn product(&mut self, a: &BigInt, b: &BigInt) -> Evaluated {
        let least_bits = b * BigInt::from(a.bits() - 1);
        if least_bits >= BigInt::from(INTEGER_BITS) {
            return Err(Code::TooLarge);
        }
        let limbs = |n: &BigInt| n.bits().div_ceil(64);
        let mut cost = length_work(limbs(a).max(limbs(b)));
        let mut power = BigInt::one();
        for digit in b.to_str_radix(2).chars() {
            let factors =
                if digit == '1' { vec![power.clone(), a.clone()] } else { vec![power.clone()] };
            for factor in factors {
                let product = limbs(&power) * limbs(&factor);
                // The first steps lead from 1 to the base.
                cost += if product > 1 && !power.is_one() { product } else { 0 };
                power *= factor;
            }
        }
        let power = integer(power)?;
        self.work(cost)?;
        Ok(power)
    }

    fn round(&mut self, n: &Value, digits: &Value) -> Evaluated {
        if !is_number(n) {
            return Err(Code::TypeMismatch);
        }
        let Value::Integer(digits) = digits else { return Err(Code::TypeMismatch) };
        let limbs = limbs(n)?;
        let is_far =
            matches!(n, Value::Float(_)) && (digits.is_negative() || digits > &BigInt::from(22));
        self.work(match limbs {
            1 if is_far => 64,
            1 => 0,
            _ if digits.is_negative() => 8 + limbs * limbs,
            _ => 8 + limbs,
        })?;
        // No number has more digits than these.
        let most = i64::try_from(INTEGER_BITS).unwrap_or(i64::MAX);
        let digits = digits.to_i64().unwrap_or(if digits.is_negative() { -most } else { most });
        let digits = digits.clamp(-most, most);
        let before = usize::try_from(-digits).unwrap_or(0);
        let after = usize::try_from(digits).unwrap_or(0);
        match n {
            Value::Integer(n) => integer(half_even(n, &ten(before)) * ten(before)),
            Value::Float(n) if digits >= 0 => {
                let text = format!("{n:.*}", after.min(2 * DECIMALS));
                finite(text.parse().map_err(|_| Code::Internal)?)
            }
            n => {
                let (a, b) = fraction(n)?;
                let before = before.min(400);
                let rounded = half_even(&a, &(b * ten(before))) * ten(before);
                nearest(&rounded, &BigInt::one(), is_negative(n))
            }
        }
    }
}

/// Two numbers as integers, multiplied by the power of two that comes last.
fn whole_numbers(a: &Value, b: &Value) -> Result<(BigInt, BigInt, BigInt), Code> {
    let (Fraction(a, x), Fraction(b, y)) = (Fraction::of(a)?, Fraction::of(b)?);
    let power = x.clone().max(y.clone());
    Ok((a * (&power / x), b * (&power / y), power))
}

pub(super) fn limbs_of_remainder(a: &Value, b: &Value) -> Result<(u64, u64), Code> {
    let (a, b, _) = whole_numbers(a, b)?;
    Ok((limbs(&Value::Integer(a))?, limbs(&Value::Integer(b))?))
}

/// `mod` with a float.
pub(super) fn remainder(a: &Value, b: &Value) -> Evaluated {
    if is_zero(b) {
        return Err(Code::DivideByZero);
    }
    let is_below = is_negative(b);
    let (a, b, power) = whole_numbers(a, b)?;
    nearest(&a.mod_floor(&b), &power, is_below)
}

fn fdiv(a: &Value, b: &Value) -> Evaluated {
    if is_zero(b) {
        return Err(Code::DivideByZero);
    }
    let ((a1, a2), (b1, b2)) = (fraction(a)?, fraction(b)?);
    nearest(&(a1 * b2), &(a2 * b1), is_negative(a) != is_negative(b))
}

fn unary(form: Form, n: &Value) -> Evaluated {
    let f: fn(f64) -> f64 = match (form, n) {
        (Form::Neg, Value::Integer(n)) => return Ok(Value::Integer(-n)),
        (Form::Abs, Value::Integer(n)) => return Ok(Value::Integer(n.abs())),
        (Form::Neg, Value::Float(n)) => return Ok(Value::Float(-n)),
        (Form::Abs, Value::Float(n)) => return Ok(Value::Float(n.abs())),
        (Form::Floor | Form::Ceil | Form::ToInt | Form::Round, Value::Integer(_)) => {
            return Ok(n.clone());
        }
        (Form::Floor, Value::Float(n)) => return Ok(whole(n.floor())),
        (Form::Ceil, Value::Float(n)) => return Ok(whole(n.ceil())),
        (Form::ToInt, Value::Float(n)) => return Ok(whole(n.trunc())),
        (Form::Round, Value::Float(_)) => {
            let (a, b) = fraction(n)?;
            return Ok(Value::Integer(half_even(&a, &b)));
        }
        (Form::Sqrt, _) => f64::sqrt,
        (Form::Exp, _) => return elementary::exp(float(n)?),
        (Form::Ln, _) => return elementary::ln(float(n)?),
        (Form::Log10, _) => return elementary::log10(float(n)?),
        _ => |n| n,
    };
    finite(f(float(n)?))
}
