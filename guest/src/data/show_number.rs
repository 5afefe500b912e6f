//! Numbers as canonical JSON.

use super::show::Writer;
use crate::algorithm::weight::digits_work;
use num_bigint::BigInt;
use pif_core::json::escape::Sink;
use pif_core::json::number::{FloatText, short_decimal, write_integer};
use pif_core::text::digits;
use pif_language::prices::units;
use std::io::Write as _;

/// Long numbers are written in parts of eight digits.
const PART: u64 = 100_000_000;

/// Eight digits 0 as text.
const ZEROS: u64 = u64::from_le_bytes(*b"00000000");

impl Writer<'_> {
    pub(super) fn integer(&mut self, n: i64) {
        if n < 0 {
            self.out.push(b'-');
        }
        let n = n.unsigned_abs();
        match (n / PART / PART, n / PART % PART, n % PART) {
            (0, 0, low) => self.digits(low, true),
            (0, middle, low) => {
                self.digits(middle, true);
                self.digits(low, false);
            }
            (high, middle, low) => {
                self.digits(high, true);
                self.digits(middle, false);
                self.digits(low, false);
            }
        }
    }

    /// Writes a number below 10^8: all eight digits, or, for `first`, without leading zeros.
    fn digits(&mut self, n: u64, first: bool) {
        let digits = digits::of(n);
        let zeros = if first { (digits.trailing_zeros() / 8).min(7) } else { 0 };
        let end = self.out.len() + 8 - zeros as usize;
        let text = (digits | ZEROS) >> (8 * zeros);
        self.out.extend_from_slice(&text.to_le_bytes());
        self.out.truncate(end);
    }

    pub(super) fn float(&mut self, n: f64) {
        self.effort += units::WRITTEN_FLOAT;
        let Some((digits, decimals)) = short_decimal(n.abs()) else {
            let _ = write!(self.out, "{}", FloatText(n));
            return;
        };
        if n.is_sign_negative() {
            self.out.push(b'-');
        }
        let power = |decimals| 10_u64.pow(u32::try_from(decimals).unwrap_or_default());
        let whole = digits / power(decimals);
        self.integer(whole.cast_signed());
        self.out.push(b'.');
        // Writes the digits after the point, at least one, eight at a time. Excess digits are cut
        // off.
        let mut fraction = (digits - whole * power(decimals)) * power(16 - decimals);
        let end = self.out.len() + decimals.max(1);
        self.digits(fraction / PART, false);
        if decimals > 8 {
            fraction %= PART;
            self.digits(fraction, false);
        }
        self.out.truncate(end);
    }

    /// Writes an integer. It does not convert one that is too long in any case, since that takes
    /// time.
    pub(super) fn large(&mut self, n: &BigInt) {
        // A digit has less than 4 bits.
        if n.bits() / 4 > self.limit as u64 {
            let _ = write!(self.out, "(an integer of {} bits)", n.bits());
            self.is_cut = true;
            return;
        }
        self.effort += digits_work(n.bits().div_ceil(64));
        let mut text = String::new();
        write_integer(n, &mut self.powers, &mut text);
        self.out.push_text(&text);
    }
}
