//! Sums, means, products and quantiles. All but products are exact; floats are rounded once.

use crate::algorithm::number::value::{Number, TOO_LARGE, bounded, finite};
use crate::algorithm::trouble::Trouble;

use crate::algorithm::number::rational::{LEAST, parts, ratio, with_sign};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive, Zero};
use pif_core::limits::INTEGER_BITS;

/// An exact sum. Large integers are apart from small ones, and positive from negative ones. So
/// carries through the whole sum are never more than its length has paid for.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    small: i128,
    above: BigUint,
    below: BigUint,
    /// The sum of floats, if there are any.
    floats: Option<Box<Floats>>,
    /// Whether a number was infinite.
    is_infinite: bool,
}

impl Sum {
    /// Adds a small integer.
    #[inline]
    pub(crate) fn add_small(&mut self, n: i64) {
        self.small += i128::from(n);
    }

    /// Adds an integer of one limb.
    #[inline]
    pub(crate) fn add_limb(&mut self, limb: u64, is_negative: bool) {
        self.small += if is_negative { -i128::from(limb) } else { limb.into() };
    }

    #[inline]
    pub(crate) fn add_float(&mut self, n: f64) {
        if n.is_infinite() {
            self.is_infinite = true;
            return;
        }
        self.floats.get_or_insert_default().add(n);
    }

    pub(crate) fn add(&mut self, number: Number) {
        match number {
            Number::Small(n) => self.add_small(n),
            Number::Big(n) if n.is_negative() => self.below += n.magnitude(),
            Number::Big(n) => self.above += n.magnitude(),
            Number::Float(n) => self.add_float(n),
        }
    }

    fn integers(&self) -> BigInt {
        let big = |n: &BigUint| BigInt::from_biguint(Sign::Plus, n.clone());
        big(&self.above) - big(&self.below) + BigInt::from(self.small)
    }

    /// Returns the sum: an integer if all numbers are integers, otherwise a float.
    pub(crate) fn total(&self) -> Result<Number, Trouble> {
        if self.floats.is_some() || self.is_infinite {
            return self.mean(1).map(Number::Float);
        }
        bounded(self.integers())
    }

    /// Returns the sum divided by `n`, which is not zero, rounded once.
    pub(crate) fn mean(&self, n: u64) -> Result<f64, Trouble> {
        if self.is_infinite {
            return Err(Trouble::NotFinite);
        }
        let (floats, exponent) = self.floats.as_deref().map_or((BigInt::ZERO, 0), Floats::sum);
        let sum = (floats << exponent.max(0)) + (self.integers() << -exponent.min(0));
        finite(quotient(&sum, &(BigUint::from(n) << -exponent.min(0))))
    }
}

/// Bits of the exponents in one part of a sum of floats, and the number of parts for all exponents.
const PART_BITS: i64 = 32;
const PARTS: usize = 64;

/// An exact sum of floats. Each part sums the floats whose last bits lie in its range, as a
/// multiple of its lowest bit. No list is long enough to overflow a part (after Neal, "Fast exact
/// summation using small and large superaccumulators", 2015).
#[derive(Debug)]
struct Floats([i128; PARTS]);

impl Default for Floats {
    fn default() -> Self {
        Self([0; PARTS])
    }
}

impl Floats {
    #[inline]
    fn add(&mut self, n: f64) {
        let (significand, exponent) = parts(n);
        let place = exponent - LEAST;
        let units = i128::from(significand) << (place % PART_BITS);
        let part = usize::try_from(place / PART_BITS).unwrap_or_default();
        if let Some(part) = self.0.get_mut(part) {
            *part += if n < 0.0 { -units } else { units };
        }
    }

    /// Returns the sum as `integer * 2^exponent`.
    fn sum(&self) -> (BigInt, i64) {
        let empty = self.0.iter().take_while(|part| **part == 0).count() % PARTS;
        let parts = self.0.iter().skip(empty).rev();
        let sum =
            parts.fold(BigInt::ZERO, |above, part| (above << PART_BITS) + BigInt::from(*part));
        (sum, LEAST + PART_BITS * i64::try_from(empty).unwrap_or_default())
    }
}

