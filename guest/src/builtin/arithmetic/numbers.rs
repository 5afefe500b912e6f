//! `fdiv neg abs sqrt exp ln log10 floor ceil to_int to_float pow round`.

use crate::algorithm::number::value::{Number, finite};
use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use pif_language::prices::units;

use crate::run::state::Exit;

use crate::algorithm::number::arithmetic::length_work;
use crate::algorithm::number::elementary;
use crate::algorithm::number::power::{fits, power};
use crate::algorithm::number::rational;
use crate::algorithm::number::rational::{nearest_integer, quotient};
use crate::memory::word::Word;
use num_traits::Signed;
use std::ops::RangeInclusive;

pub(crate) fn fdiv(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (n, divisor) = (c.number(0)?, c.number(1)?);
    c.charge(length_work(n.limbs().max(divisor.limbs())))?;
    c.make_number(&Number::Float(quotient(&n, &divisor)?))
}

/// Returns the operand, which is not infinite, after charging for its work.
fn operand(c: &mut Call<'_>) -> Result<Number, Exit> {
    c.number(0)?;
    any_operand(c)
}

/// Returns the operand after charging for its work.
fn any_operand(c: &mut Call<'_>) -> Result<Number, Exit> {
    let n = c.any_number(0)?;
    c.charge(length_work(n.limbs()))?;
    Ok(n)
}

/// Applies `f` to the operand as a float.
fn of_float(c: &mut Call<'_>, f: fn(f64) -> f64) -> Result<Word, Exit> {
    let n = operand(c)?.float()?;
    c.make_number(&Number::Float(finite(f(n))?))
}

/// Applies `f` to a float to make an integer. An integer stays.
fn to_integer(c: &mut Call<'_>, f: fn(f64) -> Number) -> Result<Word, Exit> {
    let n = match operand(c)? {
        Number::Float(n) => f(n),
        n => n,
    };
    c.make_number(&n)
}

pub(crate) fn neg(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = match any_operand(c)? {
        Number::Float(n) => Number::Float(-n),
        n => Number::Big(-n.big()),
    };
    c.make_number(&n)
}

pub(crate) fn abs(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = match any_operand(c)? {
        Number::Float(n) => Number::Float(n.abs()),
        n => Number::Big(n.big().abs()),
    };
    c.make_number(&n)
}

pub(crate) fn sqrt(c: &mut Call<'_>) -> Result<Word, Exit> {
    of_float(c, f64::sqrt)
}

pub(crate) fn exp(c: &mut Call<'_>) -> Result<Word, Exit> {
    of_float(c, elementary::exp)
}

pub(crate) fn ln(c: &mut Call<'_>) -> Result<Word, Exit> {
    of_float(c, elementary::ln)
}

pub(crate) fn log10(c: &mut Call<'_>) -> Result<Word, Exit> {
    of_float(c, elementary::log10)
}

pub(crate) fn to_float(c: &mut Call<'_>) -> Result<Word, Exit> {
    of_float(c, |n| n)
}

pub(crate) fn floor(c: &mut Call<'_>) -> Result<Word, Exit> {
    to_integer(c, |n| whole(n.floor()))
}

pub(crate) fn ceil(c: &mut Call<'_>) -> Result<Word, Exit> {
    to_integer(c, |n| whole(n.ceil()))
}

pub(crate) fn to_int(c: &mut Call<'_>) -> Result<Word, Exit> {
    to_integer(c, |n| whole(n.trunc()))
}

pub(crate) fn round(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.len() == 1 {
        return to_integer(c, |n| Number::Big(nearest_integer(n)));
    }
    let (n, digits) = (c.number(0)?, digits(c)?);
    let limbs = if digits < 0 { n.limbs().saturating_mul(n.limbs()) } else { n.limbs() };
    let is_far = n.is_float() && !WORD_DIGITS.contains(&digits);
    c.charge(if is_far { units::FAR_DIGITS } else { length_work(limbs) })?;
    let rounded = rational::round(&n, digits)?;
    c.make_number(&rounded)
}

pub(crate) fn pow(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (base, exponent) = (c.number(0)?, c.number(1)?);
    let result = power_of(c, &base, &exponent)?;
    c.make_number(&result)
}

/// Digits to which a float is rounded within a few words, and the work of other digits.
const WORD_DIGITS: RangeInclusive<i64> = 0..=22;
/// Converts a float without a fraction to an integer.
fn whole(n: f64) -> Number {
    Number::Float(n).whole()
}

/// Returns the digits. Digits beyond 64 bits are more than any number has.
fn digits(c: &Call<'_>) -> Result<i64, Exit> {
    Ok(c.integer(1)?.unwrap_or_else(|negative| if negative { i64::MIN } else { i64::MAX }))
}

pub(super) fn power_of(c: &mut Call<'_>, base: &Number, exponent: &Number) -> Result<Number, Exit> {
    let mut work = length_work(base.limbs().max(exponent.limbs()));
    if fits(base, exponent)? {
        c.charge(work)?;
        return power(base, exponent, |work| c.charge(work));
    }
    // A result that is too large costs nothing. Only the computation shows whether this one is.
    let result = power(base, exponent, |more| {
        work += more;
        Ok::<_, Trouble>(())
    })?;
    c.charge(work)?;
    Ok(result)
}
