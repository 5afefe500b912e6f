//! `date_parse date_format date_parts date_add date_diff`: seconds since 1970, UTC.

mod moments;

use crate::algorithm::number::value::Number;
use crate::algorithm::record;
use crate::algorithm::weight::TEXT_UNIT;
use crate::builtin::call::{Call, Function};
use pif_language::kinds::{self, Wanted};
use pif_language::prices::units;

use crate::memory::heap::Heap;
use crate::run::state::Exit;

use crate::algorithm::date;
use crate::algorithm::date::{Civil, FORMAT, Moment, Unit, format, parse, parse_as};
use crate::memory::word::{KIND_RECORD, Word, small};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use pif_language::form::Form;

/// The functions of its forms.
pub(super) const FUNCTIONS: &[(Form, Function)] = &[
    (Form::DateParse, date_parse),
    (Form::DateFormat, date_format),
    (Form::DateParts, date_parts),
    (Form::DateAdd, date_add),
    (Form::DateDiff, date_diff),
    (Form::Moment, moments::moment),
    (Form::MomentPart, moments::moment_part),
];

/// Returns a text operand, after charging for reading it.
fn paid_text(c: &mut Call<'_>, i: usize) -> Result<String, Exit> {
    let size = c.s.heap.text_size(c.operand(i));
    c.charge(size.map_or(0, |(bytes, _)| bytes / TEXT_UNIT))?;
    c.text(i)
}

pub(crate) fn date_parse(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    let pattern = if c.len() > 1 { Some(c.text(1)?) } else { None };
    c.charge(text.len() as u64 / TEXT_UNIT)?;
    let n = match pattern {
        None => parse(&text)?,
        Some(pattern) => {
            c.charge(pattern.len() as u64 / units::DATE_PATTERN_BYTES)?;
            parse_as(&text, &pattern)?
        }
    };
    c.make_number(&n)
}

pub(crate) fn date_format(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = c.number(0)?;
    let wanted = if c.len() > 1 { paid_text(c, 1)? } else { FORMAT.to_owned() };
    // A letter takes two characters and writes at most ten.
    c.set_aside(5 * wanted.len() as u64)?;
    if date::is_bare(&wanted) {
        c.warn("likely-mistake", || date::doubt(&wanted));
    }
    let text = format(&Moment::of(&n)?, &wanted)?;
    c.charge(text.len() as u64 / TEXT_UNIT)?;
    c.make_text(&text)
}

pub(crate) fn date_parts(c: &mut Call<'_>) -> Result<Word, Exit> {
    let moment = Moment::of(&c.number(0)?)?;
    let Civil { year, month, day } = moment.civil();
    let [hour, minute, second] = moment.time();
    let parts = [
        ("day", day),
        ("day_of_year", moment.day_of_year()),
        ("hour", hour),
        ("minute", minute),
        ("month", month),
        ("second", second),
        ("weekday", moment.weekday()),
        ("year", year),
    ];
    let words: usize = parts.iter().map(|(key, _)| Heap::text_words(key.len()) + 2).sum();
    c.room(words + 1)?;
    let mut members = Vec::with_capacity(2 * parts.len());
    for (key, n) in parts {
        members.extend([c.s.heap.text(key)?, small(n)]);
    }
    Ok(record::make(&mut c.s.heap, &members)?)
}

pub(crate) fn date_add(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = c.number(0)?;
    let record = c.operand(1);
    if c.s.heap.object_kind(record) != KIND_RECORD {
        return Err(c.refuse(1));
    }
    let steps = c.s.heap.members(record).into_owned();
    let (mut months, mut seconds) = (BigInt::ZERO, BigInt::ZERO);
    c.charge(steps.len() as u64 / 2)?;
    for step in steps.chunks_exact(2) {
        let [key, value] = *step else { continue };
        let count = match Number::of(&c.s.heap, value) {
            Some(count) if !count.is_float() => count,
            _ => return Err(c.s.wrong_type(1, value, Wanted::RecordOf(kinds::INTEGER))),
        };
        c.charge(if count.limbs() > 1 { count.limbs() } else { 0 })?;
        let size = c.s.heap.text_size(key);
        c.charge(size.map_or(0, |(bytes, _)| bytes / TEXT_UNIT))?;
        match Unit::of(&c.s.heap.string(key))? {
            Unit::Months(unit) => months += count.big() * unit,
            Unit::Seconds(unit) => seconds += count.big() * unit,
        }
    }
    let moment = Moment::of(&n)?;
    let whole =
        |n: &BigInt| n.to_i64().unwrap_or(if n < &BigInt::ZERO { i64::MIN } else { i64::MAX });
    let way = moment.way(whole(&months), whole(&seconds))?;
    let moved = moment.plus(way);
    c.make_number(&match n {
        Number::Float(_) => Number::Float(moved.float()),
        _ => Number::Small(moved.second),
    })
}

pub(crate) fn date_diff(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (a, b) = (c.number(0)?, c.number(1)?);
    let unit = paid_text(c, 2)?;
    let (a, b) = (Moment::of(&a)?, Moment::of(&b)?);
    c.make_number(&Number::Small(a.until(&b, Unit::of(&unit)?)))
}
