//! Dates as JavaScript has them: milliseconds since 1970, in UTC. `written` reads texts.

use crate::algorithm::date::letters::{DAYS, MONTHS};

/// The most milliseconds before and after 1970.
pub const MOST: i64 = 8_640_000_000_000_000;

const DAY: i64 = 86_400_000;

/// Returns the days from 1970 to the first day of a month, which counts from 0 and may lie beyond
/// the year.
fn days_before(year: i64, month: i64) -> i64 {
    let (year, month) = (year + month.div_euclid(12), month.rem_euclid(12));
    // Years that begin in March have their leap day last.
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (month * 306 + 5) / 10 - 719_468
}

/// The fields of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The year.
    pub year: i64,
    /// The month, from 0.
    pub month: i64,
    /// The day of the month.
    pub day: i64,
    /// The day of the week, from 0 for Sunday.
    pub weekday: i64,
    /// Hour, minute, second and millisecond.
    pub time: [i64; 4],
}

/// Returns the fields of a date.
#[must_use]
pub fn fields(ms: i64) -> Fields {
    let (days, rest) = (ms.div_euclid(DAY), ms.rem_euclid(DAY));
    let since = days + 719_468;
    let (era, of_era) = (since.div_euclid(146_097), since.rem_euclid(146_097));
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + years + i64::from(month > 9);
    let month = if month > 9 { month - 10 } else { month + 2 };
    let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000];
    Fields { year, month, day, weekday: (days + 4).rem_euclid(7), time }
}

/// Returns the milliseconds of year, month, day, hour, minute, second and millisecond, each of which
/// may lie beyond its range; nothing where the date does.
#[must_use]
pub fn of_parts(parts: [i64; 7]) -> Option<i64> {
    // No date has a part beyond this. Sums of such parts cannot overflow.
    if parts.iter().any(|part| part.abs() > 4 * MOST) {
        return None;
    }
    let [year, month, day, hour, minute, second, ms] = parts;
    if year.abs() > 400_000 || month.abs() > 4_800_000 {
        return None;
    }
    let time = i128::from(hour) * 3_600_000 + i128::from(minute) * 60_000;
    let time = time + i128::from(second) * 1000 + i128::from(ms);
    let days = i128::from(days_before(year, month)) + i128::from(day) - 1;
    i64::try_from(days * i128::from(DAY) + time).ok().filter(|ms| ms.abs() <= MOST)
}

/// Returns the text of a date, as `toISOString` writes it.
#[must_use]
pub fn text(ms: i64) -> String {
    let Fields { year, month, day, time: [hour, minute, second, ms], .. } = fields(ms);
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{}{:06}", if year < 0 { '-' } else { '+' }, year.abs()),
    };
    let month = month + 1;
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Returns the text of a date, as `String` writes it in UTC.
#[must_use]
pub fn spoken(ms: i64) -> String {
    let Fields { year, month, day, weekday, time: [hour, minute, second, _] } = fields(ms);
    let name = |names: &'static [&'static str], at: i64| {
        let name = usize::try_from(at).ok().and_then(|at| names.get(at)).copied();
        name.and_then(|name| name.get(..3)).unwrap_or_default()
    };
    let year = if year < 0 { format!("-{:06}", year.abs()) } else { format!("{year:04}") };
    let (weekday, month) = (name(DAYS, (weekday + 6) % 7), name(MONTHS, month));
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    format!("{weekday} {month} {day:02} {year} {time} GMT+0000 (Coordinated Universal Time)")
}
