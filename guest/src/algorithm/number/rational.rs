//! Exact fractions and their nearest floats: quotients, roundings, powers.

use crate::algorithm::number::value::{Number, bounded, finite};
use crate::algorithm::trouble::Trouble;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Bits of a float's significand, and the exponent of the smallest float.
const BITS: i64 = 53;
pub(crate) const LEAST: i64 = -1074;

/// Returns a float as `significand * 2^exponent`, without its sign.
pub(crate) fn parts(n: f64) -> (u64, i64) {
    let bits = n.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52).cast_signed(), bits & ((1 << 52) - 1));
    if exponent == 0 { (fraction, LEAST) } else { (fraction | 1 << 52, exponent - 1 + LEAST) }
}

/// Returns a number other than zero as `significand * 2^exponent`, without its sign.
fn scaled(n: &Number) -> (BigUint, i64) {
    match n {
        Number::Float(n) => {
            let (significand, exponent) = parts(*n);
            (BigUint::from(significand), exponent)
        }
        n => (n.big().into_parts().1, 0),
    }
}

pub(crate) fn is_negative(n: &Number) -> bool {
    match n {
        Number::Small(n) => *n < 0,
        Number::Big(n) => n.is_negative(),
        Number::Float(n) => n.is_sign_negative(),
    }
}

pub(crate) fn with_sign(n: f64, negative: bool) -> f64 {
    if negative { -n } else { n }
}

fn shift(n: &BigUint, bits: i64) -> BigUint {
    n << bits.max(0)
}

/// Does `fdiv`: returns the float nearest to the exact quotient.
pub(crate) fn quotient(a: &Number, b: &Number) -> Result<f64, Trouble> {
    if b.is_zero() {
        return Err(Trouble::DivideByZero);
    }
    let is_exact = |n: &Number| match n {
        Number::Small(n) => n.unsigned_abs() <= 1 << BITS,
        Number::Big(_) => false,
        Number::Float(_) => true,
    };
    if is_exact(a) && is_exact(b) || a.is_zero() {
        let b = b.float().unwrap_or_else(|_| with_sign(1.0, is_negative(b)));
        return finite(a.float()? / b);
    }
    let ((m, e), (n, f)) = (scaled(a), scaled(b));
    let ratio = ratio(&shift(&m, e - f), &shift(&n, f - e));
    finite(with_sign(ratio, is_negative(a) != is_negative(b)))
}

/// Returns the float nearest to a quotient; a tie goes to the even one. Beyond all floats, the
/// result is infinity. The divisor is not zero.
pub(crate) fn ratio(a: &BigUint, b: &BigUint) -> f64 {
    let difference = to_i64(a.bits()) - to_i64(b.bits());
    if a.is_zero() || difference < LEAST - 2 {
        return 0.0;
    }
    if difference > 1025 {
        return f64::INFINITY;
    }
    // The quotient has 66 or 67 bits. Its lowest bit also stands for all lower ones.
    let scale = 66 - difference;
    let (quotient, rest) = shift(a, scale).div_rem(&shift(b, -scale));
    let quotient = quotient.to_u128().unwrap_or_default() | u128::from(!rest.is_zero());
    let length = to_i64(quotient.checked_ilog2().unwrap_or_default().into()) + 1;
    let exponent = (length - BITS - scale).max(LEAST);
    let dropped = exponent + scale;
    let (kept, half) = (quotient >> dropped, 1_u128 << (dropped - 1));
    let rest = quotient & (2 * half - 1);
    let up = rest > half || rest == half && kept & 1 == 1;
    // A carry out of the significand adds to the exponent, and at its end makes infinity.
    let significand = (kept + u128::from(up)).to_u64().unwrap_or_default();
    let biased = (exponent - LEAST).cast_unsigned();
    f64::from_bits(((biased << 52) + significand).min(f64::INFINITY.to_bits()))
}

