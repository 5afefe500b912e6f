//! Numbers as people write them: rounded to decimals, with marks between groups of digits.

/// Digits between two marks.
const GROUP: usize = 3;

/// How a number is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Digits behind the point; as many as the number has if it is not told.
    pub(crate) decimals: Option<usize>,
    /// What stands between groups of three digits before the point.
    pub(crate) group: Option<char>,
    pub(crate) point: char,
    /// Whether what is halfway goes away from zero, and not to the even digit.
    pub(crate) rounds_half_up: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self { decimals: None, group: None, point: '.', rounds_half_up: false }
    }
}

/// A decimal: digits, the first of which are before the point.
#[derive(Debug)]
pub(crate) struct Decimal {
    is_negative: bool,
    /// Each from 0 to 9.
    digits: Vec<u8>,
    /// How many of them are before the point; zeros are missing where that is not between none and
    /// all of them.
    before: i32,
}

impl Decimal {
    /// The decimal that an integer's digits spell.
    pub(crate) fn of_integer(text: &str) -> Self {
        let digits = text.trim_start_matches('-');
        let before = i32::try_from(digits.len()).unwrap_or(i32::MAX);
        let values = digits.bytes().map(|digit| digit.wrapping_sub(b'0')).collect();
        Self { is_negative: text.starts_with('-'), digits: values, before }
    }

    /// The shortest decimal that reads back as a float: what a user sees of it.
    pub(crate) fn of_float(n: f64) -> Self {
        let text = format!("{:e}", n.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0');
        let before = 1 + exponent.parse::<i32>().unwrap_or_default();
        Self { is_negative: n < 0.0, digits: digits.collect(), before }
    }

    /// Writes it. Zero has no sign.
    pub(crate) fn write(mut self, layout: &Layout) -> String {
        let own = usize::try_from(self.digits.len() as i64 - i64::from(self.before));
        let decimals = layout.decimals.unwrap_or(own.unwrap_or_default());
        self.round(decimals, layout.rounds_half_up);
        let digit = |at: i64| {
            let digit = usize::try_from(at).ok().and_then(|at| self.digits.get(at));
            char::from(b'0' + digit.copied().unwrap_or_default())
        };
        let before = i64::from(self.before.max(1));
        let skipped = before - i64::from(self.before);
        let mut out = String::new();
        if self.is_negative && self.digits.iter().any(|digit| *digit != 0) {
            out.push('-');
        }
        for at in 0..before {
            let left = usize::try_from(before - at).unwrap_or_default();
            if at > 0 && left.is_multiple_of(GROUP) {
                out.extend(layout.group);
            }
            out.push(digit(at - skipped));
        }
        if decimals > 0 {
            out.push(layout.point);
            for at in 0..decimals as i64 {
                out.push(digit(before + at - skipped));
            }
        }
        out
    }

    /// Rounds to so many digits behind the point.
    fn round(&mut self, decimals: usize, rounds_half_up: bool) {
        let kept = i64::from(self.before) + decimals as i64;
        if kept >= self.digits.len() as i64 {
            return;
        }
        let Ok(kept) = usize::try_from(kept) else {
            self.digits.clear();
            return;
        };
        let (head, tail) = self.digits.split_at(kept);
        let is_even = head.last().is_none_or(|digit| digit % 2 == 0);
        let goes_up = match tail.split_first() {
            Some((5, rest)) => rounds_half_up || !is_even || rest.iter().any(|digit| *digit != 0),
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
