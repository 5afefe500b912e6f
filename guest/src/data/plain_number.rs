//! How the fast reader of JSON values reads numbers.

use crate::data::plain::Reader;
use crate::memory::heap::Heap;
use crate::memory::word::{Word, fit, small};
use pif_core::json::number::POWERS;
use pif_core::text::digits;

impl Reader<'_> {
    /// Reads the number whose digits begin at a place, and returns its end: an integer of up to 16
    /// digits, or a float of up to 15, with up to 8 after the point.
    #[inline(always)]
    pub(super) fn short_number(
        &self,
        heap: &mut Heap,
        at: usize,
        sign: i64,
    ) -> Option<(Word, usize)> {
        let (count, n) = digits::sixteen(self.bytes, at).or_else(|| self.last_digits(at))?;
        let end = at + count as usize;
        if count == 0 || count > 1 && self.bytes.get(at) == Some(&b'0') {
            return None;
        }
        match self.bytes.get(end) {
            Some(b'.') => {
                let (n, end) = self.short_float((count, n), end + 1)?;
                heap.grow(2).ok()?;
                Some((heap.float(if sign < 0 { -n } else { n }), end))
            }
            Some(b'e' | b'E' | b'0'..=b'9') => None,
            _ => Some((small(sign * n), end)),
        }
    }

    /// Reads a float from behind its point, given its integer part. Returns its end.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "15 digits are less than 2^53")]
    fn short_float(&self, whole: (u32, i64), at: usize) -> Option<(f64, usize)> {
        let (count, digits) = digits::eight(self.bytes, at)?;
        let end = at + count as usize;
        let goes_on = matches!(self.bytes.get(end), Some(b'e' | b'E' | b'0'..=b'9'));
        if count == 0 || count + whole.0 > 15 || goes_on {
            return None;
        }
        let power = POWERS.get(count as usize)?;
        Some(((whole.1 as f64 * power + f64::from(digits)) / power, end))
    }

    /// Reads digits within the last seven bytes of the text.
    #[cold]
    fn last_digits(self, at: usize) -> Option<(u32, i64)> {
        let rest = self.bytes.get(at..)?;
        let mut padded = [0; 8];
        padded.get_mut(..rest.len().min(8))?.copy_from_slice(rest.get(..rest.len().min(8))?);
        let (count, n) = digits::eight(&padded, 0)?;
        Some((count, i64::from(n)))
    }

    /// Reads the next digits, which follow `n`. Returns the number and how many there are.
    fn digits(&mut self, n: u64) -> (u64, usize) {
        let (mut n, from) = (n, self.at);
        while let Some((count, more)) = digits::eight(self.bytes, self.at) {
            let power = 10_u64.pow(count);
            n = n.wrapping_mul(power).wrapping_add(u64::from(more));
            self.at += count as usize;
            if count < 8 {
                return (n, self.at - from);
            }
        }
        while let Some(byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            n = n.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
            self.at += 1;
        }
        (n, self.at - from)
    }

    /// Reads an integer of up to 18 digits, or a float. Returns its end.
    #[inline(never)]
    pub(super) fn number(mut self, heap: &mut Heap) -> Option<(Word, usize)> {
        let start = self.at;
        let negative = self.bytes.get(start) == Some(&b'-');
        self.at += usize::from(negative);
        let leading_zero = self.bytes.get(self.at) == Some(&b'0');
        let (whole, count) = self.digits(0);
        if count == 0 || count > 1 && leading_zero {
            return None;
        }
        if !matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E')) {
            let n = i64::try_from(whole).ok().filter(|_| count <= 18)?;
            return Some((fit(if negative { -n } else { n })?, self.at));
        }
        let (mut mantissa, mut decimals) = (whole, 0);
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            (mantissa, decimals) = self.digits(whole);
            if decimals == 0 {
                return None;
            }
        }
        let has_exponent = matches!(self.bytes.get(self.at), Some(b'e' | b'E'));
        if has_exponent {
            self.at += 1;
            let sign = self.bytes.get(self.at).copied();
            // An integer with an exponent may be long.
            if decimals == 0 && sign != Some(b'-') {
                return None;
            }
            self.at += usize::from(matches!(sign, Some(b'+' | b'-')));
            if self.digits(0).1 == 0 {
                return None;
            }
        }
        let power = POWERS.get(decimals).filter(|_| !has_exponent && count + decimals <= 15);
        let n = match power {
            #[expect(clippy::cast_precision_loss, reason = "15 digits are less than 2^53")]
            Some(power) if negative => -(mantissa as f64 / power),
            #[expect(clippy::cast_precision_loss, reason = "15 digits are less than 2^53")]
            Some(power) => mantissa as f64 / power,
            None => self.text.get(start..self.at)?.parse().ok().filter(|n: &f64| n.is_finite())?,
        };
        heap.grow(2).ok()?;
        Some((heap.float(n), self.at))
    }
}
