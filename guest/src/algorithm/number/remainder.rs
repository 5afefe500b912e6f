//! `mod` with a float: the exact remainder of the exact numbers, rounded once. Both are multiplied
//! by the least power of two that makes them integers.

use crate::algorithm::number::value::{Number, finite};
use crate::algorithm::trouble::Trouble;

use crate::algorithm::number::rational::{is_negative, parts, power_of_two, ratio, with_sign};
use crate::memory::heap::Heap;
use crate::memory::word::{Word, as_small, is_integer};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// Returns a float as `significand * 2^exponent`, without its sign. The exponent is as near to 0 as
/// possible.
fn reduced(n: f64) -> (u64, i64) {
    let (significand, exponent) = parts(n);
    let zeros = i64::from(significand.trailing_zeros()).min(-exponent).max(0);
    if significand == 0 { (0, 0) } else { (significand >> zeros, exponent + zeros) }
}

/// Counts the 64-bit limbs of both numbers once they are integers.
pub(crate) fn limbs(heap: &Heap, x: Word, y: Word) -> (u64, u64) {
    let (a, b) = (size(heap, x), size(heap, y));
    let least = a.1.min(b.1).min(0);
    let limbs = |(bits, exponent): (u64, i64)| {
        let shift = if bits == 0 { 0 } else { (exponent - least).unsigned_abs() };
        (bits + shift).div_ceil(64).max(1)
    };
    (limbs(a), limbs(b))
}

/// Returns the bits of a number's significand and its exponent, which is 0 for an integer.
fn size(heap: &Heap, v: Word) -> (u64, i64) {
    let length = |n: u64| u64::from(u64::BITS - n.leading_zeros());
    if let Some(n) = heap.as_float(v) {
        let (significand, exponent) = reduced(n);
        return (length(significand), exponent);
    }
    if is_integer(v) {
        return (length(as_small(v).unsigned_abs()), 0);
    }
    let (top, others) =
        heap.limbs(v).and_then(|(limbs, _)| limbs.split_last()).unwrap_or((&0, &[]));
    (length(*top) + 64 * others.len() as u64, 0)
}

/// Returns the remainder with the sign of the divisor, even for zero.
pub(crate) fn of(a: &Number, b: &Number) -> Result<f64, Trouble> {
    if b.is_zero() {
        return Err(Trouble::DivideByZero);
    }
    let differ = is_negative(a) != is_negative(b);
    let short = word(a).zip(word(b)).and_then(|(a, b)| short(a, b, differ));
    let rest = short.unwrap_or_else(|| long(a, b, differ));
    finite(with_sign(rest, is_negative(b)))
}

/// Returns the magnitude of a number as `significand * 2^exponent`, if the significand fits in a
/// word.
fn word(n: &Number) -> Option<(u64, i64)> {
    match n {
        Number::Small(n) => Some((n.unsigned_abs(), 0)),
        Number::Big(_) => None,
        Number::Float(n) => Some(reduced(*n)),
    }
}

/// Returns the magnitude of the remainder, if both numbers fit in integers of 128 bits.
fn short((a, x): (u64, i64), (b, y): (u64, i64), differ: bool) -> Option<f64> {
    let least = x.min(y).min(0);
    let shifted = |n: u64, exponent: i64| {
        let n = u128::from(n);
        let shift = u32::try_from(exponent - least).ok()?;
        if shift <= n.leading_zeros() { n.checked_shl(shift) } else { None }
    };
    let (a, b) = (shifted(a, x)?, shifted(b, y)?);
    let rest = a % b;
    let rest = if differ && rest > 0 { b - rest } else { rest };
    #[expect(clippy::cast_precision_loss, reason = "rounded here, and nowhere else")]
    // A number of more than 53 bits is above the smallest floats, so the product is exact.
    Some(rest as f64 * power_of_two(least))
}

/// Returns the magnitude of the remainder of any two numbers.
fn long(a: &Number, b: &Number, differ: bool) -> f64 {
    let scaled = |n: &Number| match word(n) {
        Some((significand, exponent)) => (BigUint::from(significand), exponent),
        None => (n.big().into_parts().1, 0),
    };
    let ((a, x), (b, y)) = (scaled(a), scaled(b));
    let least = x.min(y).min(0);
    let (a, b) = (a << (x - least), b << (y - least));
    let rest = a % &b;
    let rest = if differ && !rest.is_zero() { b - rest } else { rest };
    ratio(&rest, &(BigUint::one() << -least))
}
