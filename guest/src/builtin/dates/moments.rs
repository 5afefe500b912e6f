//! `moment`, `moment_part`: dates as JavaScript has them.

use crate::algorithm::date::script::Fields;
use crate::algorithm::date::{script, written};
use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::{Trouble, misread};
use crate::builtin::call::Call;
use crate::memory::tagged::DATE;
use crate::memory::word::{UNIT, Word, small};
use crate::run::state::Exit;
use num_traits::ToPrimitive;
use pif_core::fault::Code;
use pif_core::text::quote::shorten;
use pif_language::hint::nearest;
use pif_language::kinds;

/// Makes a date of a text, of milliseconds, of another date, or of its parts.
pub(crate) fn moment(c: &mut Call<'_>) -> Result<Word, Exit> {
    let ms = match c.len() {
        1 => of_one(c)?,
        _ => of_parts(c)?,
    };
    c.room(2)?;
    Ok(c.s.heap.make_tagged(DATE, [small(ms)]))
}

fn of_one(c: &mut Call<'_>) -> Result<i64, Exit> {
    let v = c.operand(0);
    if let Some(ms) = c.s.heap.date(v) {
        return Ok(ms);
    }
    if v == UNIT {
        let message = "null is no date".to_owned();
        return Err(
            Trouble::with_hint(Code::Unparsable, message, "pass a text or milliseconds").into()
        );
    }
    if c.s.heap.is_text(v) {
        let text = c.text(0)?;
        c.charge_texts(&[&text])?;
        let read = written::read(&text).filter(|ms| ms.abs() <= script::MOST);
        return read.ok_or_else(|| {
            misread(&text, "is no date", Some(&["write 2024-01-31T12:00:00Z"])).into()
        });
    }
    let Some(n) = Number::of(&c.s.heap, v) else {
        return Err(c.wrong(0, kinds::NUMBER_OR_STRING | kinds::DATE));
    };
    whole(&n).filter(|ms| ms.abs() <= script::MOST).ok_or_else(|| beyond().into())
}

/// Returns a number without its fraction, if it is not beyond all dates.
fn whole(n: &Number) -> Option<i64> {
    match n {
        Number::Small(n) => Some(*n),
        Number::Big(_) => None,
        Number::Float(n) => n.trunc().to_i64(),
    }
}

fn of_parts(c: &mut Call<'_>) -> Result<i64, Exit> {
    let mut parts = [0, 0, 1, 0, 0, 0, 0];
    let mut fits = true;
    for (i, part) in parts.iter_mut().enumerate().take(c.len()) {
        match whole(&c.number(i)?) {
            Some(n) => *part = n,
            None => fits = false,
        }
    }
    if let [year @ 0..=99, ..] = &mut parts {
        *year += 1900;
    }
    let ms = if fits { script::of_parts(parts) } else { None };
    ms.ok_or_else(|| beyond().into())
}

fn beyond() -> Trouble {
    Trouble::OutOfRange("a date is at most 100,000,000 days before or after 1970".to_owned())
}

/// The parts of a date.
const PARTS: [&str; 11] = [
    "year",
    "month",
    "day",
    "weekday",
    "hours",
    "minutes",
    "seconds",
    "milliseconds",
    "time",
    "text",
    "date_text",
];

/// Takes a part of a date.
pub(crate) fn moment_part(c: &mut Call<'_>) -> Result<Word, Exit> {
    let Some(ms) = c.s.heap.date(c.operand(0)) else { return Err(c.wrong(0, kinds::DATE)) };
    let name = c.text(1)?;
    c.charge_texts(&[&name])?;
    let Fields { year, month, day, weekday, time: [hours, minutes, seconds, milliseconds] } =
        script::fields(ms);
    let part = match name.as_str() {
        "year" => year,
        "month" => month,
        "day" => day,
        "weekday" => weekday,
        "hours" => hours,
        "minutes" => minutes,
        "seconds" => seconds,
        "milliseconds" => milliseconds,
        "time" => ms,
        "text" => return c.give_text(&script::text(ms)),
        "date_text" => {
            let text = script::text(ms);
            let end = text.find('T').unwrap_or(text.len());
            return c.give_text(text.get(..end).unwrap_or_default());
        }
        _ => return Err(unknown(&name).into()),
    };
    Ok(small(part))
}

fn unknown(name: &str) -> Trouble {
    let message =
        format!("a date has no part `{}`; its parts are {}", shorten(name), PARTS.join(", "));
    match nearest(name, PARTS.into_iter()) {
        Some(near) => {
            Trouble::with_hint(Code::OutOfRange, message, format!("did you mean `{near}`?"))
        }
        None => Trouble::OutOfRange(message),
    }
}
