//! Numbers of texts, and texts of numbers, as JavaScript has them: `to_number leading_number
//! number_text number_is`.

use crate::algorithm::number::value::{Number, TOO_LARGE, bounded};
use crate::algorithm::weight::digits_work;
use crate::algorithm::weight::{LIMB_DIGITS, reading_work};
use crate::builtin::arithmetic::figures::unknown;
use crate::builtin::bytes::TOO_LARGE as TOO_LONG;
use crate::builtin::call::Call;
use crate::builtin::strings::reading::LONG_FLOAT;
use crate::data::string::{scalar_text, scalar_work};
use crate::memory::word::{FALSE, TRUE, UNIT, Word, boolean, fit, small};
use crate::run::state::Exit;
use num_bigint::BigInt;
use pif_core::figures::{self, Reading};
use pif_core::json::decimal::Powers;
use pif_core::json::number::write_integer;
use pif_core::limits::INTEGER_BITS;
use pif_language::prices::units;

pub(crate) fn to_number(c: &mut Call<'_>) -> Result<Word, Exit> {
    let v = c.operand(0);
    if let Some(ms) = c.s.heap.date(v) {
        return Ok(small(ms));
    }
    match v {
        TRUE => return Ok(small(1)),
        FALSE | UNIT => return Ok(small(0)),
        _ if Number::of(&c.s.heap, v).is_some() || c.s.heap.as_no_number(v).is_some() => {
            return Ok(v);
        }
        _ if !c.s.heap.is_text(v) => return no_number(c, None),
        _ => {}
    }
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    made(c, figures::read(&text), None)
}

pub(crate) fn leading_number(c: &mut Call<'_>) -> Result<Word, Exit> {
    let v = c.operand(0);
    if c.s.heap.as_no_number(v).is_some() {
        return Ok(v);
    }
    let base = base(c)?;
    let is_text = c.s.heap.is_text(v);
    let text = if is_text {
        c.text(0)?
    } else {
        let Some(work) = scalar_work(&c.s.heap, v) else { return no_number(c, None) };
        c.charge(work)?;
        scalar_text(&c.s.heap, v)
    };
    c.charge_texts(&[&text])?;
    let reading = match base {
        None => figures::leading_decimal(&text),
        Some(base) => figures::leading_integer(&text, base),
    };
    made(c, reading, if is_text { None } else { Some(&text) })
}

/// Returns the base that `leading_number` reads in; none for a float.
fn base(c: &mut Call<'_>) -> Result<Option<u32>, Exit> {
    if c.len() < 2 || c.operand(1) == UNIT {
        return Ok(Some(0));
    }
    if !c.s.heap.is_text(c.operand(1)) {
        let base = c.integer(1)?.ok().and_then(|n| u32::try_from(n).ok());
        return Ok(Some(base.unwrap_or(1)));
    }
    match c.text(1)?.as_str() {
        "float" => Ok(None),
        _ => Err(unknown("the radix of `leading_number` is from 2 to 36, or `float`".to_owned())),
    }
}

/// Makes the number that a text was read as. `text` is the text, unless that is the first operand.
fn made(c: &mut Call<'_>, reading: Reading<'_>, text: Option<&str>) -> Result<Word, Exit> {
    match reading {
        Reading::None => no_number(c, text),
        Reading::Integer(digits, base, is_negative) => integer(c, digits, (base, is_negative)),
        Reading::Float(n) => {
            let length = c.s.heap.text_size(c.operand(0)).map_or(0, |(bytes, _)| bytes);
            c.charge(if length > LONG_FLOAT as u64 { units::LONG_FLOAT } else { 0 })?;
            c.make_number(&from_float(n))
        }
    }
}

/// From here on not every integer is a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns a float that was read, as an integer if it is one that floats can tell.
fn from_float(n: f64) -> Number {
    if n.fract() == 0.0 && n.abs() <= EXACT { Number::Float(n).whole() } else { Number::Float(n) }
}

/// Makes what is not a number, of a text or the first operand.
fn no_number(c: &mut Call<'_>, text: Option<&str>) -> Result<Word, Exit> {
    let mut word = [c.operand(0)];
    if text.is_some() || !c.s.heap.is_text(c.operand(0)) {
        word = [c.make_text(text.unwrap_or("[object]"))?];
    }
    c.room_keeping(2, &mut word)?;
    let [text] = word;
    Ok(c.s.heap.not_a_number(text))
}

/// Makes an integer of its digits, after charging for them.
fn integer(c: &mut Call<'_>, digits: &str, (base, is_negative): (u32, bool)) -> Result<Word, Exit> {
    let digits = digits.trim_start_matches('0');
    let signed = |n: i64| if is_negative { -n } else { n };
    if digits.is_empty() {
        return Ok(small(0));
    }
    if digits.len() < LIMB_DIGITS
        && let Ok(n) = i64::from_str_radix(digits, base)
        && let Some(word) = fit(signed(n))
    {
        return Ok(word);
    }
    // A digit has at least as many bits as this.
    if (digits.len() as u64 - 1).saturating_mul(base.ilog2().into()) > INTEGER_BITS {
        return Err(TOO_LARGE.into());
    }
    c.charge(reading_work(digits.len()))?;
    let n = if base == 10 {
        BigInt::from(Powers::default().parse(digits))
    } else {
        let read = BigInt::parse_bytes(digits.as_bytes(), base);
        read.ok_or_else(|| Exit::defect("the digits of an integer cannot be read"))?
    };
    let n = bounded(if is_negative { -n } else { n })?;
    c.make_number(&n)
}

