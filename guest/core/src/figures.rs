//! Numbers as JavaScript writes them and reads them from texts.

use num_bigint::BigInt;
use num_traits::FromPrimitive;

/// A decimal without its sign: digits, the first of which stands before the point, and the power
/// of ten of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Digits {
    /// Each from `0` to `9`.
    digits: Vec<u8>,
    exponent: i32,
}

impl Digits {
    /// Returns the digits of a text such as `1.25e-7`.
    fn of_scientific(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).collect();
        Self { digits, exponent: exponent.parse().unwrap_or_default() }
    }

    /// Returns the shortest digits that read back as a float, which is finite and not negative.
    fn shortest(n: f64) -> Self {
        let digits = Self::of_scientific(&format!("{n:e}"));
        // In the middle of two of the same length, the even one is the text.
        let nearest = format!("{n:.*e}", digits.digits.len().max(1) - 1);
        if digits.digits.len() > 14 && nearest.parse() == Ok(n) {
            return Self::of_scientific(&nearest);
        }
        digits
    }

    /// Returns so many digits of a float; the middle of two decimals rounds up. At least one.
    fn rounded(n: f64, count: usize) -> Self {
        let last = count.max(1) - 1;
        let next = Self::of_scientific(&format!("{n:.*e}", last + 1));
        // No float has more digits than these.
        let is_tie = next.digits.last() == Some(&b'5')
            && format!("{n:.800e}")
                .bytes()
                .take_while(|byte| *byte != b'e')
                .skip(last + 3)
                .all(|byte| byte == b'0');
        if is_tie {
            return next.dropped(true);
        }
        Self::of_scientific(&format!("{n:.last$e}"))
    }

    /// Returns the digits without the last, `up` or as they are.
    fn dropped(mut self, up: bool) -> Self {
        self.digits.pop();
        if !up {
            return self;
        }
        for digit in self.digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return self;
            }
            *digit = b'0';
        }
        self.digits.insert(0, b'1');
        self.digits.pop();
        self.exponent += 1;
        self
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.digits).unwrap_or_default()
    }

    /// Writes the digits with a point where it belongs, and zeros between.
    fn plain(&self) -> String {
        let digits = self.text();
        let Ok(before) = usize::try_from(self.exponent) else {
            let zeros = usize::try_from(-self.exponent - 1).unwrap_or_default();
            return format!("0.{}{digits}", "0".repeat(zeros));
        };
        match digits.split_at_checked(before + 1) {
            Some((whole, "")) => whole.to_owned(),
            Some((whole, fraction)) => format!("{whole}.{fraction}"),
            None => format!("{digits}{}", "0".repeat(before + 1 - digits.len())),
        }
    }

    /// Writes the digits with the power of ten.
    fn scientific(&self) -> String {
        let sign = if self.exponent < 0 { "-" } else { "+" };
        let power = self.exponent.unsigned_abs();
        match self.text().split_at_checked(1) {
            Some((first, "")) => format!("{first}e{sign}{power}"),
            Some((first, rest)) => format!("{first}.{rest}e{sign}{power}"),
            None => String::new(),
        }
    }
}

/// Puts the sign of a number before the text of its magnitude. A number that is not finite has a
/// word.
fn signed(n: f64, is_signed: bool, text: impl FnOnce(f64) -> String) -> String {
    let magnitude = if n.is_nan() {
        return "NaN".to_owned();
    } else if n.is_infinite() {
        "Infinity".to_owned()
    } else {
        text(n.abs())
    };
    if is_signed { format!("-{magnitude}") } else { magnitude }
}

/// Returns the text of a float as `String(n)` gives it.
#[must_use]
pub fn text(n: f64) -> String {
    signed(n, n < 0.0, |n| {
        if n == 0.0 {
            return "0".to_owned();
        }
        let digits = Digits::shortest(n);
        if (-6..21).contains(&digits.exponent) { digits.plain() } else { digits.scientific() }
    })
}

