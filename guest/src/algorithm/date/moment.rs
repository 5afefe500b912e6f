//! The proleptic Gregorian calendar from year 1 to 9999, in seconds since 1970, UTC. The day counts
//! follow Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (`days_from_civil`,
//! `civil_from_days`): years begin in March, so that the leap day comes last.

use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::Trouble;

use crate::algorithm::number::rational::parts;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{ToPrimitive, Zero};
use pif_core::text::quote::shorten;

pub(crate) const DAY: i64 = 86_400;

/// Fractions of a second count units of 2^-1074: every float is a whole number of them.
pub(super) const UNIT_BITS: u64 = 1074;

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
}

impl Civil {
    /// Returns the day `days` days after January 1, 1970.
    pub(crate) fn of_days(days: i64) -> Self {
        // Counted from March 1 of the year 0.
        let days = days + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Self { year: year_of_era + era * 400 + i64::from(month <= 2), month, day }
    }

    /// Counts the days since January 1, 1970.
    pub(crate) fn days(self) -> i64 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let from_march = if self.month > 2 { self.month - 3 } else { self.month + 9 };
        let of_year = (153 * from_march + 2) / 5 + self.day - 1;
        let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
        era * 146_097 + of_era - 719_468
    }

    /// Returns the number of days in the month.
    pub(super) fn last_day(self) -> i64 {
        let is_leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        match self.month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// Returns this day some months later, or the last day of a shorter month.
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
    /// The rest of a second, in units of 2^-1074 seconds.
    pub(super) rest: BigUint,
}

const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;

pub(super) fn beyond() -> Trouble {
    Trouble::OutOfRange("dates are of the years 0001 to 9999".to_owned())
}

impl Moment {
    /// Returns the moment of a number of seconds.
    pub(crate) fn of(n: &Number) -> Result<Self, Trouble> {
        let (second, rest) = match n {
            Number::Small(n) => (*n, BigUint::zero()),
            Number::Big(n) => (n.to_i64().ok_or_else(beyond)?, BigUint::zero()),
            Number::Float(n) => (n.floor().to_i64().ok_or_else(beyond)?, fraction(*n)),
        };
        Self { second, rest }.within()
    }

    /// Returns the moment if it lies within the calendar.
    pub(super) fn within(self) -> Result<Self, Trouble> {
        if (FIRST..=LAST).contains(&self.second) { Ok(self) } else { Err(beyond()) }
    }

    /// Returns the largest float that is not after the moment. It lies within the same second.
    pub(crate) fn float(&self) -> f64 {
        let units = BigInt::from(self.rest.clone()) + (BigInt::from(self.second) << UNIT_BITS);
        let (sign, magnitude) = units.into_parts();
        let dropped = magnitude.bits().saturating_sub(u64::from(f64::MANTISSA_DIGITS));
        let is_exact = magnitude.trailing_zeros().is_none_or(|zeros| zeros >= dropped);
        let kept = (magnitude >> dropped).to_u64().unwrap_or_default();
        // Before 1970, the past is away from zero. The first of 53 bits adds to the exponent.
        let away = u64::from(sign == Sign::Minus && !is_exact);
        let float = f64::from_bits((dropped << (f64::MANTISSA_DIGITS - 1)) + kept + away);
        if sign == Sign::Minus { -float } else { float }
    }

    /// Returns the nearest millionth of a second, but never the next second.
    pub(super) fn micros(&self) -> u64 {
        let halves = (&self.rest * 2_000_000_u32) >> UNIT_BITS;
        halves.to_u64().unwrap_or_default().div_ceil(2).min(999_999)
    }

    /// Returns the moment `seconds` seconds later.
    pub(crate) fn plus(&self, seconds: i64) -> Self {
        Self { second: self.second + seconds, rest: self.rest.clone() }
    }

    pub(crate) fn civil(&self) -> Civil {
        Civil::of_days(self.second.div_euclid(DAY))
    }

    /// Returns the time of the day: hour, minute, second.
    pub(crate) fn time(&self) -> [i64; 3] {
        let second = self.second.rem_euclid(DAY);
        [second / 3600, second / 60 % 60, second % 60]
    }

    /// Returns the weekday, from 1 for Monday.
    pub(crate) fn weekday(&self) -> i64 {
        // 1970 began on a Thursday.
        (self.second.div_euclid(DAY) + 3).rem_euclid(7) + 1
    }

    /// Returns the day of the year, from 1.
    pub(crate) fn day_of_year(&self) -> i64 {
        let civil = self.civil();
        civil.days() - Civil { month: 1, day: 1, ..civil }.days() + 1
    }

    /// Returns the seconds that `months` months and then `seconds` seconds take, if the dates after
    /// both lie within the calendar.
    pub(crate) fn way(&self, months: i64, seconds: i64) -> Result<i64, Trouble> {
        let civil = self.civil().plus_months(months.clamp(-200_000, 200_000));
        let days = civil.days() - self.second.div_euclid(DAY);
        let moved = self.second + days * DAY;
        let end = moved.saturating_add(seconds);
        let is_within = |second| (FIRST..=LAST).contains(&second);
        if is_within(moved) && is_within(end) { Ok(end - self.second) } else { Err(beyond()) }
    }

    /// Counts whole units from this moment to another.
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
        let reached = self.plus(days * DAY);
        match months {
            1.. if reached > *other => months - 1,
            ..=-1 if reached < *other => months + 1,
            _ => months,
        }
    }
}

/// Returns a float's distance from the next integer below, in units of 2^-1074.
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
    fraction << (UNIT_BITS.cast_signed() - bits)
}

/// A unit of `date_add` and `date_diff`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    /// A number of seconds.
    Seconds(i64),
    /// A number of months.
    Months(i64),
}

impl Unit {
    /// Returns the unit of a name.
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
                let what = format!("there is no unit `{}`; the units are {units}", shorten(name));
                return Err(Trouble::OutOfRange(what));
            }
        })
    }
}
