//! The proleptic Gregorian calendar from year 1 to 9999, in seconds since 1970, UTC. Days are
//! counted as Howard Hinnant does in "chrono-Compatible Low-Level Date Algorithms"
//! (`days_from_civil`, `civil_from_days`): years begin in March, so that the leap day comes last.

use super::Trouble;
use super::arithmetic::Number;
use super::rational::parts;
use crate::quote::shorten;
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use std::fmt::Write as _;

pub(crate) const DAY: i64 = 86_400;
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How `date_format` writes a date if it is not told.
pub(crate) const FORMAT: &str = "%Y-%m-%dT%H:%M:%SZ";

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
}

impl Civil {
    /// The day so many days after the first of 1970.
    pub(crate) fn of_days(days: i64) -> Self {
        // Counted from the first of March of the year 0.
        let days = days + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Self { year: year_of_era + era * 400 + i64::from(month <= 2), month, day }
    }

    /// Days since the first of 1970.
    pub(crate) fn days(self) -> i64 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let from_march = if self.month > 2 { self.month - 3 } else { self.month + 9 };
        let of_year = (153 * from_march + 2) / 5 + self.day - 1;
        let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
        era * 146_097 + of_era - 719_468
    }

    /// Days of the month.
    fn last_day(self) -> i64 {
        let is_leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        match self.month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// The same day so many months later, or the last one of a shorter month.
    fn plus_months(self, months: i64) -> Self {
        let month = self.year * 12 + self.month - 1 + months;
        let first = Self { year: month.div_euclid(12), month: month.rem_euclid(12) + 1, day: 1 };
        Self { day: self.day.min(first.last_day()), ..first }
    }
}

/// A moment within the calendar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    /// Whole seconds since 1970, rounded down.
    pub(crate) second: i64,
    /// What was rounded away, times 2^1074.
    rest: BigUint,
}

const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;

fn beyond() -> Trouble {
    Trouble::OutOfRange("dates are of the years 0001 to 9999".to_owned())
}

impl Moment {
    /// The moment of a number of seconds.
    pub(crate) fn of(n: &Number) -> Result<Self, Trouble> {
        let (second, rest) = match n {
            Number::Small(n) => (*n, BigUint::zero()),
            Number::Big(n) => (n.to_i64().ok_or_else(beyond)?, BigUint::zero()),
            Number::Float(n) => (n.floor().to_i64().ok_or_else(beyond)?, fraction(*n)),
        };
        if (FIRST..=LAST).contains(&second) { Ok(Self { second, rest }) } else { Err(beyond()) }
    }

    pub(crate) fn civil(&self) -> Civil {
        Civil::of_days(self.second.div_euclid(DAY))
    }

    /// The time of the day: hour, minute, second.
    pub(crate) fn time(&self) -> [i64; 3] {
        let second = self.second.rem_euclid(DAY);
        [second / 3600, second / 60 % 60, second % 60]
    }

    /// From 1 for Monday.
    pub(crate) fn weekday(&self) -> i64 {
        // 1970 began on a Thursday.
        (self.second.div_euclid(DAY) + 3).rem_euclid(7) + 1
    }

    /// From 1.
    pub(crate) fn day_of_year(&self) -> i64 {
        let civil = self.civil();
        civil.days() - Civil { month: 1, day: 1, ..civil }.days() + 1
    }

    /// Seconds that come to so many months and then so many seconds, if the dates after both lie
    /// within the calendar.
    pub(crate) fn way(&self, months: i64, seconds: i64) -> Result<i64, Trouble> {
        let civil = self.civil().plus_months(months.clamp(-200_000, 200_000));
        let days = civil.days() - self.second.div_euclid(DAY);
        let moved = self.second + days * DAY;
        let end = moved.saturating_add(seconds);
        let is_within = |second| (FIRST..=LAST).contains(&second);
        if is_within(moved) && is_within(end) { Ok(end - self.second) } else { Err(beyond()) }
    }

