//! Arithmetic as JavaScript has it: `divide math bits`.

use crate::algorithm::number::arithmetic::{length_work, work};
use crate::algorithm::number::rational::quotient;
use crate::algorithm::number::value::{Number, TOO_LARGE, bounded, finite};
use crate::algorithm::trouble::Trouble;
use crate::builtin::arithmetic::numbers::power_of;
use crate::builtin::call::Call;
use crate::memory::word::Word;
use crate::run::state::Exit;
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive, Zero};
use pif_core::functions;
use pif_core::limits::INTEGER_BITS;
use pif_core::text::quote::shorten;
use pif_language::form::Form;
use pif_language::kinds;

/// The fault of an operand that is none of the words or numbers which a form takes.
pub(super) fn unknown(what: String) -> Exit {
    Trouble::OutOfRange(what).into()
}

/// Counts numbers in words.
fn many(count: usize) -> String {
    if count == 1 { "one number".to_owned() } else { format!("{count} numbers") }
}

/// How a quotient becomes an integer.
#[derive(Clone, Copy)]
enum Mode {
    Floor,
    Ceil,
    Round,
    Trunc,
}

impl Mode {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "floor" => Self::Floor,
            "ceil" => Self::Ceil,
            "round" => Self::Round,
            "trunc" => Self::Trunc,
            _ => return None,
        })
    }

    fn of_integers(self, a: &BigInt, b: &BigInt) -> BigInt {
        match self {
            Self::Floor => a.div_floor(b),
            Self::Ceil => -(-a).div_floor(b),
            // Halves go up: ⌊(2a + b) / 2b⌋.
            Self::Round => (a * 2_u8 + b).div_floor(&(b * 2_u8)),
            Self::Trunc => a / b,
        }
    }

    fn of_float(self, n: f64) -> f64 {
        match self {
            Self::Ceil => n.ceil(),
            Self::Round if n - n.floor() >= 0.5 => n.floor() + 1.0,
            Self::Floor | Self::Round => n.floor(),
            Self::Trunc => n.trunc(),
        }
    }
}

pub(crate) fn divide(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (a, b) = (c.number(0)?, c.number(1)?);
    let mode = if c.len() > 2 { Some(mode(c)?) } else { None };
    let has_float = a.is_float() || b.is_float();
    c.charge(work(Form::Div, a.limbs(), b.limbs(), has_float))?;
    if b.is_zero() {
        return Err(Trouble::DivideByZero.into());
    }
    if let (Number::Small(a), Number::Small(b), None) = (&a, &b, mode)
        && a.checked_rem(*b) == Some(0)
        && let Some(quotient) = a.checked_div(*b)
    {
        return c.make_number(&Number::Small(quotient));
    }
    if has_float {
        let quotient = finite(a.float()? / b.float()?)?;
        return c.make_number(&match mode {
            None => Number::Float(quotient),
            Some(mode) => Number::Float(mode.of_float(quotient)).whole(),
        });
    }
    let result = match mode {
        Some(mode) => bounded(mode.of_integers(&a.big(), &b.big()))?,
        None => match a.big().div_rem(&b.big()) {
            (exact, rest) if rest.is_zero() => Number::Big(exact),
            _ => Number::Float(quotient(&a, &b)?),
        },
    };
    c.make_number(&result)
}

fn mode(c: &mut Call<'_>) -> Result<Mode, Exit> {
    let name = c.text(2)?;
    c.charge_texts(&[&name])?;
    let known = "the mode of `divide` is `floor`, `ceil`, `round` or `trunc`";
    Mode::of(&name).ok_or_else(|| unknown(known.to_owned()))
}

/// Returns the name in the first operand, and the numbers after it, which are paid for.
fn named(c: &mut Call<'_>) -> Result<(String, Vec<Number>), Exit> {
    let name = c.text(0)?;
    let numbers = (1..c.len()).map(|i| c.number(i)).collect::<Result<Vec<_>, _>>()?;
    c.charge_texts(&[&name])?;
    let most = numbers.iter().map(Number::limbs).max().unwrap_or(1);
    c.charge(length_work(most))?;
    Ok((name, numbers))
}

pub(crate) fn math(c: &mut Call<'_>) -> Result<Word, Exit> {
    // More than a few operands stand in a list.
    let (name, numbers) = if c.len() == 0 { listed(c)? } else { named(c)? };
    let result = match (name.as_str(), numbers.as_slice()) {
        ("sign", [Number::Float(n)]) if *n == 0.0 => Number::Small(0),
        ("sign", [Number::Float(n)]) => Number::Small(if *n > 0.0 { 1 } else { -1 }),
        ("sign", [n]) => Number::Big(n.big().signum()),
        ("pow", [base, exponent]) => power_of(c, base, exponent)?,
        ("atan2", [y, x]) => Number::Float(functions::atan2(y.float()?, x.float()?)),
        ("hypot", numbers) => {
            let floats = numbers.iter().map(Number::float).collect::<Result<Vec<_>, _>>()?;
            Number::Float(finite(functions::hypot(&floats))?)
        }
        (name, [n]) if let Some(f) = functions::of_one(name) => {
            Number::Float(finite(f(n.float()?))?)
        }
        _ => {
            let what =
                format!("`math` has no function `{}` of {}", shorten(&name), many(numbers.len()));
            return Err(unknown(what));
        }
    };
    c.make_number(&result)
}

