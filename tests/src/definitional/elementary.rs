//! `exp ln log10 pow` of floats by series of integers: each number is multiplied by 2^320, which is
//! more than any result needs to be told from its neighbors.

use super::Evaluated;
use super::numbers::nearest;
use super::statistics::Fraction;
use super::value::Value;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use pif::fault::Code;

const BITS: u32 = 320;
/// More digits than tell results apart, and fewer than are exact.
const KEPT: u64 = 150;

fn one() -> BigInt {
    BigInt::one() << BITS
}

fn times(a: &BigInt, b: &BigInt) -> BigInt {
    (a * b) >> BITS
}

fn over(a: &BigInt, b: &BigInt) -> BigInt {
    (a << BITS) / b
}

/// The natural logarithm of a positive number by the series of the area tangent.
fn logarithm(n: &Fraction) -> BigInt {
    let exponent = n.0.bits().cast_signed() - n.1.bits().cast_signed();
    let (a, b) = (&n.0 << (-exponent).max(0), &n.1 << exponent.max(0));
    area(&a, &b) + area(&2.into(), &BigInt::one()) * exponent
}

/// ln(a/b) where a/b is near 1.
fn area(a: &BigInt, b: &BigInt) -> BigInt {
    let t = over(&(a - b), &(a + b));
    let square = times(&t, &t);
    let (mut sum, mut power) = (BigInt::zero(), t);
    for divisor in (1..).step_by(2) {
        if power.abs() <= BigInt::one() {
            break;
        }
        sum += &power / divisor;
        power = times(&power, &square);
    }
    sum * 2
}

/// The float nearest to the exponential.
fn exponential(x: &BigInt) -> Evaluated {
    let ln_2 = area(&2.into(), &BigInt::one());
    let (halvings, rest) = x.div_mod_floor(&ln_2);
    let halvings = halvings.clamp((-3000).into(), 3000.into()).to_i64().ok_or(Code::Internal)?;
    let (mut sum, mut term) = (BigInt::zero(), one());
    for divisor in 1.. {
        if term.is_zero() {
            break;
        }
        sum += &term;
        term = times(&term, &rest) / divisor;
    }
    float(&(sum << halvings.max(0)), &(one() << (-halvings).max(0)))
}

/// The float nearest to a quotient, of which so many digits count.
fn float(a: &BigInt, b: &BigInt) -> Evaluated {
    let dropped = a.bits().saturating_sub(KEPT).max(1);
    let kept = ((a >> (dropped - 1)) + 1) >> 1_u8;
    nearest(&(kept << dropped), b, a.is_negative())
}

fn positive(n: f64) -> Result<Fraction, Code> {
    if n > 0.0 { Fraction::of(&Value::Float(n)) } else { Err(Code::NotFinite) }
}

pub(super) fn exp(x: f64) -> Evaluated {
    let x = Fraction::of(&Value::Float(x))?;
    exponential(&over(&x.0, &x.1))
}

pub(super) fn ln(x: f64) -> Evaluated {
    float(&logarithm(&positive(x)?), &one())
}

pub(super) fn log10(x: f64) -> Evaluated {
    let ten = logarithm(&Fraction(10.into(), 1.into()));
    float(&logarithm(&positive(x)?), &ten)
}

pub(super) fn pow(x: f64, y: f64) -> Evaluated {
    if y == 0.0 {
        return Ok(Value::Float(1.0));
    }
    if x == 0.0 && y < 0.0 {
        return Err(Code::DivideByZero);
    }
    if x < 0.0 && y.fract() != 0.0 {
        return Err(Code::NotFinite);
    }
    let power = Fraction::of(&Value::Float(y))?;
    let is_negative = x.is_sign_negative() && power.1.is_one() && power.0.is_odd();
    let magnitude = if x == 0.0 {
        Value::Float(0.0)
    } else {
        let logarithm = logarithm(&positive(x.abs())?);
        exponential(&(logarithm * power.0).div_floor(&power.1))?
    };
    let Value::Float(magnitude) = magnitude else { return Err(Code::Internal) };
    Ok(Value::Float(if is_negative { -magnitude } else { magnitude }))
}