    /// Whole units from here to another moment.
    pub(crate) fn until(&self, other: &Self, unit: Unit) -> i64 {
        match unit {
            Unit::Seconds(unit) => self.seconds_until(other) / unit,
            Unit::Months(unit) => self.months_until(other) / unit,
        }
    }

    fn seconds_until(&self, other: &Self) -> i64 {
        let seconds = other.second - self.second;
        match seconds {
            1.. if other.rest < self.rest => seconds - 1,
            ..=-1 if other.rest > self.rest => seconds + 1,
            _ => seconds,
        }
    }

    fn months_until(&self, other: &Self) -> i64 {
        let (from, to) = (self.civil(), other.civil());
        let months = (to.year - from.year) * 12 + to.month - from.month;
        let days = from.plus_months(months).days() - self.second.div_euclid(DAY);
        let reached = Self { second: self.second + days * DAY, rest: self.rest.clone() };
        match months {
            1.. if reached > *other => months - 1,
            ..=-1 if reached < *other => months + 1,
            _ => months,
        }
    }
}

/// What a float has beyond the next integer below, times 2^1074.
fn fraction(n: f64) -> BigUint {
    let (significand, exponent) = parts(n);
    let bits = -exponent;
    if bits <= 0 {
        return BigUint::zero();
    }
    let one = BigUint::from(1_u8) << bits;
    let above_zero = BigUint::from(significand) % &one;
    let is_above = above_zero.is_zero() || n > 0.0;
    let fraction = if is_above { above_zero } else { one - above_zero };
    fraction << (1074 - bits)
}

/// What `date_add` and `date_diff` count.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    /// So many seconds.
    Seconds(i64),
    /// So many months.
    Months(i64),
}

impl Unit {
    /// The unit of a name.
    pub(crate) fn of(name: &str) -> Result<Self, Trouble> {
        Ok(match name {
            "years" => Self::Months(12),
            "months" => Self::Months(1),
            "weeks" => Self::Seconds(7 * DAY),
            "days" => Self::Seconds(DAY),
            "hours" => Self::Seconds(3600),
            "minutes" => Self::Seconds(60),
            "seconds" => Self::Seconds(1),
            _ => {
                let units = "years, months, weeks, days, hours, minutes and seconds";
                let what = format!("`{}` is none of {units}", shorten(name));
                return Err(Trouble::OutOfRange(what));
            }
        })
    }
}

/// A moment as text.
pub(crate) fn format(moment: &Moment, format: &str) -> Result<String, Trouble> {
    let Civil { year, month, day } = moment.civil();
    let [hour, minute, second] = moment.time();
    let name = |names: &[&'static str], n: i64| {
        usize::try_from(n - 1).ok().and_then(|n| names.get(n)).copied().unwrap_or_default()
    };
    let mut out = String::with_capacity(format.len());
    let mut pieces = format.split('%');
    out.push_str(pieces.next().unwrap_or_default());
    while let Some(piece) = pieces.next() {
        let mut rest = piece.chars();
        let directive = rest.next();
        let _ = match directive {
            Some('Y') => write!(out, "{year:04}"),
            Some('m') => write!(out, "{month:02}"),
            Some('d') => write!(out, "{day:02}"),
            Some('H') => write!(out, "{hour:02}"),
            Some('M') => write!(out, "{minute:02}"),
            Some('S') => write!(out, "{second:02}"),
            Some('j') => write!(out, "{:03}", moment.day_of_year()),
            Some('a') => write!(out, "{}", name(&DAYS, moment.weekday())),
            Some('b') => write!(out, "{}", name(&MONTHS, month)),
            // Two signs with nothing between them; what follows is a piece of its own.
            None => match pieces.next() {
                Some(piece) => write!(out, "%{piece}"),
                None => return Err(unknown("%")),
            },
            Some(other) => return Err(unknown(&format!("%{other}"))),
        };
        out.push_str(rest.as_str());
    }
    Ok(out)
}

fn unknown(directive: &str) -> Trouble {
    let known = "%Y %m %d %H %M %S %j %a %b %%";
    Trouble::OutOfRange(format!("`{}` is none of {known}", shorten(directive)))
}

