//! `fdiv neg abs sqrt exp ln log10 floor ceil to_int to_float pow round`. What is not exact is
//! computed by the libm crate, which is the same code on every platform; square roots are rounded
//! correctly by any machine.
//!
//! Fuel: the limbs of the longest operand where that is an integer of two limbs or more; in `pow`
//! of such a result its products besides, as `mul` counts them; `round` of such an integer to
//! negative digits the square of its limbs instead, of a float to digits below 0 or above 22 32.

use super::Call;
use crate::form::Form;
use crate::machine::state::Exit;
use crate::primitive::arithmetic::{Number, finite};
use crate::primitive::power::{fits, power};
use crate::primitive::rational::{integral, nearest_integer, quotient, round};
use crate::primitive::{Trouble, type_name};
use crate::value::Word;
use num_traits::Signed;
use std::ops::RangeInclusive;

pub(super) fn call(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = c.number(0)?;
    let result = match c.form {
        Form::Fdiv => {
            let divisor = c.number(1)?;
            c.charge(several(n.limbs().max(divisor.limbs())))?;
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
            c.charge(if is_far { FAR_DIGITS_WORK } else { several(limbs) })?;
            round(&n, digits)?
        }
        _ => {
            c.charge(several(n.limbs()))?;
            unary(c.form, n)?
        }
    };
    c.make_number(&result)
}

/// Digits to which a float is rounded within a few words, and the work of other digits.
const WORD_DIGITS: RangeInclusive<i64> = 0..=22;
const FAR_DIGITS_WORK: u64 = 32;

/// Work is counted from two limbs on.
fn several(limbs: u64) -> u64 {
    if limbs > 1 { limbs } else { 0 }
}

fn unary(form: Form, n: Number) -> Result<Number, Trouble> {
    let of_float = |f: fn(f64) -> f64| Ok(Number::Float(finite(f(n.float()?))?));
    let to_integer = |f: fn(f64) -> f64, n: Number| match n {
        Number::Float(n) => Number::Big(integral(f(n))),
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
        Form::Exp => return of_float(libm::exp),
        Form::Ln => return of_float(libm::log),
        Form::Log10 => return of_float(libm::log10),
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

/// Digits beyond 64 bits are as many as no number has.
fn digits(c: &Call<'_>) -> Result<i64, Exit> {
    match c.number(1) {
        Ok(Number::Small(digits)) => Ok(digits),
        Ok(Number::Big(digits)) => Ok(if digits.is_negative() { i64::MIN } else { i64::MAX }),
        _ => {
            let found = type_name(&c.s.heap, c.operand(1));
            Err(Trouble::Type { operand: 1, wanted: "an integer", found }.into())
        }
    }
}

fn pow(c: &mut Call<'_>, base: &Number, exponent: &Number) -> Result<Number, Exit> {
    let mut work = several(base.limbs().max(exponent.limbs()));
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
