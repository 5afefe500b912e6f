//! Dates, by counting year by year and month by month.

use super::date_text::{read, read_as};
use super::numbers::nearest;
use super::operation::{bytes, is_number, limbs};
use super::text::TEXT_UNIT;
use super::value::Value;
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};
use pif::fault::Code;
use pif::form::Form;
use pif::javascript::date;
use std::rc::Rc;

/// Whether a form is one of these.
pub(super) fn knows(form: Form) -> bool {
    matches!(
        form,
        Form::DateParse | Form::DateFormat | Form::DateParts | Form::DateAdd | Form::DateDiff
    )
}

fn is_leap(year: i64) -> bool {
    year % 400 == 0 || year % 4 == 0 && year % 100 != 0
}

pub(super) fn month_days(year: i64) -> [i64; 12] {
    let february = if is_leap(year) { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// Days from the first day of the year 1 to that of another one.
fn days_before(year: i64) -> i64 {
    (1..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum()
}

/// A moment, field by field.
pub(super) struct Fields {
    pub(super) year: i64,
    /// From 1, as is the day.
    pub(super) month: i64,
    pub(super) day: i64,
    /// Seconds of the day.
    pub(super) second: i64,
    pub(super) day_of_year: i64,
    pub(super) weekday: i64,
}

/// Seconds since 1970 at the beginning of a day.
pub(super) fn beginning(year: i64, month: i64, day: i64) -> i64 {
    if year == 0 {
        // As the year 400 has them, and before the years that are counted.
        return beginning(400, month, day) - days_before(401) * 86_400;
    }
    let months: i64 = month_days(year).iter().zip(1..month).map(|(days, _)| days).sum();
    (days_before(year) - days_before(1970) + months + day - 1) * 86_400
}

pub(super) fn fields(second: i64) -> Fields {
    let mut days = second.div_euclid(86_400) + days_before(1970);
    // The year 1 began on a Monday.
    let weekday = days % 7 + 1;
    let mut year = 1;
    while days >= if is_leap(year) { 366 } else { 365 } {
        days -= if is_leap(year) { 366 } else { 365 };
        year += 1;
    }
    let day_of_year = days + 1;
    let mut month = 1;
    for length in month_days(year) {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let second = second.rem_euclid(86_400);
    Fields { year, month, day: days + 1, second, day_of_year, weekday }
}

/// The whole second that a number lies in, if that lies in the calendar.
pub(super) fn second(n: &Value) -> Result<i64, Code> {
    let second = match n {
        Value::Integer(n) => n.to_i64(),
        Value::Float(n) => n.floor().to_i64(),
        _ => return Err(Code::TypeMismatch),
    };
    let calendar = beginning(1, 1, 1)..beginning(10_000, 1, 1);
    second.filter(|second| calendar.contains(second)).ok_or(Code::OutOfRange)
}

/// A moment so many months later, at the same time of a day that the month has.
fn later(from: i64, months: i64) -> Result<i64, Code> {
    let Fields { year, month, day, second, .. } = fields(from);
    let months = year * 12 + month - 1 + months;
    let (year, month) = months.div_mod_floor(&12);
    if !(1..=9999).contains(&year) {
        return Err(Code::OutOfRange);
    }
    let length = month_days(year).into_iter().nth(usize::try_from(month).unwrap_or(0));
    Ok(beginning(year, month + 1, day.min(length.unwrap_or(31))) + second)
}

/// Months or seconds of a unit.
fn unit(name: &str) -> Result<(i64, bool), Code> {
    Ok(match name {
        "years" => (12, true),
        "months" => (1, true),
        "weeks" => (604_800, false),
        "days" => (86_400, false),
        "hours" => (3600, false),
        "minutes" => (60, false),
        "seconds" => (1, false),
        _ => return Err(Code::OutOfRange),
    })
}

/// A number as an integer number of parts of a second, 2^1074 of them.
pub(super) fn parts(n: &Value) -> BigInt {
    match n {
        Value::Integer(n) => n << 1074,
        Value::Float(n) => {
            // Doubling is exact as long as there is a fraction.
            let (mut n, mut doubled) = (*n, 0);
            while n.fract().abs() > 0.0 {
                n *= 2.0;
                doubled += 1;
            }
            BigInt::from_f64(n).unwrap_or_default() << (1074 - doubled)
        }
        _ => BigInt::zero(),
    }
}

/// The last float that is not after a moment of `a / b` seconds.
pub(super) fn not_after(a: &BigInt, b: &BigInt) -> Evaluated {
    let mut float = nearest(a, b, a.is_negative())?;
    while let Value::Float(n) = float
        && parts(&float) * b > a << 1074
    {
        float = Value::Float(n.next_down());
    }
    Ok(float)
}

impl Evaluator {
    pub(super) fn of_dates(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        match (form, operands) {
            (Form::DateParse, [Value::Text(text)]) => {
                self.work(bytes(text) / TEXT_UNIT)?;
                read(text)
            }
            (Form::DateParse, [Value::Text(text), Value::Text(pattern)]) => {
                self.work(bytes(text) / TEXT_UNIT)?;
                self.work(bytes(pattern) / 2)?;
                read_as(text, pattern)
            }
            (Form::DateFormat, [n]) => self.date_format(n, "%Y-%m-%dT%H:%M:%SZ"),
            (Form::DateFormat, [n, Value::Text(format)]) if is_number(n) => {
                self.work(bytes(format) / TEXT_UNIT)?;
                if !format.contains('%') {
                    self.warnings.arise("likely-mistake", self.at);
                }
                self.date_format(n, format)
            }
            (Form::DateParts, [n]) => date_parts(n),
            (Form::DateAdd, [n, Value::Record(steps)]) if is_number(n) => self.date_add(n, steps),
            (Form::DateDiff, [a, b, Value::Text(name)]) if is_number(a) && is_number(b) => {
                self.work(bytes(name) / TEXT_UNIT)?;
                date_diff(a, b, name)
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// `moment` and `moment_part`.
    pub(super) fn moments(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        let beyond = |ms: &i64| ms.abs() <= date::MOST;
        match (form, operands) {
            (Form::Moment, [Value::Date(ms)]) => Ok(Value::Date(*ms)),
            (Form::Moment, [Value::Unit]) => Err(Code::Unparsable),
            (Form::Moment, [Value::Text(text)]) => {
                self.work(bytes(text) / TEXT_UNIT)?;
                date::read(text).filter(beyond).map(Value::Date).ok_or(Code::Unparsable)
            }
            (Form::Moment, [n]) => {
                whole(n)?.filter(beyond).map(Value::Date).ok_or(Code::OutOfRange)
            }
            (Form::Moment, given) => {
                let mut parts = [0, 0, 1, 0, 0, 0, 0].map(Some);
                for (part, n) in parts.iter_mut().zip(given) {
                    *part = whole(n)?;
                }
                let parts = parts.into_iter().collect::<Option<Vec<i64>>>();
                self.of_parts(&parts.ok_or(Code::OutOfRange)?)
            }
            (Form::MomentPart, [Value::Date(ms), Value::Text(name)]) => {
                self.work(bytes(name) / TEXT_UNIT)?;
                self.moment_part(*ms, name)
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    /// Adds up days from 1970 on, in periods of 400 years.
    fn of_parts(&mut self, parts: &[i64]) -> Evaluated {
        let [year, month, day, hour, minute, second, ms] = *parts else {
            return Err(Code::Internal);
        };
        let year = if (0..100).contains(&year) { year + 1900 } else { year };
        let months = i128::from(year) * 12 + i128::from(month);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) as i64);
        let (period, of_period) = (year.div_euclid(400), year.rem_euclid(400) as i64);
        let first = i128::from(beginning(400 + of_period, month + 1, 1) / 86_400);
        let days = first + (period - 1) * 146_097 + i128::from(day) - 1;
        let seconds = (days * 24 + i128::from(hour)) * 60 + i128::from(minute);
        let all = (seconds * 60 + i128::from(second)) * 1000 + i128::from(ms);
        let all = i64::try_from(all).ok().filter(|ms| ms.abs() <= date::MOST);
        all.map(Value::Date).ok_or(Code::OutOfRange)
    }

    fn moment_part(&mut self, ms: i64, name: &str) -> Evaluated {
        // A calendar repeats after 400 years, which are whole weeks.
        const PERIOD: i64 = 146_097 * 86_400;
        let second = ms.div_euclid(1000);
        let in_calendar = second.rem_euclid(PERIOD);
        let f = fields(in_calendar);
        let year = f.year + 400 * second.div_euclid(PERIOD);
        let part = match name {
            "year" => year,
            "month" => f.month - 1,
            "day" => f.day,
            "weekday" => f.weekday % 7,
            "hours" => f.second / 3600,
            "minutes" => f.second / 60 % 60,
            "seconds" => f.second % 60,
            "milliseconds" => ms.rem_euclid(1000),
            "time" => ms,
            "text" | "date_text" => {
                let text = date::text(ms);
                let end = text.find('T').filter(|_| name == "date_text");
                return self.made(&text[..end.unwrap_or(text.len())]);
            }
            _ => return Err(Code::OutOfRange),
        };
        Ok(Value::Integer(part.into()))
    }

    fn date_add(&mut self, n: &Value, steps: &[(String, Value)]) -> Evaluated {
        self.work(u64::try_from(steps.len()).unwrap_or(u64::MAX))?;
        let (mut months, mut seconds) = (BigInt::zero(), BigInt::zero());
        for (name, count) in steps {
            let Value::Integer(steps) = count else { return Err(Code::TypeMismatch) };
            let limbs = limbs(count)?;
            self.work(if limbs > 1 { limbs } else { 0 })?;
            self.work(bytes(name) / TEXT_UNIT)?;
            let (length, is_months) = unit(name)?;
            *if is_months { &mut months } else { &mut seconds } += steps * length;
        }
        let from = second(n)?;
        let months = months.to_i64().filter(|n| n.abs() < 1_000_000).ok_or(Code::OutOfRange)?;
        let to = BigInt::from(later(from, months)?) + seconds;
        second(&Value::Integer(to.clone()))?;
        let moved = match n {
            Value::Float(_) => {
                let exact: BigInt = parts(n) + ((to - from) << 1074);
                not_after(&exact, &(BigInt::from(1) << 1074))?
            }
            _ => Value::Integer(to),
        };
        Ok(moved)
    }
}

/// A number without its fraction; nothing if it is beyond all dates.
fn whole(n: &Value) -> Result<Option<i64>, Code> {
    match n {
        Value::Integer(n) => Ok(n.to_i64()),
        Value::Float(n) => Ok(n.trunc().to_i64()),
        _ => Err(Code::TypeMismatch),
    }
}

fn date_parts(n: &Value) -> Evaluated {
    let f = fields(second(n)?);
    let parts = [
        ("day", f.day),
        ("day_of_year", f.day_of_year),
        ("hour", f.second / 3600),
        ("minute", f.second % 3600 / 60),
        ("month", f.month),
        ("second", f.second % 60),
        ("weekday", f.weekday),
        ("year", f.year),
    ];
    let parts = parts.map(|(key, n)| (key.to_owned(), Value::Integer(n.into())));
    Ok(Value::Record(Rc::new(parts.into())))
}

fn date_diff(a: &Value, b: &Value, name: &str) -> Evaluated {
    let (from, to) = (second(a)?, second(b)?);
    let (length, is_months) = unit(name)?;
    let units = if is_months {
        months(a, from, b, to) / length
    } else {
        let difference: BigInt = parts(b) - parts(a);
        difference / (BigInt::from(length) << 1074)
    };
    Ok(Value::Integer(units))
}

/// Whole months from one moment to another: as many as can be added without passing it.
fn months(a: &Value, from: i64, b: &Value, to: i64) -> BigInt {
    let step = if parts(a) <= parts(b) { 1 } else { -1 };
    let goes_too_far = |months: i64| {
        let Ok(reached) = later(from, months) else { return true };
        let reached: BigInt = parts(a) + (BigInt::from(reached - from) << 1074);
        if step > 0 { reached > parts(b) } else { reached < parts(b) }
    };
    let (from, to) = (fields(from), fields(to));
    // Near enough to count on from there.
    let start = (to.year - from.year) * 12 + to.month - from.month - 2 * step;
    let mut months = if start.signum() == step { start } else { 0 };
    while !goes_too_far(months + step) {
        months += step;
    }
    months.into()
}
