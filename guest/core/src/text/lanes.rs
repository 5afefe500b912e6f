//! Compares bytes 16 at a time: in a vector on WebAssembly, in two words elsewhere. The width is 16
//! everywhere: the heap needs room for a whole vector, and memory use must not depend on the
//! machine.

pub use width::Lanes;

use std::borrow::Cow;

/// Bytes of one comparison.
pub const LANES: usize = 16;

/// Bytes of the longest copy without a call. A copy of unknown length calls a function outside the
/// component, which costs as much as copying some words.
pub const SHORT: usize = 128;

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
    use super::{Found, LANES};
    use std::arch::wasm32::{
        u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat, u64x2_extract_lane, v128, v128_or,
    };

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
}

#[cfg(not(target_feature = "simd128"))]
mod width {
    use super::{Found, LANES};
    use crate::text::digits::{HIGH, ONES};

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
