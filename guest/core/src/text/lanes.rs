//! Compares bytes 16 at a time: in a vector on WebAssembly, in two words elsewhere. The width is 16
//! everywhere: the heap needs room for a whole vector, and memory use must not depend on the
//! machine.

pub use width::{Lanes, four_integers};

use std::borrow::Cow;

/// Bytes of one comparison.
pub const LANES: usize = 16;

/// Bytes of the longest copy without a call. A copy of unknown length calls a function outside the
/// component, which costs as much as copying some words.
pub const SHORT: usize = 128;

/// Bytes that may hold four integers, up to the last one's comma, and one read more behind them.
pub const FOUR: usize = 2 * 16 + 1 + 16;

/// Lanes that a test has found, in order.
#[derive(Debug)]
pub struct Found {
    /// One bit for each lane.
    bits: u32,
}

impl Found {
    /// Returns the lanes that are in both.
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self { bits: self.bits & other.bits }
    }
}

impl Iterator for Found {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let lane = (self.bits != 0).then(|| self.bits.trailing_zeros() as usize);
        self.bits &= self.bits.wrapping_sub(1);
        lane
    }
}

/// Copies `bytes` bytes to a place, in vectors if they are at most `SHORT`. It may read beyond
/// their end and write beyond the place's end, so the bytes behind the place must be free.
#[inline(always)]
pub fn copy(source: &[u8], from: usize, bytes: usize, out: &mut [u8], to: usize) {
    let mut done = 0;
    while bytes <= SHORT
        && done < bytes
        && let Some(lanes) = source.get(from + done..).and_then(<[u8]>::first_chunk::<LANES>)
        && let Some(place) = out.get_mut(to + done..).and_then(<[u8]>::first_chunk_mut)
    {
        *place = *lanes;
        done += LANES;
    }
    if done < bytes
        && let Some(source) = source.get(from + done..from + bytes)
        && let Some(place) = out.get_mut(to + done..to + bytes)
    {
        place.copy_from_slice(source);
    }
}

/// Returns the bytes, padded if they are few, so that `copy` need not look for their end.
#[must_use]
pub fn padded(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.len() > SHORT { bytes.into() } else { [bytes, &[0; LANES]].concat().into() }
}

/// Returns the first place, at `from` or later, of a byte that ends or escapes a JSON string, or
/// the end of the bytes.
#[must_use]
pub fn plain_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(lanes) = Lanes::at(bytes, at) {
        if let Some(lane) = lanes.special().next() {
            return at + lane;
        }
        at += LANES;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=31));
    end.map_or(bytes.len(), |end| at + end)
}

#[cfg(target_feature = "simd128")]
mod width {
    use super::{FOUR, Found, LANES};
    use std::arch::wasm32::{
        i8x16_add, i8x16_lt, i8x16_splat, i8x16_swizzle, i16x8, i16x8_mul, i16x8_narrow_i32x4,
        i16x8_splat, i32x4_dot_i16x8, u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u16x8_shr,
        u64x2_extract_lane, v128, v128_and, v128_or,
    };
    use std::hint::cold_path;

    /// Bytes in a vector.
    #[derive(Clone, Copy, Debug)]
    pub struct Lanes(v128);

    impl Lanes {
        /// Returns the bytes at a place, if there are enough.
        #[inline(always)]
        pub fn at(bytes: &[u8], at: usize) -> Option<Self> {
            let lanes: &[u8; LANES] = bytes.get(at..)?.first_chunk()?;
            Some(Self(bytemuck::pod_read_unaligned(lanes)))
        }

        /// Returns a byte in every lane.
        #[inline(always)]
        pub fn all(byte: u8) -> Self {
            Self(u8x16_splat(byte))
        }

        /// Finds the lanes where both have equal bytes.
        #[inline(always)]
        pub fn equal(self, other: Self) -> Found {
            found(u8x16_eq(self.0, other.0))
        }

        /// Finds bytes that end or escape a JSON string, or may not stand in one.
        #[inline(always)]
        pub fn special(self) -> Found {
            let ends = u8x16_eq(self.0, u8x16_splat(b'"'));
            let escapes = u8x16_eq(self.0, u8x16_splat(b'\\'));
            found(v128_or(v128_or(ends, escapes), u8x16_lt(self.0, u8x16_splat(b' '))))
        }