/// Multiplies two numbers.
pub(crate) fn multiply(a: Number, b: Number) -> Result<Number, Trouble> {
    match (&a, &b) {
        (Number::Float(_), _) | (_, Number::Float(_)) => {
            return Ok(Number::Float(finite(a.float()? * b.float()?)?));
        }
        (Number::Small(x), Number::Small(y)) => {
            if let Some(product) = x.checked_mul(*y) {
                return Ok(Number::Small(product));
            }
        }
        _ => {}
    }
    let (a, b) = (a.into_big(), b.into_big());
    if a.bits() + b.bits() > INTEGER_BITS + 1 {
        return Err(TOO_LARGE);
    }
    bounded(a * b)
}

/// A rank among sorted numbers: `part / whole` of the way from the one at `index` to the next.
#[derive(Debug)]
pub(crate) struct Rank {
    pub(crate) index: usize,
    part: BigUint,
    whole: BigUint,
}

impl Rank {
    /// Returns the exact rank (n−1)·p/100. `p` is from 0 to 100; `n` is not 0.
    pub(crate) fn new(n: usize, p: &Number) -> Self {
        let (p, exponent) = dyadic(p);
        let (steps, hundred) = (p.magnitude() * (n - 1), BigUint::from(100_u8));
        let (steps, whole) = match usize::try_from(exponent) {
            Ok(exponent) => (steps << exponent, hundred),
            Err(_) => (steps, hundred << exponent.unsigned_abs()),
        };
        let (index, part) = steps.div_rem(&whole);
        Self { index: index.to_usize().unwrap_or_default().min(n - 1), part, whole }
    }

    /// Returns the value at this rank between the numbers `a` and `b`: exact, then rounded to a
    /// float.
    pub(crate) fn value(self, a: &Number, b: &Number) -> Result<f64, Trouble> {
        if self.part.is_zero() {
            return a.float();
        }
        let ((a, x), (b, y)) = (dyadic(a), dyadic(b));
        let exponent = x.min(y);
        let shifted = |n: BigInt, from: i64| n << (from - exponent);
        let (part, rest) =
            (BigInt::from(self.part.clone()), BigInt::from(self.whole.clone() - self.part));
        let sum = shifted(a, x) * rest + shifted(b, y) * part;
        finite(match usize::try_from(exponent) {
            Ok(exponent) => quotient(&(sum << exponent), &self.whole),
            Err(_) => quotient(&sum, &(self.whole << exponent.unsigned_abs())),
        })
    }
}

/// Returns a number as an integer times a power of two.
fn dyadic(n: &Number) -> (BigInt, i64) {
    let Number::Float(n) = n else { return (n.big(), 0) };
    let (significand, exponent) = parts(*n);
    let significand = BigInt::from(significand);
    (if *n < 0.0 { -significand } else { significand }, exponent)
}

/// Returns the float nearest to a quotient; a tie goes to the even one. Beyond all floats, the
/// result is infinite.
fn quotient(a: &BigInt, b: &BigUint) -> f64 {
    with_sign(ratio(a.magnitude(), b), a.is_negative())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_once() {
        let of = |a: i64, b: u64| quotient(&BigInt::from(a), &BigUint::from(b));
        for (a, b, expected) in [
            (1, 3, 1.0 / 3.0),
            (-7, 2, -3.5),
            (9_007_199_254_740_993, 1, 9_007_199_254_740_992.0),
            (9_007_199_254_740_995, 1, 9_007_199_254_740_996.0),
            (i64::MAX, 3, 3_074_457_345_618_258_602.0),
        ] {
            assert_eq!(of(a, b).to_bits(), f64::to_bits(expected), "{a}/{b}");
        }
        let least = quotient(&BigInt::from(3), &(BigUint::from(1_u8) << 1076_u32));
        assert_eq!(least.to_bits(), 1);
        assert_eq!(quotient(&BigInt::from(1), &(BigUint::from(1_u8) << 1075_u32)).to_bits(), 0);
        assert!(quotient(&(BigInt::from(1) << 1024_u32), &BigUint::from(1_u8)).is_infinite());
        let greatest = (BigInt::from(1) << 1024_u32) - (BigInt::from(1) << 970_u32) - 1;
        assert_eq!(quotient(&greatest, &BigUint::from(1_u8)).to_bits(), f64::MAX.to_bits());
    }
}
