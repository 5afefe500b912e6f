//! Numbers for people: rounded to decimals, with marks between groups of digits.

use pif_core::json::number::float_text;

/// Digits between two marks.
const GROUP: usize = 3;

/// The layout of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Digits after the point; by default, those of the number.
    pub(crate) decimals: Option<usize>,
    /// The mark between groups of three digits before the point.
    pub(crate) group: Option<char>,
    pub(crate) point: char,
    /// Whether a tie rounds away from zero instead of to the even digit.
    pub(crate) rounds_half_up: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self { decimals: None, group: None, point: '.', rounds_half_up: false }
    }
}

/// A decimal number: digits, of which at least one is before the point.
#[derive(Debug)]
pub(crate) struct Decimal {
    is_negative: bool,
    /// Each from 0 to 9.
    digits: Vec<u8>,
    /// How many digits are before the point.
    before: usize,
}

impl Decimal {
    /// Parses the digits of an integer.
    pub(crate) fn of_integer(text: &str) -> Self {
        let digits = values(text.trim_start_matches('-'));
        let before = digits.len();
        Self { is_negative: text.starts_with('-'), digits, before }
    }

    /// Returns the shortest decimal that reads back as a float, since users see those digits.
    pub(crate) fn of_float(n: f64) -> Self {
        let text = float_text(n.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let decimals = decimals.strip_suffix('0').unwrap_or(decimals);
        let mut digits = [values(whole), values(decimals)].concat();
        let exponent: i32 = exponent.parse().unwrap_or_default();
        let shift = usize::try_from(exponent.unsigned_abs()).unwrap_or_default();
        let mut before = whole.len();
        if exponent < 0 {
            digits.splice(0..0, std::iter::repeat_n(0, shift));
        } else {
            before += shift;
            digits.resize(digits.len().max(before), 0);
        }
        Self { is_negative: n < 0.0, digits, before }
    }

    /// Writes the number. Zero has no sign.
    pub(crate) fn write(mut self, layout: &Layout) -> String {
        let decimals = layout.decimals.unwrap_or(self.digits.len() - self.before);
        self.round(decimals, layout.rounds_half_up);
        self.digits.resize(self.before + decimals, 0);
        let mut out = String::new();
        if self.is_negative && self.digits.iter().any(|digit| *digit != 0) {
            out.push('-');
        }
        for (at, digit) in self.digits.iter().enumerate() {
            if at == self.before {
                out.push(layout.point);
            } else if at > 0 && at < self.before && (self.before - at).is_multiple_of(GROUP) {
                out.extend(layout.group);
            }
            out.push(char::from(b'0' + digit));
        }
        out
    }

    /// Rounds to `decimals` digits after the point.
    fn round(&mut self, decimals: usize, rounds_half_up: bool) {
        let kept = self.before + decimals;
        let Some((head, tail)) = self.digits.split_at_checked(kept) else { return };
        let is_odd = head.last().is_some_and(|digit| digit % 2 == 1);
        let goes_up = match tail.split_first() {
            Some((5, rest)) => rounds_half_up || is_odd || rest.iter().any(|digit| *digit != 0),
            Some((first, _)) => *first > 5,
            None => false,
        };
        self.digits.truncate(kept);
        if !goes_up {
            return;
        }
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
        self.before += 1;
    }
}

fn values(digits: &str) -> Vec<u8> {
    digits.bytes().map(|digit| digit.wrapping_sub(b'0')).collect()
}
