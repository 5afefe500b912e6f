//! Bytes that are compared many at a time: 16 in a vector of WebAssembly, 8 in a word elsewhere.

pub(crate) use width::{LANES, Lanes};

use std::borrow::Cow;

/// Bytes of a copy that is not left to a call: a copy of unknown length is one that leaves the code
/// of the component, which takes as long as copying some words.
pub(crate) const SHORT: usize = 128;

/// Lanes of bytes that were found, from the first one on.
pub(crate) struct Found {
    /// A bit for each of them.
    bits: u64,
    /// How far the bits of two lanes are apart.
    stride: usize,
}

impl Found {
    /// The lanes that are in both.
    #[inline(always)]
    pub(crate) fn and(self, other: &Self) -> Self {
        Self { bits: self.bits & other.bits, ..self }
    }
}

impl Iterator for Found {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let lane = (self.bits != 0).then(|| self.bits.trailing_zeros() as usize / self.stride);
        self.bits &= self.bits.wrapping_sub(1);
        lane
    }
}

/// Copies so many bytes to a place, many at a time if they are no more than `SHORT`. Bytes behind
/// them are read if they are there, and what lies behind the place may change: it is for bytes to
/// come.
#[inline(always)]
pub(crate) fn copy(source: &[u8], from: usize, bytes: usize, out: &mut [u8], to: usize) {
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

/// The bytes and, if they are few, so many more that `copy` need not look for their end.
pub(crate) fn padded(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.len() > SHORT { bytes.into() } else { [bytes, &[0; LANES]].concat().into() }
}

#[cfg(target_feature = "simd128")]
mod width {
    use super::Found;
    use std::arch::wasm32::{
        i8x16_add, i8x16_lt, i8x16_splat, u8x16_bitmask, u8x16_eq, u8x16_lt, u8x16_splat,
        u64x2_extract_lane, v128, v128_or,
    };

    /// Bytes that are compared at a time.
    pub(crate) const LANES: usize = 16;

    /// So many bytes.
    #[derive(Clone, Copy)]
    pub(crate) struct Lanes(v128);

    impl Lanes {
        /// The bytes from a place on, if there are as many.
        #[inline(always)]
        pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Self> {
            let lanes: &[u8; LANES] = bytes.get(at..)?.first_chunk()?;
            Some(Self(bytemuck::pod_read_unaligned(lanes)))
        }

        /// A byte in every lane.
        #[inline(always)]
        pub(crate) fn all(byte: u8) -> Self {
            Self(u8x16_splat(byte))
        }

        /// Where both have the same byte.
        #[inline(always)]
        pub(crate) fn equal(self, other: Self) -> Found {
            found(u8x16_eq(self.0, other.0))
        }

        /// The bytes that end or escape a JSON string, or may not stand in one.
        #[inline(always)]
        pub(crate) fn special(self) -> Found {
            let ends = u8x16_eq(self.0, u8x16_splat(b'"'));
            let escapes = u8x16_eq(self.0, u8x16_splat(b'\\'));
            found(v128_or(v128_or(ends, escapes), u8x16_lt(self.0, u8x16_splat(b' '))))
        }

        /// The bytes that are no decimal digits.
        #[inline(always)]
        pub(crate) fn beyond_digits(self) -> Found {
            // Those of digits become the ten highest of signed ones.
            let highest = i8x16_add(self.0, i8x16_splat(0x7f - b'9'.cast_signed()));
            found(i8x16_lt(highest, i8x16_splat(0x76)))
        }

        /// The bytes as words, the first one lowest.
        #[inline(always)]
        pub(crate) fn words(self) -> [u64; LANES / 8] {
            [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)]
        }
    }

    fn found(lanes: v128) -> Found {
        Found { bits: u8x16_bitmask(lanes).into(), stride: 1 }
    }
}

#[cfg(not(target_feature = "simd128"))]
mod width {
    use super::Found;
    use crate::digits::{HIGH, ONES};

    /// Bytes that are compared at a time.
    pub(crate) const LANES: usize = 8;

    /// So many bytes.
    #[derive(Clone, Copy)]
    pub(crate) struct Lanes(u64);

    impl Lanes {
        /// The bytes from a place on, if there are as many.
        #[inline(always)]
        pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Self> {
            let lanes: &[u8; LANES] = bytes.get(at..)?.first_chunk()?;
            Some(Self(u64::from_le_bytes(*lanes)))
        }

        /// A byte in every lane.
        #[inline(always)]
        pub(crate) fn all(byte: u8) -> Self {
            Self(ONES * u64::from(byte))
        }

        /// Where both have the same byte.
        #[inline(always)]
        pub(crate) fn equal(self, other: Self) -> Found {
            let word = self.0 ^ other.0;
            // A byte is zero if neither it nor what is left without its highest bit has that bit.
            let zeros = !((word & !HIGH).wrapping_add(!HIGH) | word) & HIGH;
            Found { bits: zeros, stride: 8 }
        }

        /// The bytes that end or escape a JSON string, or may not stand in one. The first one is
        /// right; one behind it may only seem to be.
        #[inline(always)]
        pub(crate) fn special(self) -> Found {
            Found { bits: special(self.0), stride: 8 }
        }

        /// The bytes that are no decimal digits.
        #[inline(always)]
        pub(crate) fn beyond_digits(self) -> Found {
            // Those of digits become 0 to 9, and adding 0x76 to no more than that sets no high bit.
            let word = self.0 ^ (ONES * u64::from(b'0'));
            Found { bits: ((word & !HIGH).wrapping_add(ONES * 0x76) | word) & HIGH, stride: 8 }
        }

        /// The bytes as words, the first one lowest.
        #[inline(always)]
        pub(crate) fn words(self) -> [u64; LANES / 8] {
            [self.0]
        }
    }

    /// The highest bits of the bytes that end or escape a JSON string. The lowest one that is found is
    /// right, only those above it may not be.
    #[inline(always)]
    fn special(word: u64) -> u64 {
        // A byte below `n` borrows when `n` is taken away; one that has its highest bit set does not
        // count.
        let below = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word;
        let quote = below(word ^ (ONES * u64::from(b'"')), 1);
        let escape = below(word ^ (ONES * u64::from(b'\\')), 1);
        (below(word, 32) | quote | escape) & HIGH
    }
}
