//! `fdiv neg abs sqrt exp ln log10 floor ceil to_int to_float pow round`.
//!
//! Fuel: 8 and the limbs of the longest operand where that is an integer of two limbs or more; in
//! `pow` of such a result its products besides, as `mul` counts them; `round` of such an integer to
//! negative digits 8 and the square of its limbs instead, of a float to digits below 0 or above 22
//! 64.

use super::Call;
use crate::form::Form;
use crate::machine::state::Exit;
use crate::primitive::Trouble;
use crate::primitive::arithmetic::{Number, finite, length_work};
use crate::primitive::elementary;
use crate::primitive::power::{fits, power};
use crate::primitive::rational::{integral, nearest_integer, quotient, round};
use crate::value::Word;
use num_traits::{Signed, ToPrimitive};
use std::ops::RangeInclusive;

pub(super) fn call(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = c.number(0)?;
    let result = match c.form {
        Form::Fdiv => {
            let divisor = c.number(1)?;
            c.charge(length_work(n.limbs().max(divisor.limbs())))?;
            Number::Float(quotient(&n, &divisor)?)
        }
        Form::Pow => {
            let exponent = c.number(1)?;
            pow(c, &n, &exponent)?
        }
        Form::Round if c.len() > 1 => {
            let digits = digits(c)?;
            let limbs = if digits < 0 { n.limbs().saturating_mul(n.limbs()) } else { n.limbs() };
            let is_far = n.is_float() && !WORD_DIGITS.contains(&digits);
            c.charge(if is_far { FAR_DIGITS_WORK } else { length_work(limbs) })?;
            round(&n, digits)?
        }
        _ => {
            c.charge(length_work(n.limbs()))?;
            unary(c.form, n)?
        }
    };
    c.make_number(&result)
}

/// Digits to which a float is rounded within a few words, and the work of other digits.
const WORD_DIGITS: RangeInclusive<i64> = 0..=22;
const FAR_DIGITS_WORK: u64 = 64;

fn unary(form: Form, n: Number) -> Result<Number, Trouble> {
    let of_float = |f: fn(f64) -> f64| Ok(Number::Float(finite(f(n.float()?))?));
    let to_integer = |f: fn(f64) -> f64, n: Number| match n {
        Number::Float(n) => whole(f(n)),
        n => n,
    };
    Ok(match form {
        Form::Neg => match n {
            Number::Float(n) => Number::Float(-n),
            n => Number::Big(-n.big()),
        },
        Form::Abs => match n {
            Number::Float(n) => Number::Float(n.abs()),
            n => Number::Big(n.big().abs()),
        },
        Form::Sqrt => return of_float(f64::sqrt),
        Form::Exp => return of_float(elementary::exp),
        Form::Ln => return of_float(elementary::ln),
        Form::Log10 => return of_float(elementary::log10),
        Form::Floor => to_integer(f64::floor, n),
        Form::Ceil => to_integer(f64::ceil, n),
        Form::ToInt => to_integer(f64::trunc, n),
        Form::Round => match n {
            Number::Float(n) => Number::Big(nearest_integer(n)),
            n => n,
        },
        _ => return of_float(|n| n),
    })
}

/// A float without a fraction as an integer.
fn whole(n: f64) -> Number {
    match n.to_i64() {
        Some(n) => Number::Small(n),
        None => Number::Big(integral(n)),
    }
}

/// Digits beyond 64 bits are as many as no number has.
fn digits(c: &Call<'_>) -> Result<i64, Exit> {
    match c.number(1) {
        Ok(Number::Small(digits)) => Ok(digits),
        Ok(Number::Big(digits)) => Ok(if digits.is_negative() { i64::MIN } else { i64::MAX }),
        _ => Err(c.wrong(1, "an integer")),
    }
}

fn pow(c: &mut Call<'_>, base: &Number, exponent: &Number) -> Result<Number, Exit> {
    let mut work = length_work(base.limbs().max(exponent.limbs()));
    if fits(base, exponent)? {
        c.charge(work)?;
        return power(base, exponent, |work| c.charge(work));
    }
    // What is too large costs nothing, and whether this is can only be computed.
    let result = power(base, exponent, |more| {
        work += more;
        Ok::<_, Trouble>(())
    })?;
    c.charge(work)?;
    Ok(result)
}
