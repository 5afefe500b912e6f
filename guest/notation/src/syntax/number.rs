//! Numbers: how they are written, and what they are as JSON writes them.

use crate::lexer::{Wrong, begins_name, goes_on};
use crate::syntax::lexer::{Kind, Lexer};
use crate::tree::Words;
use pif_core::text::quote::shorten;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Digits of the longest number that is not decimal.
const LONGEST: usize = 4096;

impl Lexer<'_> {
    fn digits(&mut self, is_digit: fn(&u8) -> bool) -> bool {
        let start = self.at;
        while is_digit(&self.byte(0)) || (self.byte(0) == b'_' && is_digit(&self.byte(1))) {
            self.at += 1;
        }
        self.at > start
    }

    pub(super) fn number(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        let is_digit: Option<fn(&u8) -> bool> = match (self.byte(0), self.byte(1)) {
            (b'0', b'x' | b'X') => Some(u8::is_ascii_hexdigit),
            (b'0', b'o' | b'O') => Some(|byte| matches!(byte, b'0'..=b'7')),
            (b'0', b'b' | b'B') => Some(|byte| matches!(byte, b'0' | b'1')),
            _ => None,
        };
        let is_whole = if let Some(is_digit) = is_digit {
            self.at += 2;
            if !self.digits(is_digit) {
                self.at = start;
            }
            if self.at - start > LONGEST {
                let message = "a number with a base has 4096 digits at most";
                return self.wrong(start, message, "write it in decimal");
            }
            true
        } else {
            self.decimal(start)?
        };
        if is_whole && self.byte(0) == b'n' && self.at > start {
            self.at += 1;
        }
        let is_odd = self.at == start || self.rest().starts_with(begins_name);
        if is_odd || self.byte(0).is_ascii_digit() {
            let rest = self.source.get(start..).unwrap_or_default();
            let shown: String = rest.chars().take_while(|c| goes_on(*c)).collect();
            let hint = match shown.get(..2) {
                Some("0x" | "0X" | "0b" | "0B" | "0o" | "0O") => "write 255, 0xff, 0b101 or 0o17",
                _ if shown.contains('_') => "write 1_000 or 1000",
                _ => "write an operator between them; a name does not begin with a digit",
            };
            return self.wrong(start, &format!("`{}` is no number", shorten(&shown)), hint);
        }
        self.push(Kind::Number, start);
        Ok(())
    }

    /// Passes a decimal number; whether it has neither a point nor an exponent.
    fn decimal(&mut self, start: usize) -> Result<bool, Wrong> {
        self.digits(u8::is_ascii_digit);
        if self.at - start > 1 && self.bytes.get(start) == Some(&b'0') {
            let hint = "leave out the zeros, or write a text";
            return self.wrong(start, "a number may not begin with 0", hint);
        }
        let mut is_whole = true;
        if self.byte(0) == b'.' {
            let is_range = self.byte(1) == b'.';
            let behind = self.byte(2);
            if is_range && !behind.is_ascii_alphabetic() {
                return self.wrong(start, "a range is no literal", "write range(1, 5)");
            }
            self.at += 1;
            is_whole = false;
            let is_exponent = matches!(self.byte(0), b'e' | b'E') && self.exponent() > 0;
            if !self.digits(u8::is_ascii_digit)
                && !is_exponent
                && self.rest().starts_with(begins_name)
            {
                let message = "a number has a digit after its point";
                return self.wrong(start, message, "write (5).abs()");
            }
        }
        let exponent = self.exponent();
        self.at += exponent;
        if exponent > 0 {
            self.digits(u8::is_ascii_digit);
        }
        Ok(is_whole && exponent == 0)
    }

    /// How many bytes stand before the digits of an exponent; 0 if there is none.
    fn exponent(&self) -> usize {
        let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
        let is_one = matches!(self.byte(0), b'e' | b'E') && self.byte(1 + sign).is_ascii_digit();
        if is_one { 1 + sign } else { 0 }
    }
}

/// A number as JSON writes it.
pub(super) fn as_json(text: &str) -> Words<'_> {
    let radix = match text.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ => return decimal_as_json(text),
    };
    let digits = text.get(2..).unwrap_or_default().trim_end_matches('n');
    // The number in parts of nine decimal digits, the lowest first.
    let mut parts: Vec<u64> = vec![0];
    for digit in digits.chars().filter_map(|c| c.to_digit(radix)) {
        let mut carry = u64::from(digit);
        for part in &mut parts {
            carry += *part * u64::from(radix);
            *part = carry % 1_000_000_000;
            carry /= 1_000_000_000;
        }
        if carry > 0 {
            parts.push(carry);
        }
    }
    let mut parts = parts.iter().rev();
    let mut out = parts.next().map_or_else(String::new, u64::to_string);
    for part in parts {
        let _ = write!(out, "{part:09}");
    }
    out.into()
}

fn decimal_as_json(text: &str) -> Words<'_> {
    let text = text.strip_suffix('n').unwrap_or(text);
    let is_plain = !text.starts_with('.') && !text.contains('_');
    let (mantissa, exponent) = text.split_at(text.find(['e', 'E']).unwrap_or(text.len()));
    if is_plain && !mantissa.ends_with('.') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    if mantissa.starts_with('.') {
        out.push('0');
    }
    out.extend(mantissa.chars().filter(|c| *c != '_'));
    if mantissa.ends_with('.') {
        out.push('0');
    }
    out.extend(exponent.chars().filter(|c| *c != '_'));
    out.into()
}
