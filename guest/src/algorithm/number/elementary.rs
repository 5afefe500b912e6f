//! `exp`, `ln`, `log10` and `pow` of floats. Each result has some 90 bits, as the sum of two
//! floats, and is rounded once: hardly one of 10^10 results is not the nearest float. The only
//! operations are sums, products and quotients of floats, and one logarithm as an estimate. All are
//! equal on every platform.

use crate::algorithm::number::rational::{LEAST, parts, power_of_two};
use std::f64::consts;

/// A number as the nearest float and the rest.
#[derive(Clone, Copy, Debug)]
struct Double {
    high: f64,
    low: f64,
}

const LN_2: Double = Double { high: consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
/// 1 / ln 10.
const LOG10_E: Double = Double { high: consts::LOG10_E, low: 1.098_319_650_216_765e-17 };

/// 1/7!, 1/6!, … 1.
const INVERSE_FACTORIALS: [Double; 7] = [
    Double { high: 1.984_126_984_126_984e-4, low: 1.720_955_829_342_070_5e-22 },
    Double { high: 1.388_888_888_888_889e-3, low: -5.300_543_954_373_577e-20 },
    Double { high: 8.333_333_333_333_333e-3, low: 1.156_482_317_317_871_4e-19 },
    Double { high: 4.166_666_666_666_666_4e-2, low: 2.312_964_634_635_742_7e-18 },
    Double { high: 1.666_666_666_666_666_6e-1, low: 9.251_858_538_542_97e-18 },
    Double { high: 0.5, low: 0.0 },
    Double { high: 1.0, low: 0.0 },
];

/// Relative to a number: less than the distance of two different results, and more than any error.
const NOTHING: f64 = 1e-27;
/// Below this, e^x is 1 as a float. No logarithm of a float other than 1 is so near to 0.
const TINY: f64 = 1e-18;

/// Returns the exact sum of two floats.
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let rest = high - a;
    Double { high, low: (a - (high - rest)) + (b - rest) }
}

