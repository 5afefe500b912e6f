//! Sums, products and quantiles of many numbers: exact for integers, in floats from the first float
//! on, as `add` and `mul` from the left would give them.

use super::Trouble;
use super::arithmetic::Number;
use crate::limits::INTEGER_BITS;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive, Zero};

/// A sum. Large integers are kept apart from small ones, and positive ones from negative ones:
/// so no carry runs through the whole of it more often than its length has been paid for.
#[derive(Debug, Default)]
pub(crate) struct Sum {
    small: i128,
    above: BigUint,
    below: BigUint,
    /// The sum once there is a float. Once it is not finite it never is again.
    float: Option<f64>,
}

impl Sum {
    /// Adds an integer of a word.
    #[inline]
    pub(crate) fn add_small(&mut self, n: i64) {
        if self.float.is_some() {
            self.add(Number::Small(n));
        } else {
            self.small += i128::from(n);
        }
    }

    /// Adds an integer of a limb.
    #[inline]
    pub(crate) fn add_limb(&mut self, limb: u64, is_negative: bool) {
        let n = if is_negative { -i128::from(limb) } else { limb.into() };
        match &mut self.float {
            #[expect(clippy::cast_precision_loss, reason = "rounded as any integer")]
            Some(sum) => *sum += n as f64,
            None => self.small += n,
        }
    }

    pub(crate) fn add(&mut self, number: Number) {
        if let Some(sum) = self.float {
            self.float = Some(sum + number.float().unwrap_or(f64::INFINITY));
            return;
        }
        match number {
            Number::Small(n) => self.small += i128::from(n),
            Number::Big(n) if n.is_negative() => self.below += n.magnitude(),
            Number::Big(n) => self.above += n.magnitude(),
            Number::Float(n) => {
                self.float = Some(Number::Big(self.exact()).float().unwrap_or(f64::INFINITY) + n);
            }
        }
    }

    fn exact(&self) -> BigInt {
        let big = |n: &BigUint| BigInt::from_biguint(Sign::Plus, n.clone());
        big(&self.above) - big(&self.below) + self.small
    }

    pub(crate) fn total(&self) -> Result<Number, Trouble> {
        if let Some(sum) = self.float {
            return Ok(Number::Float(finite(sum)?));
        }
        let sum = self.exact();
        if sum.bits() > INTEGER_BITS { Err(TOO_LARGE) } else { Ok(Number::Big(sum)) }
    }

    /// The sum divided by a number that is not zero.
    pub(crate) fn mean(&self, n: u64) -> Result<f64, Trouble> {
        match self.float {
            #[expect(clippy::cast_precision_loss, reason = "no list is so long")]
            Some(sum) => finite(sum / n as f64),
            None => finite(quotient(&self.exact(), &BigUint::from(n))),
        }
    }
}

/// The product of two numbers.
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
    let product = a * b;
    if product.bits() > INTEGER_BITS { Err(TOO_LARGE) } else { Ok(Number::Big(product)) }
}

const TOO_LARGE: Trouble = Trouble::TooLarge("the integer would have more than 1048576 bits");

fn finite(n: f64) -> Result<f64, Trouble> {
    if n.is_finite() { Ok(n) } else { Err(Trouble::NotFinite) }
}

/// A place among numbers in order: after the one at `index`, `part` of `whole` of the way to the
/// next one.
#[derive(Debug)]
pub(crate) struct Rank {
    pub(crate) index: usize,
    part: BigUint,
    whole: BigUint,
}

impl Rank {
    /// The rank (n−1)·p/100, exactly. `p` is from 0 to 100, `n` is not 0.
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

    /// The value at this rank, `a` and `b` being the numbers around it: the exact one, rounded to
    /// a float.
    pub(crate) fn value(self, a: &Number, b: &Number) -> Result<f64, Trouble> {
        if self.part.is_zero() {
            return a.float();
        }
        let ((a, x), (b, y)) = (dyadic(a), dyadic(b));
        let exponent = x.min(y);
        let shifted = |n: BigInt, from: i32| n << from.abs_diff(exponent);
        let (part, rest) =
            (BigInt::from(self.part.clone()), BigInt::from(self.whole.clone() - self.part));
        let sum = shifted(a, x) * rest + shifted(b, y) * part;
        finite(match usize::try_from(exponent) {
            Ok(exponent) => quotient(&(sum << exponent), &self.whole),
            Err(_) => quotient(&sum, &(self.whole << exponent.unsigned_abs())),
        })
    }
}

/// A number as an integer times a power of two.
fn dyadic(n: &Number) -> (BigInt, i32) {
    let Number::Float(n) = n else { return (n.big(), 0) };
    let (bits, fraction) = (n.abs().to_bits(), (1 << 52) - 1);
    let exponent = i32::try_from(bits >> 52).unwrap_or_default();
    // The smallest floats have no leading bit that goes without saying.
    let leading = if exponent == 0 { 0 } else { 1 << 52 };
    let magnitude = BigInt::from(bits & fraction | leading);
    (if n.is_sign_negative() { -magnitude } else { magnitude }, exponent.max(1) - 1075)
}

/// The float nearest to a quotient, the even one of two; infinite if there is none so large.
pub(crate) fn quotient(a: &BigInt, b: &BigUint) -> f64 {
    let magnitude = a.magnitude();
    if magnitude.is_zero() {
        return 0.0;
    }
    // Of the quotient 56 bits or so, and whether anything follows.
    let scale = i64::try_from(magnitude.bits()).unwrap_or(i64::MAX)
        - i64::try_from(b.bits()).unwrap_or(i64::MAX)
        - 56;
    let (digits, rest) = if scale < 0 {
        (magnitude << scale.unsigned_abs()).div_rem(b)
    } else {
        magnitude.div_rem(&(b << scale.unsigned_abs()))
    };
    let digits = digits.to_u64().unwrap_or_default();
    let top = scale + 63 - i64::from(digits.leading_zeros());
    let last = (top - 52).max(-1074);
    let dropped = u32::try_from(last - scale).unwrap_or(u32::MAX);
    // Of what is far below the least float nothing is left.
    let Some(kept) = digits.checked_shr(dropped) else { return 0.0 };
    let half = 1 << (dropped - 1);
    let below = digits & (2 * half - 1);
    let up = below > half || below == half && (!rest.is_zero() || kept % 2 == 1);
    #[expect(clippy::cast_precision_loss, reason = "no more than 53 bits, or a power of two")]
    let kept = (kept + u64::from(up)) as f64;
    let value = kept * power_of_two(last);
    if a.is_negative() { -value } else { value }
}

/// A power of two that is not less than the least float; beyond the greatest, infinity.
fn power_of_two(exponent: i64) -> f64 {
    match u64::try_from(exponent + 1023) {
        Ok(biased @ 1..2047) => f64::from_bits(biased << 52),
        Ok(1..) => f64::INFINITY,
        _ => f64::from_bits(1 << (exponent + 1074).max(0)),
    }
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