/// Returns the text of a float with so many digits after the point, as `toFixed` gives it.
#[must_use]
pub fn fixed(n: f64, decimals: usize) -> String {
    if n.abs() >= 1e21 {
        return text(n);
    }
    signed(n, n < 0.0, |n| {
        let plain = format!("{n:.decimals$}");
        // In the middle of two decimals, a float has one more digit than these: a 5.
        let next = format!("{n:.*}", decimals + 1);
        let is_tie = next.ends_with('5')
            && format!("{n:.1100}").bytes().skip(next.len()).all(|byte| byte == b'0');
        if is_tie { up(&next) } else { plain }
    })
}

/// Rounds a decimal up to one digit less.
fn up(text: &str) -> String {
    let mut digits: Vec<u8> = text.bytes().collect();
    digits.pop();
    if digits.last() == Some(&b'.') {
        digits.pop();
    }
    for digit in digits.iter_mut().rev().filter(|digit| **digit != b'.') {
        if *digit < b'9' {
            *digit += 1;
            return String::from_utf8(digits).unwrap_or_default();
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
    String::from_utf8(digits).unwrap_or_default()
}

/// Returns the text of a float with so many digits, as `toPrecision` gives it.
#[must_use]
pub fn precision(n: f64, count: usize) -> String {
    signed(n, n < 0.0, |n| {
        let digits = if n == 0.0 {
            Digits { digits: vec![b'0'; count], exponent: 0 }
        } else {
            Digits::rounded(n, count)
        };
        let most = i32::try_from(count).unwrap_or(i32::MAX);
        if digits.exponent < -6 || digits.exponent >= most {
            digits.scientific()
        } else {
            digits.plain()
        }
    })
}

/// Returns the text of a float as `toExponential` gives it: with so many digits after the point,
/// or with as many as it needs.
#[must_use]
pub fn exponential(n: f64, decimals: Option<usize>) -> String {
    signed(n, n < 0.0, |n| match decimals {
        Some(decimals) if n == 0.0 => {
            Digits { digits: vec![b'0'; decimals + 1], exponent: 0 }.scientific()
        }
        Some(decimals) => Digits::rounded(n, decimals + 1).scientific(),
        None => Digits::shortest(n).scientific(),
    })
}

/// Returns the text of a float in a base from 2 to 36, as `toString` gives it: as many digits after
/// the point as tell it from other floats. Beyond 2^53 it writes all digits of the integer.
#[must_use]
pub fn in_base(n: f64, base: u32) -> String {
    if base == 10 {
        return text(n);
    }
    signed(n, n < 0.0, |n| {
        let (mut whole, mut fraction) = (n.floor(), n - n.floor());
        let mut after: Vec<u8> = Vec::new();
        // Half of the distance to the next float.
        let mut delta = (0.5 * (n.next_up() - n)).max(f64::from_bits(1));
        if fraction >= delta {
            after = digits_after(&mut fraction, &mut delta, f64::from(base), &mut whole);
        }
        let mut out = BigInt::from_f64(whole).unwrap_or_default().to_str_radix(base);
        if !after.is_empty() {
            out.push('.');
            out.extend(after.into_iter().map(|digit| letter(digit, base)));
        }
        out
    })
}

/// Returns the digits after the point until what is left tells no more; may add 1 to the whole.
fn digits_after(fraction: &mut f64, delta: &mut f64, base: f64, whole: &mut f64) -> Vec<u8> {
    let mut after = Vec::new();
    loop {
        *fraction *= base;
        *delta *= base;
        let digit = fraction.floor();
        after.push(small(digit));
        *fraction -= digit;
        let is_up = *fraction > 0.5 || (*fraction - 0.5).abs() <= 0.0 && small(digit) % 2 == 1;
        if is_up && *fraction + *delta > 1.0 {
            // Rounds up, with a carry.
            loop {
                match after.pop() {
                    None => {
                        *whole += 1.0;
                        break;
                    }
                    Some(last) if f64::from(last) + 1.0 < base => {
                        after.push(last + 1);
                        break;
                    }
                    Some(_) => {}
                }
            }
            return after;
        }
        if *fraction < *delta {
            return after;
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a digit")]
fn small(digit: f64) -> u8 {
    digit as u8
}

fn letter(digit: u8, base: u32) -> char {
    char::from_digit(u32::from(digit), base).unwrap_or('0')
}

/// Tells whether a character is white space of JavaScript, or ends a line.
#[must_use]
pub fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
            | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// The number that a text spells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading<'t> {
    /// Digits in a base, without blanks; whether the number is negative.
    Integer(&'t str, u32, bool),
    /// A decimal with a point or an exponent, or infinity.
    Float(f64),
    /// No number.
    None,
}

/// Reads a whole text as `Number` does. The empty text is 0.
#[must_use]
pub fn read(text: &str) -> Reading<'_> {
    let text = text.trim_matches(is_blank);
    if text.is_empty() {
        return Reading::Integer("0", 10, false);
    }
    for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        let head = text.get(..2).unwrap_or_default();
        if head.eq_ignore_ascii_case(prefix) {
            let digits = text.get(2..).unwrap_or_default();
            let is_right = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
            return if is_right { Reading::Integer(digits, base, false) } else { Reading::None };
        }
    }
    match decimal(text) {
        (end, reading) if end == text.len() => reading,
        _ => Reading::None,
    }
}

/// Reads the decimal that a text begins with. Returns its end.
fn decimal(text: &str) -> (usize, Reading<'_>) {
    let bytes = text.as_bytes();
    let is_negative = bytes.first() == Some(&b'-');
    let start = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let digits = |from: usize| {
        bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    if text.get(start..).is_some_and(|rest| rest.starts_with("Infinity")) {
        let infinity = if is_negative { f64::NEG_INFINITY } else { f64::INFINITY };
        return (start + "Infinity".len(), Reading::Float(infinity));
    }
    let whole = digits(start);
    let mut end = start + whole;
    let mut is_integer = true;
    let mut has_digits = whole > 0;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if has_digits || fraction > 0 {
            end += 1 + fraction;
            is_integer = false;
            has_digits = true;
        }
    }
    if !has_digits {
        return (0, Reading::None);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
            is_integer = false;
        }
    }
    if is_integer {
        let digits = text.get(start..end).unwrap_or_default();
        return (end, Reading::Integer(digits, 10, is_negative));
    }
    let float = text.get(..end).and_then(|text| text.parse().ok());
    (end, float.map_or(Reading::None, Reading::Float))
}

/// Reads the decimal that a text begins with, as `parseFloat` does.
#[must_use]
pub fn leading_decimal(text: &str) -> Reading<'_> {
    decimal(text.trim_start_matches(is_blank)).1
}

/// Reads the integer that a text begins with, as `parseInt` does. Base 0 is 10, or 16 after `0x`.
#[must_use]
pub fn leading_integer(text: &str, base: u32) -> Reading<'_> {
    let text = text.trim_start_matches(is_blank);
    let is_negative = text.starts_with('-');
    let mut digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut base = base;
    if matches!(base, 0 | 16)
        && let Some(rest) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))
    {
        (digits, base) = (rest, 16);
    }
    let base = if base == 0 { 10 } else { base };
    if !(2..=36).contains(&base) {
        return Reading::None;
    }
    let end = digits.find(|c: char| !c.is_digit(base)).unwrap_or(digits.len());
    match digits.get(..end) {
        Some("") | None => Reading::None,
        Some(digits) => Reading::Integer(digits, base, is_negative),
    }
}

/// Returns the text of a number as `toLocaleString` gives it for en-US: groups of three digits, and
/// from `least` to `most` digits after the point. `digits` is the number's shortest decimal.
#[must_use]
pub fn grouped(digits: &str, (least, most): (usize, usize)) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let rounded = match fraction.split_at_checked(most) {
        Some((kept, rest)) if rest.starts_with(['5', '6', '7', '8', '9']) => {
            up(&format!("{whole}.{kept}0"))
        }
        Some((kept, _)) => format!("{whole}.{kept}"),
        None => format!("{whole}.{fraction}"),
    };
    let (whole, fraction) = rounded.split_once('.').unwrap_or((&rounded, ""));
    let mut fraction = fraction.trim_end_matches('0').to_owned();
    while fraction.len() < least {
        fraction.push('0');
    }
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(&fraction);
    }
    out
}

/// Returns the shortest decimal of a finite float without an exponent.
#[must_use]
pub fn plain(n: f64) -> String {
    signed(n, n.is_sign_negative(), |n| {
        if n == 0.0 { "0".to_owned() } else { Digits::shortest(n).plain() }
    })
}
