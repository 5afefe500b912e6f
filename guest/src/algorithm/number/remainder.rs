//! `mod` where one number is a float: the exact remainder of the exact numbers, rounded once. Both
//! are multiplied by the least power of two that makes them integers.

use crate::algorithm::number::value::{Number, finite};
use crate::algorithm::trouble::Trouble;

use crate::algorithm::number::rational::{is_negative, parts, power_of_two, ratio, with_sign};
use crate::memory::heap::Heap;
use crate::memory::word::{Word, as_small, is_integer};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// A float without its sign as `significand * 2^exponent`, the exponent as near to 0 as it can be.
fn reduced(n: f64) -> (u64, i64) {
    let (significand, exponent) = parts(n);
    let zeros = i64::from(significand.trailing_zeros()).min(-exponent).max(0);
    if significand == 0 { (0, 0) } else { (significand >> zeros, exponent + zeros) }
}

/// 64-bit limbs of both numbers as the integers that they become.
pub(crate) fn limbs(heap: &Heap, x: Word, y: Word) -> (u64, u64) {
    let (a, b) = (size(heap, x), size(heap, y));
    let least = a.1.min(b.1).min(0);
    let limbs = |(bits, exponent): (u64, i64)| {
        let shift = if bits == 0 { 0 } else { (exponent - least).unsigned_abs() };
        (bits + shift).div_ceil(64).max(1)
    };
    (limbs(a), limbs(b))
}

/// Bits of the significand of a number, and its exponent; that of an integer is 0.
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

/// The remainder with the sign of the divisor, a zero too.
pub(crate) fn of(a: &Number, b: &Number) -> Result<f64, Trouble> {
    if b.is_zero() {
        return Err(Trouble::DivideByZero);
    }
    let differ = is_negative(a) != is_negative(b);
    let short = word(a).zip(word(b)).and_then(|(a, b)| short(a, b, differ));
    let rest = short.unwrap_or_else(|| long(a, b, differ));
    finite(with_sign(rest, is_negative(b)))
}

/// The magnitude of a number as `significand * 2^exponent`, if the significand is a word.
fn word(n: &Number) -> Option<(u64, i64)> {
    match n {
        Number::Small(n) => Some((n.unsigned_abs(), 0)),
        Number::Big(_) => None,
        Number::Float(n) => Some(reduced(*n)),
    }
}

/// The magnitude of the remainder, if both numbers become integers of 128 bits.
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
    // What has more than 53 bits is above the smallest floats, so that the product is exact.
    Some(rest as f64 * power_of_two(least))
}

/// The same of any numbers.
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
