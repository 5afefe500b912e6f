//! Decimal digits, eight bytes at a time (after Lemire, "Number parsing at a gigabyte per second",
//! Software: Practice and Experience 51(8), 2021).

/// The lowest bit of each byte.
pub const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte. Bytes of characters beyond ASCII have it set.
pub const HIGH: u64 = 0x8080_8080_8080_8080;

/// Returns the next eight bytes, the first one lowest.
#[inline(always)]
pub fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().copied().map(u64::from_le_bytes)
}

/// Counts the leading digits of a word, from its lowest byte.
#[inline(always)]
#[must_use]
pub fn leading(word: u64) -> u32 {
    // A byte is a digit if neither adding 0x46 nor taking away 0x30 sets its highest bit.
    let odd = (word.wrapping_add(0x4646_4646_4646_4646) | word.wrapping_sub(0x3030_3030_3030_3030))
        & HIGH;
    odd.trailing_zeros() / 8
}

/// Returns the number in the lowest `count` bytes of a word: at least one, all digits.
#[inline(always)]
#[must_use]
pub fn number(word: u64, count: u32) -> u32 {
    // The digits move to the high end, with zeros before them.
    let n = (word << (64 - 8 * count)) & 0x0f0f_0f0f_0f0f_0f0f;
    let n = n.wrapping_mul(2561) >> 8 & 0x00ff_00ff_00ff_00ff;
    let n = n.wrapping_mul(6_553_601) >> 16 & 0x0000_ffff_0000_ffff;
    u32::try_from(n.wrapping_mul(42_949_672_960_001) >> 32).unwrap_or_default()
}

/// Returns the number that a text is, if it is written as JavaScript writes the index of an element: a
/// whole number up to 4294967294, without zeros before it.
#[must_use]
pub fn index_in(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > 10 || text.len() > 1 && text.starts_with(b"0") {
        return None;
    }
    let number = text.iter().try_fold(0_u64, |number, byte| {
        byte.is_ascii_digit().then(|| 10 * number + u64::from(byte - b'0'))
    })?;
    u32::try_from(number).ok().filter(|number| *number < u32::MAX)
}

/// Returns how many of the next bytes are digits, up to 8, and their number.
#[inline(always)]
#[must_use]
pub fn eight(bytes: &[u8], at: usize) -> Option<(u32, u32)> {
    let word = word(bytes, at)?;
    let count = leading(word);
    Some((count, if count == 0 { 0 } else { number(word, count) }))
}

/// Returns how many of the next bytes are digits, up to 16, and their number. At least eight bytes
/// must follow.
#[inline(always)]
pub fn sixteen(bytes: &[u8], at: usize) -> Option<(u32, i64)> {
    const POWERS: [i64; 9] =
        [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    let (count, n) = eight(bytes, at)?;
    if count < 8 || !bytes.get(at + 8).is_some_and(u8::is_ascii_digit) {
        return Some((count, i64::from(n)));
    }
    let (more, low) = eight(bytes, at + 8).unwrap_or_default();
    let power = POWERS.get(more as usize).copied().unwrap_or_default();
    Some((8 + more, i64::from(n) * power + i64::from(low)))
}

/// Returns the eight digits of a number below 10^8, one in each byte, the first one lowest.
#[must_use]
pub fn of(n: u64) -> u64 {
    // Three steps split the digits in halves. Each step divides all parts at once: by 10^4, by 100
    // with 10486 / 2^20, and by 10 with 103 / 2^10.
    let (high, low) = (n / 10_000, n % 10_000);
    let fours = high | low << 32;
    let high = (fours.wrapping_mul(10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = high | (fours - 100 * high) << 16;
    let high = (twos.wrapping_mul(103) >> 10) & 0x000f_000f_000f_000f;
    high | (twos - 10 * high) << 8
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_are_those_of_the_library() {
        for n in (0..100_000_000).step_by(997).chain([9, 10, 99_999_999]) {
            assert_eq!(
                super::of(n).to_le_bytes().map(|digit| digit + b'0'),
                *format!("{n:08}").as_bytes()
            );
        }
    }
}
