//! The header `Retry-After`: how long a server wants to be left alone.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The names of the months in dates of HTTP.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How long to wait, as the headers of an answer say it; None: they do not say it.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    wait(headers.get(RETRY_AFTER)?.to_str().ok()?)
}

/// How long to wait, as the value of the header says it.
pub(super) fn wait(value: &str) -> Option<Duration> {
    read(value, SystemTime::now())
}

/// Reads seconds, or a date such as `Sun, 06 Nov 1994 08:49:37 GMT`. A date in the past is no wait.
fn read(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        return value.parse().ok().map(Duration::from_secs);
    }
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Duration::from_secs(seconds(value)?).saturating_sub(now))
}

/// The seconds since 1970 of a date of HTTP.
fn seconds(date: &str) -> Option<u64> {
    let (_, rest) = date.split_once(", ")?;
    let [day, month, year, time, "GMT"] = rest.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let month = MONTHS.iter().position(|it| *it == month)?;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let [hours, minutes, seconds] = time.split(':').collect::<Vec<_>>()[..] else { return None };
    let part = |text: &str, most: u64| text.parse::<u64>().ok().filter(|it| *it <= most);
    let hours = part(hours, 23)?;
    let minutes = part(minutes, 59)?;
    let seconds = part(seconds, 60)?;
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let days = days_before(year, u64::try_from(month).ok()?) + day - 1;
    Some(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// The days from 1970 to the beginning of a month, which is counted from 0.
fn days_before(year: u64, month: u64) -> u64 {
    // Years begin in March here, so that the leap day is the last one of a year.
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let leaps = year / 4 - year / 100 + year / 400;
    year * 365 + leaps + (month * 153 + 2) / 5 + 1 - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let wait = |value: &str| read(value, now).map(|it| it.as_secs());
        assert_eq!(wait("7"), Some(7));
        assert_eq!(wait(" 0 "), Some(0));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(7));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), Some(0));
        for value in
            ["", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Non 1994 08:49:37 GMT"]
        {
            assert_eq!(wait(value), None, "{value}");
        }
    }

    #[test]
    fn dates_count_leap_days() {
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Tue, 29 Feb 2000 12:00:00 GMT"), Some(951_825_600));
        assert_eq!(seconds("Mon, 01 Mar 2100 00:00:00 GMT"), Some(4_107_542_400));
    }
}