pub(crate) fn number_is(c: &mut Call<'_>) -> Result<Word, Exit> {
    const SAFE: i64 = (1 << 53) - 1;
    let (v, what) = (c.operand(0), c.text(1)?);
    let number = Number::of(&c.s.heap, v);
    let is_whole = match &number {
        Some(Number::Float(n)) => n.fract() == 0.0,
        n => n.is_some(),
    };
    Ok(boolean(match what.as_str() {
        "integer" => is_whole,
        "safe" => {
            let n = number.filter(|_| is_whole).map(Number::whole);
            n.is_some_and(|n| matches!(n, Number::Small(n) if (-SAFE..=SAFE).contains(&n)))
        }
        "finite" => number.is_some_and(|n| n.must_be_finite().is_ok()),
        "nan" => c.s.heap.as_no_number(v).is_some(),
        _ => {
            let what = "`number_is` tests for `integer`, `safe`, `finite` or `nan`";
            return Err(unknown(what.to_owned()));
        }
    }))
}

/// Most digits that `number_text` writes after the point.
const MOST_DIGITS: i64 = 100;

/// Returns the third operand of `number_text`, which is from `least` to `most`; none without it.
fn count(c: &Call<'_>, least: i64, most: i64) -> Result<Option<usize>, Exit> {
    if c.len() < 3 || c.operand(2) == UNIT {
        return Ok(None);
    }
    let n = c.integer(2)?.ok().filter(|n| (least..=most).contains(n));
    let Some(n) = n.and_then(|n| usize::try_from(n).ok()) else {
        let found = c.shown(2);
        return Err(unknown(format!("`number_text` takes {least} to {most} here, not {found}")));
    };
    Ok(Some(n))
}

pub(crate) fn number_text(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (n, style) = (c.any_number(0)?, c.text(1)?);
    if c.len() > 2 && c.operand(2) != UNIT {
        // A wrong type is told before a wrong style.
        let _ = c.integer(2)?;
    }
    let count = match style.as_str() {
        "fixed" | "exponential" | "locale" => count(c, 0, MOST_DIGITS)?,
        "precision" => count(c, 1, MOST_DIGITS)?,
        "radix" => count(c, 2, 36)?,
        _ => {
            let what = "the style of `number_text` is `fixed`, `precision`, `exponential`, `radix` or `locale`";
            return Err(unknown(what.to_owned()));
        }
    };
    let limbs = n.limbs();
    // A limb has at most 64 digits.
    if limbs.saturating_mul(64) > c.longest() / 2 {
        return Err(TOO_LONG.into());
    }
    c.charge(if n.is_float() { units::WRITTEN_FLOAT } else { digits_work(limbs) })?;
    c.set_aside(limbs.saturating_mul(256))?;
    let text = match (style.as_str(), count) {
        ("fixed", count) => fixed(&n, count.unwrap_or(0)),
        ("precision", Some(count)) => figures::precision(n.float_or_infinity()?, count),
        ("exponential", count) => figures::exponential(n.float_or_infinity()?, count),
        ("radix", Some(base)) => in_base(&n, base),
        ("locale", count) => grouped(&n, count.unwrap_or(3)),
        _ => decimal(&n),
    };
    c.give_text(&text)
}

/// Returns the text of a number as `String` gives it.
fn decimal(n: &Number) -> String {
    match n {
        Number::Float(n) => figures::text(*n),
        n => {
            let mut digits = String::new();
            write_integer(&n.big(), &mut Powers::default(), &mut digits);
            digits
        }
    }
}

fn fixed(n: &Number, decimals: usize) -> String {
    match n {
        Number::Float(n) => figures::fixed(*n, decimals),
        n if decimals == 0 => decimal(n),
        n => format!("{}.{}", decimal(n), "0".repeat(decimals)),
    }
}

fn in_base(n: &Number, base: usize) -> String {
    let base = u32::try_from(base).unwrap_or(10);
    match n {
        Number::Float(n) => figures::in_base(*n, base),
        n if base == 10 => decimal(n),
        n => n.big().to_str_radix(base),
    }
}

fn grouped(n: &Number, most: usize) -> String {
    match n {
        Number::Float(n) if n.is_infinite() => if *n > 0.0 { "∞" } else { "-∞" }.to_owned(),
        Number::Float(n) => figures::grouped(&figures::plain(*n), (0, most)),
        n => figures::grouped(&decimal(n), (0, most)),
    }
}
