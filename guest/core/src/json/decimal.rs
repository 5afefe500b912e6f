//! Large integers to decimal digits and back. Halves are converted on their own, so time grows like
//! a product's, not with the square of the digits. That matters because no fuel pays for it.

use num_bigint::BigUint;
use num_traits::{Num, Zero};

/// Digits of one direct conversion, and of the smallest power.
const LEAF: usize = 512;

/// Powers of ten, each the square of the one before it, made when needed.
#[derive(Debug, Default)]
pub struct Powers(Vec<Power>);

/// `10^(LEAF * 2^i)`, with its parts for a division.
#[derive(Debug)]
struct Power {
    value: BigUint,
    bits: u64,
    /// `2^(2 * bits) / value`, made when needed.
    reciprocal: Option<BigUint>,
}

impl Powers {
    /// Parses decimal digits.
    pub fn parse(&mut self, digits: &str) -> BigUint {
        if digits.len() <= 2 * LEAF {
            return BigUint::from_str_radix(digits, 10).unwrap_or_default();
        }
        let mut level = 0;
        while digits.len() > LEAF << (level + 1) {
            level += 1;
        }
        let (high, low) = digits.split_at(digits.len() - (LEAF << level));
        let (high, low) = (self.parse(high), self.parse(low));
        self.power(level).map_or_else(BigUint::zero, |power| high * &power.value + low)
    }

    /// Returns the decimal digits of an integer.
    pub fn text(&mut self, n: &BigUint) -> String {
        if n.is_zero() {
            return "0".to_owned();
        }
        let mut out = String::new();
        // A digit has more than 3 bits.
        let mut level = 0;
        while n.bits() / 3 > (LEAF as u64) << level {
            level += 1;
        }
        self.write(n, level, false, &mut out);
        out
    }

    /// Appends the digits of `n`, which is less than the power of `level`. If digits stand before
    /// them, `padded` adds leading zeros up to that power's digits.
    fn write(&mut self, n: &BigUint, level: usize, padded: bool, out: &mut String) {
        let Some(below) = level.checked_sub(1) else {
            let digits = if n.is_zero() { String::new() } else { n.to_string() };
            let missing = if padded { LEAF.saturating_sub(digits.len()) } else { 0 };
            out.extend(std::iter::repeat_n('0', missing));
            out.push_str(&digits);
            return;
        };
        let (high, low) = self.divide(n, below);
        if high.is_zero() && !padded {
            return self.write(&low, below, false, out);
        }
        self.write(&high, below, padded, out);
        self.write(&low, below, true, out);
    }

    /// Divides `n`, less than the square of the level's power, by that power: quotient and
    /// remainder.
    fn divide(&mut self, n: &BigUint, level: usize) -> (BigUint, BigUint) {
        let Some(Power { value, bits, reciprocal }) = self.power(level) else {
            return Default::default();
        };
        if n < value {
            return (BigUint::zero(), n.clone());
        }
        let bits = *bits;
        let reciprocal =
            reciprocal.get_or_insert_with(|| (BigUint::from(1_u8) << (2 * bits)) / &*value);
        // Barrett: at most 2 too small.
        let mut quotient = ((n >> (bits - 1)) * &*reciprocal) >> (bits + 1);
        let mut rest = n - &quotient * &*value;
        while rest >= *value {
            rest -= &*value;
            quotient += 1_u8;
        }
        (quotient, rest)
    }

    fn power(&mut self, level: usize) -> Option<&mut Power> {
        while self.0.len() <= level {
            let value = match self.0.last() {
                Some(last) => &last.value * &last.value,
                None => BigUint::from(10_u8).pow(u32::try_from(LEAF).unwrap_or_default()),
            };
            let bits = value.bits();
            self.0.push(Power { value, bits, reciprocal: None });
        }
        self.0.get_mut(level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_as_the_library_does() {
        let mut powers = Powers::default();
        let mut seed = 1_u32;
        for length in [1, 9, 511, 512, 513, 1023, 1024, 1025, 2048, 5000, 20_000] {
            for shape in 0..4 {
                let digit = |index: usize| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    match shape {
                        0 => '9',
                        1 if index == 0 => '1',
                        1 => '0',
                        _ => char::from_digit((seed >> 16) % 10, 10).unwrap_or('0'),
                    }
                };
                let digits: String = (0..length).map(digit).collect();
                let n = BigUint::from_str_radix(&digits, 10).expect("digits");
                assert_eq!(powers.parse(&digits), n, "{length} digits");
                let shown = digits.trim_start_matches('0');
                assert_eq!(powers.text(&n), shown, "{length} digits");
            }
        }
    }
}
