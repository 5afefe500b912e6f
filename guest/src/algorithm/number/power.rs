//! Powers: exact for integers, floats otherwise.

use crate::algorithm::number::arithmetic::limbs_work;
use crate::algorithm::number::elementary;
use crate::algorithm::number::rational::quotient;
use crate::algorithm::number::value::{Number, TOO_LARGE, bounded, finite};
use crate::algorithm::trouble::Trouble;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};
use pif_core::limits::INTEGER_BITS;
use pif_language::form::Form;
use std::f64::consts::LOG2_E;

/// Tells whether a power surely has few enough bits for an integer. Fails if it surely has too
/// many. Only within a thousandth of a bit of the limit is neither sure.
pub(crate) fn fits(a: &Number, b: &Number) -> Result<bool, Trouble> {
    const MARGIN: f64 = 0.001;
    let (base, exponent) = (a.big().into_parts().1, b.big());
    let bits = base.bits();
    if a.is_float() || b.is_float() || bits < 2 || !exponent.is_positive() {
        return Ok(true);
    }
    let exponent = exponent.to_u64().unwrap_or(u64::MAX);
    if (bits - 1).saturating_mul(exponent) >= INTEGER_BITS {
        return Err(TOO_LARGE);
    }
    if bits * exponent <= INTEGER_BITS {
        return Ok(true);
    }
    // The estimate is below 2^21, so its error is below 2^-25.
    let dropped = bits.saturating_sub(64);
    let top = (base >> dropped).to_u64().unwrap_or_default();
    let logarithm = libm::log(to_f64(top)) * LOG2_E + to_f64(dropped);
    let (estimate, limit) = (to_f64(exponent) * logarithm, to_f64(INTEGER_BITS));
    if estimate > limit + MARGIN { Err(TOO_LARGE) } else { Ok(estimate < limit - MARGIN) }
}

#[expect(clippy::cast_precision_loss, reason = "for estimates with a margin")]
fn to_f64(n: u64) -> f64 {
    n as f64
}

/// Does `pow` of numbers that `fits` has accepted. It pays for each product first.
pub(crate) fn power<E: From<Trouble>>(
    a: &Number,
    b: &Number,
    pay: impl FnMut(u64) -> Result<(), E>,
) -> Result<Number, E> {
    if a.is_float() || b.is_float() {
        return Ok(Number::Float(of_floats(a.float()?, b.float()?)?));
    }
    let (base, exponent) = (a.big(), b.big());
    let is_odd = exponent.magnitude().bit(0);
    let sign = if base.is_negative() && is_odd { Sign::Minus } else { Sign::Plus };
    let (base, is_negative) = (base.into_parts().1, exponent.is_negative());
    if is_negative {
        let power = reciprocal(&base, exponent.magnitude())?;
        return Ok(Number::Float(if sign == Sign::Minus { -power } else { power }));
    }
    let power = match exponent.to_u64() {
        Some(0) => BigUint::one(),
        Some(exponent) if base.bits() > 1 => product(&base, exponent, pay)?,
        _ => base,
    };
    Ok(bounded(BigInt::from_biguint(sign, power))?)
}

fn of_floats(x: f64, y: f64) -> Result<f64, Trouble> {
    if x == 0.0 && y < 0.0 {
        return Err(Trouble::DivideByZero);
    }
    finite(elementary::pow(x, y))
}

/// Returns `1 / base^exponent`, correctly rounded.
fn reciprocal(base: &BigUint, exponent: &BigUint) -> Result<f64, Trouble> {
    if base.is_zero() {
        return Err(Trouble::DivideByZero);
    }
    if base.is_one() {
        return Ok(1.0);
    }
    let exponent = exponent.to_u64().unwrap_or(u64::MAX);
    // This is at most half of the smallest float.
    if (base.bits() - 1).saturating_mul(exponent) >= 1075 {
        return Ok(0.0);
    }
    let power = base.pow(u32::try_from(exponent).unwrap_or(u32::MAX));
    if power.bits() <= 53 {
        return Ok(1.0 / to_f64(power.to_u64().unwrap_or(1)));
    }
    quotient(&Number::Small(1), &Number::Big(power.into()))
}

/// Raises `base` to a power, by the bits of the exponent from the highest to the lowest.
fn product<E>(
    base: &BigUint,
    exponent: u64,
    mut pay: impl FnMut(u64) -> Result<(), E>,
) -> Result<BigUint, E> {
    let mut times = |a: &BigUint, b: &BigUint| {
        pay(limbs_work(Form::Mul, a.bits().div_ceil(64), b.bits().div_ceil(64)))?;
        Ok(a * b)
    };
    let mut power = base.clone();
    for bit in (0..exponent.ilog2()).rev() {
        power = times(&power, &power)?;
        if exponent >> bit & 1 == 1 {
            power = times(&power, base)?;
        }
    }
    Ok(power)
}
