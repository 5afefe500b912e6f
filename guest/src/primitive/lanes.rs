//! Bytes that are compared many at a time: 16 in a vector of WebAssembly, 8 in a word elsewhere.

pub(crate) use width::{LANES, Lanes};

/// Lanes of bytes that were found, from the first one on.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// A bit for each of them.
    bits: u64,
    /// How far the bits of two lanes are apart.
    stride: usize,
}

impl Found {
    /// The lanes that are in both.
    #[inline(always)]
    pub(crate) fn and(self, other: Self) -> Self {
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

#[cfg(target_feature = "simd128")]
mod width {
    use super::Found;
    use std::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_splat, v128};

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
            Found { bits: u8x16_bitmask(u8x16_eq(self.0, other.0)).into(), stride: 1 }
        }
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
    }
}
