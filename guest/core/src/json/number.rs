//! JSON numbers: exact integers of any size, and floats.

use crate::fault::{Code, Fault};
use crate::figures;
use crate::json::decimal::Powers;
use crate::limits::INTEGER_BITS;
use crate::text::quote::shorten;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::fmt;
use std::fmt::Write as _;

/// An exact integer, in a machine word where it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer {
    /// It fits.
    Small(i64),
    /// It does not fit.
    Big(BigInt),
}

impl From<BigInt> for Integer {
    fn from(n: BigInt) -> Self {
        n.to_i64().map_or(Self::Big(n), Self::Small)
    }
}

/// The meaning of a JSON number, in code and in data alike.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A number with neither a point nor a negative exponent.
    Integer(Integer),
    /// Any other number: the nearest float.
    Float(f64),
}

/// Decimal digits of the largest integer, rounded up.
#[expect(clippy::cast_possible_truncation, reason = "2^20")]
const MAX_DIGITS: usize = INTEGER_BITS as usize * 302 / 1000 + 1;

/// Tells whether a text is a JSON number.
#[must_use]
pub fn is_json(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let exponent = exponent.map(|it| it.strip_prefix(['+', '-']).unwrap_or(it));
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}

/// Tells whether a JSON number is a float: it has a point or a negative exponent.
#[must_use]
pub fn is_float(text: &str) -> bool {
    text.bytes().any(|byte| byte == b'.') || text.contains("e-") || text.contains("E-")
}

/// Reads a JSON number.
pub fn literal(text: &str) -> Result<Literal, Fault> {
    if is_float(text) {
        return float(text).map(Literal::Float);
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let significant = whole.trim_start_matches('0');
    if significant.is_empty() {
        return Ok(Literal::Integer(Integer::Small(0)));
    }
    // An exponent that does not fit is too large anyway.
    let zeros = exponent.parse::<usize>().unwrap_or(usize::MAX);
    if significant.len().saturating_add(zeros) > MAX_DIGITS {
        return Err(too_large());
    }
    match signed(&format!("{significant}{}", "0".repeat(zeros)), negative) {
        Integer::Big(n) if n.bits() > INTEGER_BITS => Err(too_large()),
        integer => Ok(Literal::Integer(integer)),
    }
}

/// Counts the decimal digits of a JSON number that is an integer. The zeros of its exponent count
/// unless they make it too large.
#[must_use]
pub fn digits(text: &str) -> usize {
    let (whole, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let whole = whole.trim_start_matches('-');
    let zeros = exponent.parse().ok().filter(|zeros| *zeros <= MAX_DIGITS && whole != "0");
    whole.len() + zeros.unwrap_or(0)
}

/// Returns the float nearest to a JSON number.
pub fn float(text: &str) -> Result<f64, Fault> {
    let n = text.parse().ok().filter(|n: &f64| n.is_finite());
    n.ok_or_else(|| {
        let message = format!("{} is beyond the range of a float", shorten(text));
        Fault::new(Code::NotFinite, message)
    })
}

fn signed(decimal: &str, negative: bool) -> Integer {
    let n = match decimal.parse::<i64>() {
        Ok(n) => Integer::Small(n),
        Err(_) => BigInt::from(Powers::default().parse(decimal.trim_start_matches('0'))).into(),
    };
    match n {
        Integer::Small(n) if negative => Integer::Small(-n),
        Integer::Big(n) if negative => (-n).into(),
        n => n,
    }
}

/// Appends the digits of an integer.
pub fn write_integer(n: &BigInt, powers: &mut Powers, out: &mut String) {
    if let Some(n) = n.to_i128() {
        // Writing to a `String` never fails.
        let _ = write!(out, "{n}");
        return;
    }
    if n.is_negative() {
        out.push('-');
    }
    out.push_str(&powers.text(n.magnitude()));
}

/// The fault of an integer beyond every limit.
#[must_use]
pub fn too_large() -> Fault {
    Fault::new(Code::TooLarge, format!("an integer of more than {INTEGER_BITS} bits"))
}

/// Returns the shortest text that reads back as `n`, always with a point or a negative exponent.
#[must_use]
pub fn float_text(n: f64) -> String {
    FloatText(n).to_string()
}

/// The text of a float, for `write!`.
#[derive(Clone, Copy, Debug)]
pub struct FloatText(pub f64);

/// Exact powers of ten. The quotient of two exact floats is rounded once (Clinger, "How to read
/// floating point numbers accurately", PLDI 1990).
pub const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// Returns the shortest decimal that reads back as a float: an integer and its number of decimals.
/// Only for zero and for floats of at least 10^-4, which are written without an exponent, with at
/// most 15 digits: no two such decimals are the same float.
#[must_use]
pub fn short_decimal(n: f64) -> Option<(u64, usize)> {
    let whole = POWERS.iter().take_while(|power| **power <= n).count();
    let mut decimals = 15_usize.checked_sub(whole).filter(|_| n >= 1e-4 || n == 0.0)?;
    let power = POWERS.get(decimals)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^53")]
    let mut digits = (n * power + 0.5) as u64;
    #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "below 2^53, and the same")]
    let is_same = digits < 1_000_000_000_000_000 && digits as f64 / power == n;
    if !is_same {
        return None;
    }
    for (power, zeros) in [(100_000_000, 8), (10_000, 4), (100, 2), (10, 1)] {
        if decimals >= zeros && digits.is_multiple_of(power) {
            (digits, decimals) = (digits / power, decimals - zeros);
        }
    }
    Some((digits, decimals))
}

impl fmt::Display for FloatText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_finite() {
            return out.write_str(&figures::text(self.0));
        }
        let text = format!("{:?}", self.0);
        match text.split_once('e') {
            Some((digits, exponent)) if !is_float(&text) => write!(out, "{digits}.0e{exponent}"),
            _ => out.write_str(&text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_those_of_the_library() {
        let mut short = 0;
        let mut seed = 1_u64;
        for round in 0..200_000_u32 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let digits = (seed >> 12) % 10_u64.pow(1 + round % 17);
            #[expect(clippy::cast_precision_loss, reason = "any float will do")]
            let n = digits as f64 / 10_f64.powi(i32::try_from(seed % 20).unwrap_or_default());
            let library = FloatText(n).to_string();
            let Some((digits, decimals)) = short_decimal(n) else {
                let is_long = library.len() > 16 || library.starts_with("0.0");
                assert!(is_long || library.contains('e'), "{library}");
                continue;
            };
            short += 1;
            let power = 10_u64.pow(u32::try_from(decimals).expect("few"));
            let whole = digits / power;
            let fraction = digits % power;
            let width = decimals.max(1);
            assert_eq!(format!("{whole}.{fraction:0width$}"), library);
        }
        assert!(short > 50_000, "{short}");
    }
}
