//! Moments in RFC 3339, in UTC. Inside the server a moment is a number of milliseconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The current time in milliseconds since 1970.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Formats a moment with milliseconds, such as `2026-11-21T15:04:05.678Z`.
#[must_use]
pub fn format(moment: i64) -> String {
    // A store that somebody has changed may contain any number.
    let nearest = if moment < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let moment = Timestamp::from_millisecond(moment).unwrap_or(nearest);
    moment.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// Parses a day, or a day and a time. The zone defaults to UTC. Returns `None` for any other text.
#[must_use]
pub fn parse(text: &str) -> Option<i64> {
    let in_utc = || {
        let local: DateTime = text.parse().ok()?;
        TimeZone::UTC.to_timestamp(local).ok()
    };
    let moment = text.parse().ok().or_else(in_utc)?;
    Some(moment.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000;
    const HOUR: i64 = 3_600 * SECOND;
    const DAY: i64 = 24 * HOUR;

    #[test]
    fn writes_what_it_reads() {
        for (moment, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_273_445_678, "2026-11-21T15:04:05.678Z"),
            (253_402_128_000_000, "9999-12-30T00:00:00.000Z"),
        ] {
            assert_eq!((format(moment).as_str(), parse(text)), (text, Some(moment)));
        }
        assert_eq!((format(i64::MAX), format(i64::MIN)), (format(1 << 60), format(-(1 << 60))));
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
