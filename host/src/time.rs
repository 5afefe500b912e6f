//! Moments as people and other programs write them: RFC 3339, in UTC. Within the server a moment
//! is a number of milliseconds since 1970.

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A moment with its milliseconds, such as `2026-11-21T15:04:05.678Z`.
#[must_use]
pub fn format(moment: i64) -> String {
    let (year, month, day) = date(moment.div_euclid(DAY));
    let time = moment.rem_euclid(DAY);
    let (hour, minute) = (time / HOUR, time % HOUR / MINUTE);
    let (second, fraction) = (time % MINUTE / SECOND, time % SECOND);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z")
}

/// The moment of a text: a day, or a day and a time; in UTC where it names no zone.
#[must_use]
pub fn parse(text: &str) -> Option<i64> {
    let (day, time) = match text.split_once(['T', 't', ' ']) {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let mut parts = day.splitn(3, '-');
    let (year, month) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?);
    let days = days(year, month, digits(parts.next()?, 2)?)?;
    let time = time.map_or(Some(0), parse_time)?;
    Some(days * DAY + time)
}

/// Milliseconds from the start of a day, which a zone may lay before it.
fn parse_time(text: &str) -> Option<i64> {
    let (time, zone) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => text.split_at_checked(at)?,
        None => (text, "Z"),
    };
    let mut parts = time.splitn(3, ':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = parts.next().unwrap_or("00");
    let (second, fraction) = match second.split_once('.') {
        Some((second, fraction)) => (second, milliseconds(fraction)?),
        None => (second, 0),
    };
    // The 60th second is a leap second, which is not counted.
    let second = digits(second, 2).filter(|second| *second <= 60)?;
    if hour > 23 || minute > 59 {
        return None;
    }
    Some(hour * HOUR + minute * MINUTE + second * SECOND + fraction - offset(zone)?)
}

/// How far the clocks of a zone are ahead.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.get(..1)? {
        "Z" | "z" => return (zone.len() == 1).then_some(0),
        "+" => 1,
        _ => -1,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * HOUR + minutes * MINUTE))
}

fn milliseconds(fraction: &str) -> Option<i64> {
    let is_number = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let first: String = fraction.chars().chain("000".chars()).take(3).collect();
    if is_number { first.parse().ok() } else { None }
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let fits = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

/// Days from 1970 to a date of the Gregorian calendar. Years are counted from March here, so that
/// the day that some of them have more is the last.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let year_of_march = if month > 2 { year } else { year - 1 };
    let (era, of_era) = (year_of_march.div_euclid(400), year_of_march.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    // Whatever is no date comes back as another one.
    (date(days) == (year, month, day)).then_some(days)
}

/// The date so many days after the start of 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_it_reads() {
        for (moment, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_273_445_678, "2026-11-21T15:04:05.678Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!((format(moment).as_str(), parse(text)), (text, Some(moment)));
        }
    }

    #[test]
    fn reads_other_spellings() {
        for (text, moment) in [
            ("1970-01-02", DAY),
            ("1970-01-01T01:00", HOUR),
            ("1970-01-01 00:00:01", SECOND),
            ("1970-01-01T00:00:00.5Z", 500),
            ("1970-01-01t00:00:00.1239z", 123),
            ("1970-01-01T02:00:00+02:00", 0),
            ("1970-01-01T00:00:00-00:30", HOUR / 2),
        ] {
            assert_eq!(parse(text), Some(moment), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_moment() {
        for text in [
            "",
            "now",
            "17",
            "2026",
            "2026-02-29",
            "2026-13-01",
            "2026-1-1",
            "2026-01-01T",
            "2026-01-01T24:00",
            "2026-01-01T00:00:61",
            "2026-01-01T00:00:00.",
            "2026-01-01T00:00:00.x",
            "2026-01-01T00:00+1",
            "2026-01-01T00:00Zulu",
            "é026-01-01",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
