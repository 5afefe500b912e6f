//! Reads ISO 8601 dates, and the parts of all dates. A fault names the wrong part.

use crate::algorithm::date::letters::{
    DAY_OF_MONTH, HOUR, MINUTE, MONTH, MONTHS, OFFSET_HOUR, OFFSET_MINUTE, Part, SECOND, YEAR,
};
use crate::algorithm::date::moment::{Civil, DAY, Moment, UNIT_BITS, beyond};
use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::{Trouble, misread};
use pif_core::hint::Parts;

use num_bigint::BigUint;
use pif_core::text::quote::shorten;

/// Digits after the point that can distinguish floats.
const MOST_DIGITS: usize = 1074;

const BY_PATTERN: Parts =
    &["read other dates with a pattern: ", r#"{"date_parse": [s, "%d.%m.%Y"]}"#];

/// Parses a date. Returns its seconds.
pub(crate) fn parse(text: &str) -> Result<Number, Trouble> {
    let read = Reader { rest: text }.date().map_err(|wrong| wrong.of(text))?;
    read.number()
}

/// A fault in a date, with its hint.
pub(crate) struct Wrong {
    what: String,
    hint: Option<Parts>,
}

impl Wrong {
    pub(crate) fn of(self, text: &str) -> Trouble {
        misread(text, &format!("is not a date: {}", self.what), self.hint)
    }

    fn hint(self, hint: Parts) -> Self {
        Self { hint: Some(hint), ..self }
    }
}

impl From<String> for Wrong {
    fn from(what: String) -> Self {
        Self { what, hint: None }
    }
}

/// The content of a date's text.
pub(crate) struct Read<'t> {
    pub(crate) year: i64,
    pub(crate) second: i64,
    /// Digits after the second's point.
    pub(crate) fraction: &'t str,
}

impl Read<'_> {
    /// Returns the seconds since 1970: an integer, or a float if there is a fraction.
    pub(crate) fn number(&self) -> Result<Number, Trouble> {
        let digits = self.fraction.trim_end_matches('0');
        // Further digits do not reach the next unit.
        let kept = digits.get(..MOST_DIGITS).unwrap_or(digits);
        let one = BigUint::from(10_u8).pow(u32::try_from(kept.len()).unwrap_or_default());
        let rest = (kept.parse::<BigUint>().unwrap_or_default() << UNIT_BITS) / one;
        // The offset may lead out of the calendar.
        let moment = Moment { second: self.second, rest }.within()?;
        if self.year == 0 {
            return Err(beyond());
        }
        let is_whole = digits.is_empty();
        Ok(if is_whole { Number::Small(moment.second) } else { Number::Float(moment.float()) })
    }
}

/// The rest of a text that is being read.
pub(crate) struct Reader<'t> {
    pub(crate) rest: &'t str,
}