/// Returns the exact product of two floats that are far from both ends of their range (Dekker,
/// 1971).
fn product(a: f64, b: f64) -> Double {
    let halves = |n: f64| {
        let shifted = 134_217_729.0 * n;
        let top = shifted - (shifted - n);
        (top, n - top)
    };
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    let high = a * b;
    Double { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
}

/// Returns the exact sum of two floats. The first must not be the smaller one.
fn short_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

impl Double {
    fn plus(self, other: Self) -> Self {
        let (high, low) = (sum(self.high, other.high), sum(self.low, other.low));
        let first = short_sum(high.high, high.low + low.high);
        short_sum(first.high, first.low + low.low)
    }

    /// Adds a number that is not greater.
    fn plus_less(self, other: Self) -> Self {
        let Self { high, low } = short_sum(self.high, other.high);
        short_sum(high, low + (self.low + other.low))
    }

    fn times(self, other: Self) -> Self {
        let Self { high, low } = product(self.high, other.high);
        short_sum(high, low + (self.high * other.low + self.low * other.high))
    }

    fn scaled(self, power: f64) -> Self {
        Self { high: self.high * power, low: self.low * power }
    }
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

/// Returns e^x − 1 for x between −1/2 and 1/2, by the series of x/64.
fn exp_minus_one(x: Double) -> Double {
    let x = x.scaled(1.0 / 64.0);
    // The sum of these is less than the precision of 1/7!.
    let rest = [1.0 / 479_001_600.0, 1.0 / 39_916_800.0, 1.0 / 3_628_800.0, 1.0 / 362_880.0];
    let rest = rest.iter().fold(0.0, |sum, inverse| sum * x.high + inverse);
    let rest = Double::from(rest * x.high + 1.0 / 40_320.0);
    let series =
        INVERSE_FACTORIALS.iter().fold(rest, |sum, inverse| inverse.plus_less(sum.times(x)));
    // (1 + y)² − 1 = 2y + y²
    (0..6).fold(series.times(x), |y, _| y.scaled(2.0).plus_less(y.times(y)))
}

/// Returns the float nearest to e^x.
fn exponential(x: Double) -> f64 {
    if x.high.abs() < TINY {
        return 1.0;
    }
    if x.high.abs() > 746.0 {
        return if x.high > 0.0 { f64::INFINITY } else { 0.0 };
    }
    let halvings = (x.high * consts::LOG2_E).round();
    let rest = x.plus(LN_2.times(Double::from(-halvings)));
    let power = exp_minus_one(rest).plus(Double::from(1.0));
    #[expect(clippy::cast_possible_truncation, reason = "at most 1077")]
    nearest(power, halvings as i64)
}

/// Returns the float nearest to `n * 2^exponent`, with `n` near 1.
fn nearest(n: Double, exponent: i64) -> f64 {
    let is_nothing = |rest: f64| rest.abs() < n.high * NOTHING;
    let (significand, last) = parts(n.high);
    let dropped = LEAST - (last + exponent);
    if dropped > 0 {
        // Subnormal floats have fewer digits. The first digits decide, and at one half the others.
        let dropped = dropped.min(60);
        let (half, kept) = (1 << (dropped - 1), significand >> dropped);
        let rest = significand & (2 * half - 1);
        let up = match rest.cmp(&half) {
            std::cmp::Ordering::Equal if is_nothing(n.low) => kept % 2 == 1,
            std::cmp::Ordering::Equal => n.low > 0.0,
            order => order.is_gt(),
        };
        return f64::from_bits(kept + u64::from(up));
    }
    // The middle of two floats rounds to the even one.
    let next = if n.low > 0.0 { n.high.next_up() } else { n.high.next_down() };
    let is_half = significand % 2 == 1 && is_nothing((next - n.high) / 2.0 - n.low);
    let high = if is_half { next } else { n.high };
    if exponent > 1024 {
        return f64::INFINITY;
    }
    2.0 * high * power_of_two(exponent - 1)
}

/// Returns the natural logarithm of a positive float.
fn logarithm(x: f64) -> Double {
    let (significand, exponent) = parts(x);
    // Scales the number to between √½ and √2.
    let shift = i64::from(significand.leading_zeros()) - 11;
    let fraction = (significand << shift) & ((1 << 52) - 1);
    let (mut m, mut exponent) = (f64::from_bits(1023 << 52 | fraction), exponent + 52 - shift);
    if m > consts::SQRT_2 {
        (m, exponent) = (m / 2.0, exponent + 1);
    }
    // One step of Newton's method: the error of the exponential is the error of the estimate.
    let estimate = libm::log(m);
    let power = exp_minus_one(Double::from(estimate));
    let rest = Double::from(m - 1.0).plus(power.scaled(-1.0));
    let logarithm = sum(estimate, rest.high / (1.0 + power.high));
    #[expect(clippy::cast_precision_loss, reason = "at most 1074")]
    LN_2.times(Double::from(exponent as f64)).plus(logarithm)
}

/// Returns e^x.
pub(crate) fn exp(x: f64) -> f64 {
    exponential(Double::from(x))
}

/// Returns the natural logarithm. For a negative number or zero, the result is not finite.
pub(crate) fn ln(x: f64) -> f64 {
    if x > 0.0 { logarithm(x).high } else { f64::NAN }
}

/// Returns the decimal logarithm. For a negative number or zero, the result is not finite.
pub(crate) fn log10(x: f64) -> f64 {
    if x > 0.0 { logarithm(x).times(LOG10_E).high } else { f64::NAN }
}

/// Returns x^y. For zero to a negative power, and a negative number to a fraction, the result is
/// not finite.
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    let is_odd = y.fract() == 0.0 && (y / 2.0).fract() != 0.0;
    if y == 0.0 {
        return 1.0;
    }
    if x < 0.0 && y.fract() != 0.0 || x == 0.0 && y < 0.0 {
        return f64::NAN;
    }
    let magnitude = if x == 0.0 { 0.0 } else { power(x.abs(), y) };
    if x.is_sign_negative() && is_odd { -magnitude } else { magnitude }
}

/// Returns x^y for a positive number.
fn power(x: f64, y: f64) -> f64 {
    let logarithm = logarithm(x);
    let estimate = logarithm.high * y;
    // Outside these bounds, the product could leave the range of floats.
    if (TINY..1e3).contains(&estimate.abs()) {
        exponential(logarithm.times(Double::from(y)))
    } else {
        exponential(Double::from(estimate))
    }
}