        /// Returns the bytes as words, the first one lowest.
        #[inline(always)]
        pub fn words(self) -> [u64; LANES / 8] {
            [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)]
        }
    }

    fn found(lanes: v128) -> Found {
        Found { bits: u8x16_bitmask(lanes).into() }
    }

    /// Source lanes for a pair of numbers with a comma between them. The shuffle moves each number
    /// to the end of its half of a vector, with zeros before it. Index `8 * a + b` is for numbers
    /// of `a` and `b` bytes, 1 to 8 each. (After Muła, "Parsing series of integers with SIMD",
    /// 2018.)
    static ORIGINS: Origins = Origins(origins());

    /// The alignment keeps each entry within one cache line.
    #[repr(align(16))]
    struct Origins([[u8; LANES]; 128]);

    #[expect(clippy::indexing_slicing, reason = "known when it is compiled")]
    const fn origins() -> [[u8; LANES]; 128] {
        let mut table = [[0; LANES]; 128];
        let mut index = 9;
        while index <= 8 * 8 + 8 {
            let (a, b) = ((index - 1) / 8, (index - 1) % 8 + 1);
            let mut place = 0;
            while place < 16 {
                let (size, end) = if place < 8 { (a, a) } else { (b, a + 1 + b) };
                let back = 8 - place % 8;
                table[index as usize][place as usize] =
                    if back > size { u8::MAX } else { end - back };
                place += 1;
            }
            index += 1;
        }
        table
    }

    /// Reads four integers of a JSON list. Each has up to eight digits, or a space and up to seven,
    /// and a comma behind it. The first two, and the last two, take less than 16 bytes together;
    /// all end within 32. Returns twice each integer, as words hold them, and the end of the last
    /// comma.
    #[inline(always)]
    pub fn four_integers(json: &[u8; FOUR]) -> Option<([u32; 4], usize)> {
        let lanes = [Lanes::at(json, 0)?.0, Lanes::at(json, LANES)?.0];
        let where_in = |test: fn(v128) -> v128| {
            let [low, high] = lanes.map(|lanes| u32::from(u8x16_bitmask(test(lanes))));
            low | high << LANES
        };
        // The end of the last one comes first: the next four wait for it.
        let commas = where_in(|lanes| u8x16_eq(lanes, u8x16_splat(b',')));
        let after = |commas: u32| commas & commas.wrapping_sub(1);
        let left = [commas, after(commas), after(after(commas)), after(after(after(commas)))];
        if left[3] == 0 {
            return None;
        }
        let [a, b, c, d] = left.map(u32::trailing_zeros);
        let sizes = [a, b.wrapping_sub(a + 1), c.wrapping_sub(b + 1), d.wrapping_sub(c + 1)];
        if sizes.iter().fold(0, |all, size| all | size) > 7 {
            cold_path();
            // Rejects one that is too long, or two that are too long together. The test above is
            // only rough.
            let fit = |a, b| a <= 8 && b <= 8 && a + b < 16;
            if !fit(sizes[0], sizes[1]) || !fit(sizes[2], sizes[3]) {
                return None;
            }
        }
        let others = where_in(|lanes| {
            // Digits become the ten highest signed bytes.
            let highest = i8x16_add(lanes, i8x16_splat(0x7f - b'9'.cast_signed()));
            i8x16_lt(highest, i8x16_splat(0x76))
        });
        // One bit tells a space from a zero; a space before a number counts as a zero.
        let blanks = where_in(|lanes| {
            u8x16_eq(v128_and(lanes, u8x16_splat(!(b' ' ^ b'0'))), u8x16_splat(b' '))
        });
        let (starts, spaces) = (commas << 1 | 1, others & !commas);
        // If a number starts with a space, its digits start one place later.
        let digits = starts.wrapping_add(spaces);
        let zeros = blanks & !others & !(commas >> 1);
        if spaces & !(starts & blanks) | digits & (commas | zeros) != 0 {
            return None;
        }
        let third = Lanes::at(json, b as usize + 1)?.0;
        // Two digits make a number, two of these the next, two of those twice the result.
        let pairs = [(lanes[0], sizes[0], sizes[1]), (third, sizes[2], sizes[3])];
        let halves = pairs.map(|(lanes, a, b)| {
            let origins = ORIGINS.0.get((8 * a + b) as usize % ORIGINS.0.len());
            let origins = bytemuck::cast(origins.copied().unwrap_or_default());
            let digits = v128_and(i8x16_swizzle(lanes, origins), u8x16_splat(0xf));
            let pairs = u16x8_shr(i16x8_mul(digits, i16x8_splat(10 << 8 | 1)), 8);
            i32x4_dot_i16x8(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1))
        });
        let halves = i16x8_narrow_i32x4(halves[0], halves[1]);
        let twice = i16x8(20_000, 2, 20_000, 2, 20_000, 2, 20_000, 2);
        Some((bytemuck::cast(i32x4_dot_i16x8(halves, twice)), d as usize + 1))
    }
}