/// Returns a power of two, from the least float to the greatest.
pub(crate) fn power_of_two(exponent: i64) -> f64 {
    let above_least = (exponent - LEAST).max(0).cast_unsigned();
    f64::from_bits(if above_least < 52 { 1 << above_least } else { (above_least - 51) << 52 })
}

fn to_i64(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Returns the quotient of two magnitudes, rounded half to even.
fn half_even(a: &BigUint, b: &BigUint) -> BigUint {
    let (quotient, rest) = a.div_rem(b);
    match (rest << 1_u8).cmp(b) {
        std::cmp::Ordering::Greater => quotient + 1_u8,
        std::cmp::Ordering::Equal if quotient.is_odd() => quotient + 1_u8,
        _ => quotient,
    }
}

fn ten(exponent: i64) -> BigUint {
    BigUint::from(10_u8).pow(u32::try_from(exponent).unwrap_or_default())
}

/// Does `round` to `digits` digits after the point, or before it if negative.
pub(crate) fn round(n: &Number, digits: i64) -> Result<Number, Trouble> {
    match n {
        Number::Float(n) => round_float(*n, digits).map(Number::Float),
        n => round_integer(&n.big(), digits),
    }
}

fn round_integer(n: &BigInt, digits: i64) -> Result<Number, Trouble> {
    let zeros = digits.min(0).saturating_neg();
    // A digit has more than 3 bits, so half of such a power exceeds the number.
    if zeros.saturating_mul(3) > to_i64(n.bits()) + 1 {
        return Ok(Number::Small(0));
    }
    let power = ten(zeros);
    let magnitude = half_even(n.magnitude(), &power) * power;
    bounded(BigInt::from_biguint(n.sign(), magnitude))
}

fn round_float(n: f64, digits: i64) -> Result<f64, Trouble> {
    let (significand, exponent) = parts(n);
    // A float has at most as many digits after the point as bits.
    if digits >= exponent.min(0).saturating_neg() {
        return Ok(n);
    }
    if digits < -310 {
        return Ok(with_sign(0.0, n.is_sign_negative()));
    }
    if let Some(rounded) = round_word(significand, exponent, digits) {
        return Ok(with_sign(rounded, n.is_sign_negative()));
    }
    let (up, down) = (ten(digits.max(0)), ten(-digits.min(0)));
    let above = shift(&(BigUint::from(significand) * &up), exponent);
    let rounded = half_even(&above, &shift(&down, -exponent));
    finite(with_sign(ratio(&(rounded * down), &up), n.is_sign_negative()))
}

/// Rounds a float with more digits than `digits`, if everything fits into a few words, as it nearly
/// always does.
fn round_word(significand: u64, exponent: i64, digits: i64) -> Option<f64> {
    // 53 bits times 74 bits; the powers of ten are floats.
    let digits = u32::try_from(digits).ok().filter(|digits| *digits <= 22)?;
    let dropped = u32::try_from(exponent.checked_neg()?).ok().filter(|bits| *bits > 0)?;
    let power = 10_u128.pow(digits);
    let above = u128::from(significand) * power;
    // This is less than half of the last digit.
    if dropped > 128 {
        return Some(0.0);
    }
    let kept = above.checked_shr(dropped).unwrap_or_default();
    let rest = above - kept.checked_shl(dropped).unwrap_or_default();
    let half = 1_u128 << (dropped - 1);
    let up = rest > half || rest == half && kept & 1 == 1;
    let rounded = kept + u128::from(up);
    #[expect(clippy::cast_precision_loss, reason = "both are floats")]
    (rounded <= 1 << BITS).then(|| rounded as f64 / power as f64)
}

/// Does `round` without digits. Returns an integer.
pub(crate) fn nearest_integer(n: f64) -> BigInt {
    let (significand, exponent) = parts(n);
    let sign = if n < 0.0 { Sign::Minus } else { Sign::Plus };
    let magnitude = BigUint::from(significand);
    let rounded = if exponent >= 0 {
        magnitude << exponent
    } else {
        half_even(&magnitude, &(BigUint::one() << -exponent))
    };
    BigInt::from_biguint(sign, rounded)
}