/// Does `named` for operands in a list.
fn listed(c: &mut Call<'_>) -> Result<(String, Vec<Number>), Exit> {
    let words = c.elements(c.operand(0));
    let Some((name, others)) = words.split_first() else { return Ok((String::new(), Vec::new())) };
    if !c.s.heap.is_text(*name) {
        return Err(c.s.wrong_type(0, *name, kinds::STRING));
    }
    let name = c.s.heap.string(*name);
    let mut numbers = Vec::with_capacity(others.len());
    for (at, word) in (1..).zip(others) {
        let n =
            Number::of(&c.s.heap, *word).ok_or_else(|| c.s.wrong_type(at, *word, kinds::NUMBER))?;
        n.must_be_finite()?;
        numbers.push(n);
    }
    c.charge_texts(&[&name])?;
    let most = numbers.iter().map(Number::limbs).max().unwrap_or(1);
    c.charge(length_work(most))?;
    Ok((name, numbers))
}

/// Returns a number modulo 2^32, after its fraction is dropped.
fn low_bits(n: &Number) -> u32 {
    let n = match n {
        Number::Float(n) => Number::Float(n.trunc()).whole(),
        Number::Small(n) => Number::Small(*n),
        Number::Big(n) => Number::Big(n & BigInt::from(u32::MAX)),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "modulo 2^32")]
    match n {
        Number::Small(n) => n as u32,
        n => (n.into_big() & BigInt::from(u32::MAX)).to_u32().unwrap_or_default(),
    }
}

pub(crate) fn bits(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (name, numbers) = named(c)?;
    let of_words = |x: u32, y: u32| -> Option<i64> {
        let shifted = y & 31;
        Some(match name.as_str() {
            "&" => i64::from((x & y).cast_signed()),
            "|" => i64::from((x | y).cast_signed()),
            "^" => i64::from((x ^ y).cast_signed()),
            "<<" => i64::from((x << shifted).cast_signed()),
            ">>" => i64::from(x.cast_signed() >> shifted),
            ">>>" => i64::from(x >> shifted),
            "imul" => i64::from(x.wrapping_mul(y).cast_signed()),
            _ => return None,
        })
    };
    let result = match (name.as_str(), numbers.as_slice()) {
        ("~", [n]) => Some(i64::from((!low_bits(n)).cast_signed())),
        ("clz32", [n]) => Some(i64::from(low_bits(n).leading_zeros())),
        (_, [a, b]) => of_words(low_bits(a), low_bits(b)),
        _ => None,
    };
    match result {
        Some(n) => c.make_number(&Number::Small(n)),
        None => of_any_size(c, &name, numbers),
    }
}

/// Does the operations on integers of any size.
fn of_any_size(c: &mut Call<'_>, name: &str, numbers: Vec<Number>) -> Result<Word, Exit> {
    let count = numbers.len();
    if !matches!((name, count), ("not", 1) | ("and" | "or" | "xor" | "left" | "right", 2)) {
        let what = format!("`bits` has no operation `{}` on {}", shorten(name), many(count));
        return Err(unknown(what));
    }
    let mut integers = Vec::with_capacity(2);
    for (at, n) in (1..).zip(numbers) {
        if matches!(n, Number::Float(n) if n.fract() != 0.0) {
            return Err(c.wrong(at, kinds::INTEGER));
        }
        integers.push(n.whole().into_big());
    }
    let mut integers = integers.into_iter();
    let (a, b) = (integers.next().unwrap_or_default(), integers.next().unwrap_or_default());
    let result = match name {
        "not" => !a,
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        _ => shifted(c, name, a, &b)?,
    };
    c.make_number(&Number::Big(result))
}

fn shifted(c: &mut Call<'_>, name: &str, a: BigInt, by: &BigInt) -> Result<BigInt, Exit> {
    if by.is_negative() {
        return Err(unknown(format!("`{name}` shifts by 0 or more bits")));
    }
    let by = by.to_u64().unwrap_or(u64::MAX);
    if name == "right" {
        // A number has no more bits than these.
        return Ok(a >> by.min(INTEGER_BITS + 1));
    }
    if a.is_zero() {
        return Ok(a);
    }
    if a.bits().saturating_add(by) > INTEGER_BITS {
        return Err(TOO_LARGE.into());
    }
    c.charge(length_work(1 + by / 64))?;
    Ok(a << by)
}