#[cfg(not(target_feature = "simd128"))]
mod width {
    use super::{FOUR, Found, LANES};
    use crate::text::digits::{self, HIGH, ONES};
    use std::hint::cold_path;

    /// Bytes in words, the first ones in the first word.
    #[derive(Clone, Copy, Debug)]
    pub struct Lanes([u64; LANES / 8]);

    impl Lanes {
        /// Returns the bytes at a place, if there are enough.
        #[inline(always)]
        pub fn at(bytes: &[u8], at: usize) -> Option<Self> {
            let lanes: &[u8; LANES] = bytes.get(at..)?.first_chunk()?;
            Some(Self(bytemuck::pod_read_unaligned::<[u64; 2]>(lanes).map(u64::from_le)))
        }

        /// Returns a byte in every lane.
        #[inline(always)]
        #[must_use]
        pub fn all(byte: u8) -> Self {
            Self([ONES * u64::from(byte); 2])
        }

        /// Finds the lanes where both have equal bytes.
        #[inline(always)]
        #[must_use]
        pub fn equal(self, other: Self) -> Found {
            let ([a, b], [c, d]) = (self.0, other.0);
            // A byte is zero if neither it nor the sum of its low bits and 0x7f has the highest
            // bit.
            found([a ^ c, b ^ d].map(|word| !((word & !HIGH).wrapping_add(!HIGH) | word) & HIGH))
        }

        /// Finds bytes that end or escape a JSON string, or may not stand in one. The first one is
        /// exact; later ones may be false.
        #[inline(always)]
        pub fn special(self) -> Found {
            found(self.0.map(special))
        }

        /// Returns the bytes as words, the first one lowest.
        #[inline(always)]
        #[must_use]
        pub fn words(self) -> [u64; LANES / 8] {
            self.0
        }
    }

    /// Finds the bytes whose highest bit is set.
    #[inline(always)]
    fn found(words: [u64; 2]) -> Found {
        /// Moves the bit of each byte to a bit of the highest byte.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let [low, high] = words.map(|word| ((word >> 7) & ONES).wrapping_mul(GATHER) >> 56);
        #[expect(clippy::cast_possible_truncation, reason = "16 bits")]
        let bits = (low | high << 8) as u32;
        Found { bits }
    }

    /// Reads four integers of a JSON list. Each has up to eight digits, maybe a space before them,
    /// and a comma behind them. Returns twice each integer, as words hold them, and the end of the
    /// last comma.
    #[inline(always)]
    #[must_use]
    pub fn four_integers(json: &[u8; FOUR]) -> Option<([u32; 4], usize)> {
        let (mut numbers, mut from) = ([0; 4], 0);
        for n in &mut numbers {
            let mut word = digits::word(json, from)?;
            // A branch is predicted. Counting the space in would make the next step wait.
            if word & 0xff == u64::from(b' ') {
                cold_path();
                from += 1;
                word = digits::word(json, from)?;
            }
            let (count, is_zero) = (digits::leading(word), word & 0xff == u64::from(b'0'));
            let end = from + count as usize;
            if count == 0 || is_zero && count > 1 || json.get(end) != Some(&b',') {
                return None;
            }
            (*n, from) = (2 * digits::number(word, count), end + 1);
        }
        Some((numbers, from))
    }

    /// Returns the highest bits of bytes that end or escape a JSON string. Only the lowest one is
    /// sure to be right.
    #[inline(always)]
    fn special(word: u64) -> u64 {
        // A byte below `n` borrows when `n` is subtracted. A byte with its highest bit set does not
        // count.
        let below = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word;
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let escape = below(word ^ (ONES * u64::from(b'\\')), 1);
        (below(word, 32) | quote | escape) & HIGH
    }
}
