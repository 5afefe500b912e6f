//! Arithmetic beyond what fits in a word: exact integers, floats, and everything of the wrong type.

use super::{Trouble, type_name};
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

    /// 64-bit limbs; a float counts as one.
    pub(crate) fn limbs(&self) -> u64 {
        if let Self::Big(n) = self { n.bits().div_ceil(64).max(1) } else { 1 }
    }

    /// The integer, of which nothing else is needed any more.
    pub(crate) fn into_big(self) -> BigInt {
        if let Self::Big(n) = self { n } else { self.big() }
    }

    /// The nearest float.
    pub(crate) fn float(&self) -> Result<f64, Trouble> {
        let n = match self {
            #[expect(clippy::cast_precision_loss, reason = "an integer becomes the nearest float")]
            Self::Small(n) => *n as f64,
            Self::Big(n) => n.to_f64().unwrap_or(f64::INFINITY),
            Self::Float(n) => *n,
        };
        if n.is_finite() { Ok(n) } else { Err(Trouble::NotFinite) }
    }
}

/// 64-bit limbs of an integer; 1 for anything that fits into one.
pub(crate) fn limbs(heap: &Heap, v: Word) -> u64 {
    if is_integer(v) { 1 } else { heap.limbs(v).map_or(1, |(limbs, _)| limbs.len().max(1) as u64) }
}

/// Bulk work of an operation on two integers, and words its result may need.
pub(crate) fn cost(heap: &Heap, form: Form, x: Word, y: Word) -> (u64, usize) {
    let is_number = |v| is_integer(v) || heap.limbs(v).is_some() || heap.as_float(v).is_some();
    if !is_number(x) || !is_number(y) {
        return (0, 2);
    }
    let (a, b) = (limbs(heap, x), limbs(heap, y));
    let words = usize::try_from(a + b + 2).unwrap_or(usize::MAX);
    let work = match form {
        _ if a.max(b) == 1 => 0,
        Form::Add | Form::Sub => a.max(b),
        _ => a * b,
    };
    (work, words)
}

/// `add`, `sub`, `mul`, `div`, `mod`. There must be room for what `cost` says.
pub(crate) fn arithmetic(heap: &mut Heap, form: Form, x: Word, y: Word) -> Result<Word, Trouble> {
    let wrong = |heap: &Heap, operand, v| {
        let found = type_name(heap, v);
        Trouble::Type { operand, wanted: "a number", found }
    };
    let a = Number::of(heap, x).ok_or_else(|| wrong(heap, 0, x))?;
    let b = Number::of(heap, y).ok_or_else(|| wrong(heap, 1, y))?;
    if matches!((&a, &b), (Number::Float(_), _) | (_, Number::Float(_))) {
        let n = floats(form, a.float()?, b.float()?)?;
        return Ok(heap.float(n));
    }
    if let (Number::Small(a), Number::Small(b)) = (&a, &b)
        && let Some(word) = smalls(form, *a, *b)?
    {
        return Ok(word);
    }
    let n = bigs(form, &a.big(), &b.big())?;
    if n.bits() > INTEGER_BITS {
        return Err(TOO_LARGE);
    }
    Ok(heap.integer(&n))
}

const TOO_LARGE: Trouble = Trouble::TooLarge("the integer would have more than 1048576 bits");

fn smalls(form: Form, a: i64, b: i64) -> Result<Option<Word>, Trouble> {
    let n = match form {
        Form::Add => a.checked_add(b),
        Form::Sub => a.checked_sub(b),
        Form::Mul => a.checked_mul(b),
        _ if b == 0 => return Err(Trouble::DivideByZero),
        Form::Div => Some(num_integer::Integer::div_floor(&a, &b)),
        _ => Some(num_integer::Integer::mod_floor(&a, &b)),
    };
    Ok(n.and_then(fit))
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
    let n = match form {
        Form::Add => a + b,
        Form::Sub => a - b,
        Form::Mul => a * b,
        _ if b == 0.0 => return Err(Trouble::DivideByZero),
        Form::Div => a / b,
        _ => a - b * (a / b).floor(),
    };
    if n.is_finite() { Ok(n) } else { Err(Trouble::NotFinite) }
}
