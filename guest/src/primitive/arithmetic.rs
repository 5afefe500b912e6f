//! Arithmetic beyond what fits in a word: exact integers, floats, and everything of the wrong type.

use super::{Trouble, remainder};
use crate::form::Form;
use crate::heap::Heap;
use crate::limits::INTEGER_BITS;
use crate::value::{Word, as_small, fit, is_integer};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{ToPrimitive, Zero};

/// A number out of its word.
#[derive(Debug)]
pub(crate) enum Number {
    Small(i64),
    Big(BigInt),
    Float(f64),
}

impl Number {
    /// The number in a word, if it is one.
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

    /// The integer, of which nothing else is needed any more.
    pub(crate) fn into_big(self) -> BigInt {
        if let Self::Big(n) = self { n } else { self.big() }
    }

    /// The nearest float.
    #[inline(never)]
    pub(crate) fn float(&self) -> Result<f64, Trouble> {
        finite(match self {
            #[expect(clippy::cast_precision_loss, reason = "an integer becomes the nearest float")]
            Self::Small(n) => *n as f64,
            Self::Big(n) => n.to_f64().unwrap_or(f64::INFINITY),
            Self::Float(n) => *n,
        })
    }

    /// Whether this is zero, of either type and sign.
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

    /// 64-bit limbs; 1 for anything that fits into one.
    pub(crate) fn limbs(&self) -> u64 {
        match self {
            Self::Big(n) => n.bits().div_ceil(64).max(1),
            _ => 1,
        }
    }

    /// Words that the number takes on the heap.
    pub(crate) fn words(&self) -> usize {
        match self {
            Self::Big(n) => Heap::integer_words(n),
            _ => 2,
        }
    }

    /// The number on the heap, where there must be room for its words.
    #[inline(never)]
    pub(crate) fn put(&self, heap: &mut Heap) -> Word {
        match self {
            Self::Small(n) => fit(*n).unwrap_or_else(|| heap.integer(&BigInt::from(*n))),
            Self::Big(n) => heap.integer(n),
            Self::Float(n) => heap.float(*n),
        }
    }
}

/// A float that a program may see.
pub(crate) fn finite(n: f64) -> Result<f64, Trouble> {
    if n.is_finite() { Ok(n) } else { Err(Trouble::NotFinite) }
}

/// An integer that is not too large.
pub(crate) fn bounded(n: BigInt) -> Result<Number, Trouble> {
    if n.bits() > INTEGER_BITS { Err(TOO_LARGE) } else { Ok(Number::Big(n)) }
}

/// 64-bit limbs of an integer; 1 for anything that fits into one.
pub(crate) fn limbs(heap: &Heap, v: Word) -> u64 {
    if is_integer(v) { 1 } else { heap.limbs(v).map_or(1, |(limbs, _)| limbs.len().max(1) as u64) }
}

/// Whether a value is a number.
pub(crate) fn is_number(heap: &Heap, v: Word) -> bool {
    is_integer(v) || heap.limbs(v).is_some() || heap.as_float(v).is_some()
}

/// Bulk work of an operation on two integers, and words its result may need.
pub(crate) fn cost(heap: &Heap, form: Form, x: Word, y: Word) -> (u64, usize) {
    if !is_number(heap, x) || !is_number(heap, y) {
        return (0, 2);
    }
    let (a, b) = (limbs(heap, x), limbs(heap, y));
    let words = usize::try_from(a + b + 2).unwrap_or(usize::MAX);
    let has_float = heap.as_float(x).or(heap.as_float(y)).is_some();
    if form == Form::Mod && has_float {
        let (a, b) = remainder::limbs(heap, x, y);
        return (work(form, a, b, true), words);
    }
    (work(form, a, b, has_float), words)
}

/// Work of an operation on integers of several limbs, beside that of the limbs.
const LARGE_WORK: u64 = 16;
/// Work of an operation on a float.
const FLOAT_WORK: u64 = 6;

/// Work of looking at a number of so many limbs: one costs nothing.
pub(crate) fn length_work(limbs: u64) -> u64 {
    if limbs > 1 { 8 + limbs } else { 0 }
}

/// Bulk work of an operation on numbers of so many limbs.
pub(crate) fn work(form: Form, a: u64, b: u64, has_float: bool) -> u64 {
    match limbs_work(form, a, b) {
        0 if has_float => FLOAT_WORK,
        0 => 0,
        work => LARGE_WORK + work,
    }
}

/// The part of it that the limbs make.
pub(crate) fn limbs_work(form: Form, a: u64, b: u64) -> u64 {
    match form {
        _ if a.max(b) == 1 => 0,
        Form::Add | Form::Sub => a.max(b),
        Form::Mul => a * b,
        // Each limb of the quotient takes the divisor once; what is shorter is looked at as a whole.
        _ => b * (a.max(b) - b + 1),
    }
}

/// `add`, `sub`, `mul`, `div`, `mod`. There must be room for what `cost` says.
pub(crate) fn arithmetic(heap: &mut Heap, form: Form, x: Word, y: Word) -> Result<Word, Trouble> {
    let wrong = |heap: &Heap, operand, v| Trouble::of_type(heap, operand, v, "a number");
    let a = Number::of(heap, x).ok_or_else(|| wrong(heap, 0, x))?;
    let b = Number::of(heap, y).ok_or_else(|| wrong(heap, 1, y))?;
    Ok(combine(form, &a, &b)?.put(heap))
}

/// The same of numbers out of their words.
pub(crate) fn combine(form: Form, a: &Number, b: &Number) -> Result<Number, Trouble> {
    if form == Form::Mod && (a.is_float() || b.is_float()) {
        return remainder::of(a, b).map(Number::Float);
    }
    if a.is_float() || b.is_float() {
        return floats(form, a.float()?, b.float()?).map(Number::Float);
    }
    if let (Number::Small(a), Number::Small(b)) = (a, b)
        && let Some(n) = smalls(form, *a, *b)?
    {
        return Ok(Number::Small(n));
    }
    bounded(bigs(form, &a.big(), &b.big())?)
}

pub(crate) const TOO_LARGE: Trouble =
    Trouble::TooLarge("the integer would have more than 1048576 bits");

fn smalls(form: Form, a: i64, b: i64) -> Result<Option<i64>, Trouble> {
    Ok(match form {
        Form::Add => a.checked_add(b),
        Form::Sub => a.checked_sub(b),
        Form::Mul => a.checked_mul(b),
        _ if b == 0 => return Err(Trouble::DivideByZero),
        // The smallest word divided by -1 is no word.
        _ if b == -1 => None,
        Form::Div => Some(num_integer::Integer::div_floor(&a, &b)),
        _ => Some(num_integer::Integer::mod_floor(&a, &b)),
    })
}

fn bigs(form: Form, a: &BigInt, b: &BigInt) -> Result<BigInt, Trouble> {
    Ok(match form {
        Form::Add => a + b,
        Form::Sub => a - b,
        Form::Mul if a.bits() + b.bits() > INTEGER_BITS + 1 => return Err(TOO_LARGE),
        Form::Mul => a * b,
        _ if b.is_zero() => return Err(Trouble::DivideByZero),
        Form::Div => a.div_floor(b),
        _ => a.mod_floor(b),
    })
}

fn floats(form: Form, a: f64, b: f64) -> Result<f64, Trouble> {
    finite(match form {
        Form::Add => a + b,
        Form::Sub => a - b,
        Form::Mul => a * b,
        _ if b == 0.0 => return Err(Trouble::DivideByZero),
        _ => a / b,
    })
}