/// The seconds that a date spells.
pub(crate) fn parse(text: &str) -> Result<Number, Trouble> {
    let read = Reader { rest: text.as_bytes() }.date().ok_or_else(|| {
        let form = "YYYY-MM-DD, YYYY-MM-DDTHH:MM:SSZ";
        Trouble::Unparsable(format!("`{}` is no date such as {form}", shorten(text)))
    })?;
    let number = match read.fraction {
        "" => Number::Small(read.second),
        fraction => Number::Float(with_fraction(read.second, fraction)),
    };
    // The zone may lead out of the calendar, and rounding too.
    Moment::of(&number)?;
    if read.year == 0 { Err(beyond()) } else { Ok(number) }
}

/// The float nearest to a whole number and decimal digits after its point.
fn with_fraction(second: i64, digits: &str) -> f64 {
    let text = if second >= 0 {
        format!("{second}.{digits}")
    } else {
        // From the next integer above downwards: the digits that are missing to it.
        let (first, last) = digits.split_at(digits.len() - 1);
        let missing = first.bytes().map(|digit| char::from(b'9' - (digit - b'0')));
        let missing: String = missing.collect();
        let last = last.bytes().map(|digit| char::from(b'9' + 1 - (digit - b'0')));
        format!("-{}.{missing}{}", -(second + 1), last.collect::<String>())
    };
    text.parse().unwrap_or_default()
}

/// What a text of a date says.
struct Read<'t> {
    year: i64,
    second: i64,
    /// Digits after the point of the second, the last of which is not 0.
    fraction: &'t str,
}

/// A text and how far it has been read.
struct Reader<'t> {
    rest: &'t [u8],
}

impl<'t> Reader<'t> {
    fn date(mut self) -> Option<Read<'t>> {
        let year = self.digits(4)?;
        self.take(b"-")?;
        let month = self.digits(2).filter(|month| (1..=12).contains(month))?;
        self.take(b"-")?;
        let day = self.digits(2)?;
        let civil = Civil { year, month, day };
        if day < 1 || day > civil.last_day() {
            return None;
        }
        let second = civil.days() * DAY;
        if self.rest.is_empty() {
            return Some(Read { year, second, fraction: "" });
        }
        self.take(b"T ")?;
        let (of_day, fraction) = self.time()?;
        let east = if self.rest.is_empty() { 0 } else { self.zone()? };
        self.rest.is_empty().then_some(Read { year, second: second + of_day - east, fraction })
    }

    fn time(&mut self) -> Option<(i64, &'t str)> {
        let minutes = self.clock()?;
        if self.take(b":").is_none() {
            return Some((minutes * 60, ""));
        }
        let second = self.digits(2).filter(|second| *second < 60)?;
        let fraction = if self.take(b".").is_some() { self.fraction()? } else { "" };
        Some((minutes * 60 + second, fraction))
    }

    /// Hours and minutes, as minutes.
    fn clock(&mut self) -> Option<i64> {
        let hour = self.digits(2).filter(|hour| *hour < 24)?;
        self.take(b":")?;
        let minute = self.digits(2).filter(|minute| *minute < 60)?;
        Some(hour * 60 + minute)
    }

    /// Seconds that a zone is ahead of UTC.
    fn zone(&mut self) -> Option<i64> {
        match self.take(b"Z+-")? {
            b'Z' => Some(0),
            b'-' => Some(-60 * self.clock()?),
            _ => Some(60 * self.clock()?),
        }
    }

    /// One digit or more, without zeros at the end.
    fn fraction(&mut self) -> Option<&'t str> {
        let length = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at_checked(length).filter(|_| length > 0)?;
        self.rest = rest;
        Some(std::str::from_utf8(digits).ok()?.trim_end_matches('0'))
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        digits
            .iter()
            .try_fold(0, |n, byte| byte.is_ascii_digit().then(|| 10 * n + i64::from(byte - b'0')))
    }

    /// One of these bytes.
    fn take(&mut self, bytes: &[u8]) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        bytes.contains(first).then(|| {
            self.rest = rest;
            *first
        })
    }
}