impl<'t> Reader<'t> {
    fn date(mut self) -> Result<Read<'t>, Wrong> {
        let civil = self.civil().map_err(|wrong| match wrong.hint {
            None => wrong.hint(BY_PATTERN),
            Some(_) => wrong,
        })?;
        let midnight = of_month(civil)?.days() * DAY;
        if self.rest.is_empty() {
            return Ok(Read { year: civil.year, second: midnight, fraction: "" });
        }
        if !["T", "t", " "].iter().any(|mark| self.skip(mark)) {
            let found = self.found(1);
            return Err(format!("`T` or a blank must stand before the hour, not {found}").into());
        }
        let (of_day, fraction) = self.time()?;
        let east = self.zone()?.unwrap_or_default();
        self.end()?;
        Ok(Read { year: civil.year, second: midnight + of_day - east, fraction })
    }

    fn civil(&mut self) -> Result<Civil, Wrong> {
        let year = self.digits(&YEAR, YEAR.digits)?;
        self.mark("-", &MONTH)?;
        let month = self.digits(&MONTH, 2)?;
        self.mark("-", &DAY_OF_MONTH)?;
        let day = self.digits(&DAY_OF_MONTH, 2)?;
        Ok(Civil { year, month, day })
    }

    /// Reads a time: seconds of the day, and digits of a fraction.
    fn time(&mut self) -> Result<(i64, &'t str), Wrong> {
        let hour = self.digits(&HOUR, 2)?;
        self.mark(":", &MINUTE)?;
        let minutes = hour * 60 + self.digits(&MINUTE, 2)?;
        if !self.skip(":") {
            return Ok((minutes * 60, ""));
        }
        let second = self.digits(&SECOND, 2)?;
        let fraction = if self.skip(".") { self.fraction()? } else { "" };
        Ok((minutes * 60 + second, fraction))
    }

    /// Reads an offset, if there is one: seconds ahead of UTC.
    pub(crate) fn zone(&mut self) -> Result<Option<i64>, Wrong> {
        if self.skip("Z") || self.skip("z") {
            return Ok(Some(0));
        }
        let sign = match self.rest.chars().next() {
            Some('+') => 60,
            Some('-') => -60,
            _ => return Ok(None),
        };
        self.skip("+");
        self.skip("-");
        let minutes = 60 * self.digits(&OFFSET_HOUR, 2)?;
        let has_minutes = self.skip(":") || self.rest.starts_with(|c: char| c.is_ascii_digit());
        let minutes = minutes + if has_minutes { self.digits(&OFFSET_MINUTE, 2)? } else { 0 };
        Ok(Some(sign * minutes))
    }

    /// Reads the digits after the second's point.
    pub(crate) fn fraction(&mut self) -> Result<&'t str, Wrong> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            let found = self.found(1);
            return Err(format!("a digit of the fraction must stand there, not {found}").into());
        }
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(digits)
    }

    /// Reads a number of at least `least` digits.
    pub(crate) fn digits(&mut self, part: &Part, least: usize) -> Result<i64, Wrong> {
        let Part { name, first, last, digits, .. } = *part;
        let count = self.rest.bytes().take(digits).take_while(u8::is_ascii_digit).count();
        if self.rest.is_empty() {
            return Err(format!("the {name} is missing").into());
        }
        if count < least {
            let found = self.found(digits);
            return Err(match least {
                1 => format!("the {name} must be a number, not {found}"),
                _ => format!("the {name} must have {least} digits, not {found}"),
            }
            .into());
        }
        let (number, rest) = self.rest.split_at(count);
        let n: i64 = number.parse().unwrap_or_default();
        self.rest = rest;
        if (first..=last).contains(&n) {
            return Ok(n);
        }
        let limit = if n < first { format!("below {first}") } else { format!("over {last}") };
        let wrong = Wrong::from(format!("the {name} {n} is {limit}"));
        Err(match (part.letter, n) {
            ('S', 60) => {
                wrong.hint(&["seconds since 1970 count no leap second: write second 59, or 00 of the next minute"])
            }
            ('H', 24) => wrong.hint(&["midnight is 00:00 of the next day"]),
            _ => wrong,
        })
    }

    /// Reads the mark before a part.
    fn mark(&mut self, mark: &str, next: &Part) -> Result<(), Wrong> {
        if self.rest.is_empty() {
            return Err(format!("the {} is missing", next.name).into());
        }
        let found = self.found(1);
        if self.skip(mark) {
            return Ok(());
        }
        Err(format!("`{mark}` must stand before the {}, not {found}", next.name).into())
    }

    pub(crate) fn skip(&mut self, mark: &str) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    pub(crate) fn end(&self) -> Result<(), Wrong> {
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(format!("`{}` follows its end", shorten(self.rest)).into())
    }

    /// Describes the next characters of the text, at most `chars`.
    pub(crate) fn found(&self, chars: usize) -> String {
        if self.rest.is_empty() {
            return "the end".to_owned();
        }
        let end = self.rest.char_indices().nth(chars).map_or(self.rest.len(), |(end, _)| end);
        format!("`{}`", shorten(self.rest.get(..end).unwrap_or_default()))
    }
}

/// Checks that the month has the day.
pub(crate) fn of_month(civil: Civil) -> Result<Civil, Wrong> {
    let Civil { year, month, day } = civil;
    let last = civil.last_day();
    if day <= last {
        return Ok(civil);
    }
    let at = usize::try_from(month - 1).unwrap_or_default();
    let month = MONTHS.get(at).copied().unwrap_or_default();
    Err(format!("{month} {year:04} has {last} days, not {day}").into())
}
