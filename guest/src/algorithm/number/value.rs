//! Numbers, unpacked from their words.

use crate::algorithm::trouble::Trouble;
use crate::memory::heap::Heap;
use crate::memory::word::{Word, as_small, fit, is_integer};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{FromPrimitive, ToPrimitive, Zero};
use pif_core::limits::INTEGER_BITS;

/// A number, unpacked from its word.
#[derive(Debug)]
pub(crate) enum Number {
    Small(i64),
    Big(BigInt),
    Float(f64),
}

impl Number {
    /// Unpacks a number. Returns nothing for another value.
    #[inline(never)]
    pub(crate) fn of(heap: &Heap, v: Word) -> Option<Self> {
        if is_integer(v) {
            return Some(Self::Small(as_small(v)));
        }
        if let Some(n) = heap.as_float(v) {
            return Some(Self::Float(n));
        }
        let (limbs, negative) = heap.limbs(v)?;
        let sign = if negative { Sign::Minus } else { Sign::Plus };
        Some(Self::Big(BigInt::from_biguint(
            sign,
            BigUint::from_slice(bytemuck::cast_slice(limbs)),
        )))
    }

    pub(crate) fn big(&self) -> BigInt {
        match self {
            Self::Small(n) => BigInt::from(*n),
            Self::Big(n) => n.clone(),
            Self::Float(_) => BigInt::zero(),
        }
    }

    /// Converts the number to an integer, consuming it.
    pub(crate) fn into_big(self) -> BigInt {
        if let Self::Big(n) = self { n } else { self.big() }
    }

    /// Returns the nearest float.
    #[inline(never)]
    pub(crate) fn float(&self) -> Result<f64, Trouble> {
        finite(match self {
            #[expect(clippy::cast_precision_loss, reason = "an integer becomes the nearest float")]
            Self::Small(n) => *n as f64,
            Self::Big(n) => n.to_f64().unwrap_or(f64::INFINITY),
            Self::Float(n) => *n,
        })
    }

    /// Returns a float without a fraction as an integer.
    pub(crate) fn whole(self) -> Self {
        match self {
            Self::Float(n) => n.to_i64().map_or_else(|| Self::Big(integral(n)), Self::Small),
            n => n,
        }
    }

    /// Returns the nearest float, or infinity if the number is that.
    pub(crate) fn float_or_infinity(&self) -> Result<f64, Trouble> {
        if let Self::Float(n) = self { Ok(*n) } else { self.float() }
    }

    /// Refuses infinity, which only comparisons take.
    pub(crate) fn must_be_finite(&self) -> Result<(), Trouble> {
        match self {
            Self::Float(n) => finite(*n).map(drop),
            _ => Ok(()),
        }
    }

    /// Tells whether the number is zero, of either type and sign.
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Small(n) => *n == 0,
            Self::Big(n) => n.is_zero(),
            Self::Float(n) => *n == 0.0,
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Self::Float(_))
    }

    /// Counts the 64-bit limbs; 1 for a number that fits into one.
    pub(crate) fn limbs(&self) -> u64 {
        match self {
            Self::Big(n) => n.bits().div_ceil(64).max(1),
            _ => 1,
        }
    }

    /// Counts the words of the number on the heap.
    pub(crate) fn words(&self) -> usize {
        match self {
            Self::Big(n) => Heap::integer_words(n),
            _ => 2,
        }
    }

    /// Puts the number on the heap. There must be room for its words.
    #[inline(never)]
    pub(crate) fn put(&self, heap: &mut Heap) -> Word {
        match self {
            Self::Small(n) => fit(*n).unwrap_or_else(|| heap.integer(&BigInt::from(*n))),
            Self::Big(n) => heap.integer(n),
            Self::Float(n) => heap.float(*n),
        }
    }
}

/// Checks that a float is finite: no arithmetic gives or takes another.
pub(crate) fn finite(n: f64) -> Result<f64, Trouble> {
    if n.is_finite() { Ok(n) } else { Err(Trouble::NotFinite) }
}

/// Converts a float without a fraction to an integer.
pub(crate) fn integral(n: f64) -> BigInt {
    BigInt::from_f64(n).unwrap_or_default()
}

/// Checks that an integer is not too large.
pub(crate) fn bounded(n: BigInt) -> Result<Number, Trouble> {
    if n.bits() > INTEGER_BITS { Err(TOO_LARGE) } else { Ok(Number::Big(n)) }
}

pub(crate) const TOO_LARGE: Trouble =
    Trouble::TooLarge("the integer would have more than 1048576 bits");
