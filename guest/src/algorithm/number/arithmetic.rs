//! Arithmetic on big integers and floats, with the faults of other types.

use crate::algorithm::number::value::{Number, TOO_LARGE, bounded, finite};
use crate::algorithm::trouble::Trouble;
use pif_language::kinds;
use pif_language::prices::units;

use crate::algorithm::number::remainder;
use crate::memory::heap::Heap;
use crate::memory::word::{Word, is_integer};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::Zero;
use pif_core::limits::INTEGER_BITS;
use pif_language::form::Form;

/// Counts the 64-bit limbs of an integer; 1 for any smaller value.
pub(crate) fn limbs(heap: &Heap, v: Word) -> u64 {
    if is_integer(v) { 1 } else { heap.limbs(v).map_or(1, |(limbs, _)| limbs.len().max(1) as u64) }
}

/// Tells whether a value is a number.
pub(crate) fn is_number(heap: &Heap, v: Word) -> bool {
    is_integer(v) || heap.limbs(v).is_some() || heap.as_float(v).is_some()
}

/// Returns the bulk work of an operation on two integers, and the words that its result may need.
pub(crate) fn cost(heap: &Heap, form: Form, x: Word, y: Word) -> (u64, usize) {
    if !is_number(heap, x) || !is_number(heap, y) {
        return (0, 2);
    }
    let (a, b) = (limbs(heap, x), limbs(heap, y));
    let words = usize::try_from(a + b + 2).unwrap_or(usize::MAX);
    let has_float = heap.as_float(x).or(heap.as_float(y)).is_some();
    let is_finite = heap.as_infinity(x).or(heap.as_infinity(y)).is_none();
    if form == Form::Mod && has_float && is_finite {
        let (a, b) = remainder::limbs(heap, x, y);
        return (work(form, a, b, true), words);
    }
    (work(form, a, b, has_float), words)
}

/// Returns the work of reading a number of so many limbs. A single limb is free.
pub(crate) fn length_work(limbs: u64) -> u64 {
    if limbs > 1 { 8 + limbs } else { 0 }
}

/// Returns the bulk work of an operation on numbers of so many limbs.
pub(crate) fn work(form: Form, a: u64, b: u64, has_float: bool) -> u64 {
    match limbs_work(form, a, b) {
        0 if has_float => units::FLOAT_ARITHMETIC,
        0 => 0,
        work => units::BIG_ARITHMETIC + work,
    }
}

/// Returns the part of that work that the limbs cause.
pub(crate) fn limbs_work(form: Form, a: u64, b: u64) -> u64 {
    match form {
        _ if a.max(b) == 1 => 0,
        Form::Add | Form::Sub => a.max(b),
        Form::Mul => a * b,
        // Each limb of the quotient multiplies the divisor once. Reading a shorter number costs all
        // its limbs.
        _ => b * (a.max(b) - b + 1),
    }
}

/// Does `add`, `sub`, `mul`, `div`, `mod` and `rem`. There must be room for the words of `cost`.
pub(crate) fn arithmetic(heap: &mut Heap, form: Form, x: Word, y: Word) -> Result<Word, Trouble> {
    let wrong = |heap: &Heap, operand, v| Trouble::of_type(heap, operand, v, kinds::NUMBER);
    let a = Number::of(heap, x).ok_or_else(|| wrong(heap, 0, x))?;
    let b = Number::of(heap, y).ok_or_else(|| wrong(heap, 1, y))?;
    Ok(combine(form, &a, &b)?.put(heap))
}

/// Does `add`, `sub`, `mul`, `div`, `mod` and `rem` of two unpacked numbers.
pub(crate) fn combine(form: Form, a: &Number, b: &Number) -> Result<Number, Trouble> {
    if form == Form::Mod && (a.is_float() || b.is_float()) {
        a.must_be_finite()?;
        b.must_be_finite()?;
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

fn smalls(form: Form, a: i64, b: i64) -> Result<Option<i64>, Trouble> {
    Ok(match form {
        Form::Add => a.checked_add(b),
        Form::Sub => a.checked_sub(b),
        Form::Mul => a.checked_mul(b),
        _ if b == 0 => return Err(Trouble::DivideByZero),
        // The smallest integer divided by -1 overflows.
        _ if b == -1 => None,
        Form::Rem => Some(a % b),
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
        Form::Rem => a % b,
        _ => a.mod_floor(b),
    })
}

fn floats(form: Form, a: f64, b: f64) -> Result<f64, Trouble> {
    finite(match form {
        Form::Add => a + b,
        Form::Sub => a - b,
        Form::Mul => a * b,
        _ if b == 0.0 => return Err(Trouble::DivideByZero),
        Form::Rem => libm::fmod(a, b),
        _ => a / b,
    })
}
