//! Quantities with units: `10M`, `64MiB`, `500ms`.

use std::time::Duration;

/// The units in lower case, each with its factor.
type Units = [(&'static str, u64)];

const COUNTS: &Units = &[("", 1), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];

const SIZES: &Units = &[
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("kb", 1_000),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("mb", 1_000_000),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("gb", 1_000_000_000),
];

/// The units of time in nanoseconds.
const TIMES: &Units = &[
    ("", SECOND),
    ("ms", SECOND / 1_000),
    ("s", SECOND),
    ("sec", SECOND),
    ("m", 60 * SECOND),
    ("min", 60 * SECOND),
    ("h", 3_600 * SECOND),
];

const SECOND: u64 = 1_000_000_000;

/// Parses a number, such as `10000`, `10_000`, `10k` or `1.5M`.
pub fn parse_count(text: &str) -> Result<u64, String> {
    parse(text, COUNTS, "write a whole number such as 10000, 10k or 10M")
}

/// Parses a number of bytes, such as `1048576`, `64MiB` or `64MB`.
pub fn parse_size(text: &str) -> Result<u64, String> {
    parse(text, SIZES, "write bytes such as 65536, 64MiB or 64MB")
}

/// Parses a duration, such as `500ms`, `2.5s` or `90`. A number without a unit means seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let time = parse(text, TIMES, "write a time such as 500ms, 2.5s, 90 (seconds) or 2min");
    time.map(Duration::from_nanos)
}

fn parse(text: &str, units: &Units, advice: &str) -> Result<u64, String> {
    expanded(text)?;
    exact(text, units).ok_or_else(|| advice.to_owned())
}

/// Parses a number with a unit. Returns `None` if the result is not a whole number.
fn exact(text: &str, units: &Units) -> Option<u64> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '_' | '.');
    let end = text.find(|c| !is_number(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let unit = unit.trim().to_ascii_lowercase();
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    let whole: u64 = whole.replace('_', "").parse().ok()?;
    // Trailing zeros would make the denominator too large.
    let part = match part.trim_end_matches('0') {
        "" if !part.is_empty() => 0,
        digits => {
            let denominator = 10_u64.checked_pow(u32::try_from(digits.len()).ok()?)?;
            let parts = u128::from(digits.parse::<u64>().ok()?) * u128::from(*factor);
            let denominator = u128::from(denominator);
            let is_whole = parts.is_multiple_of(denominator);
            u64::try_from(is_whole.then(|| parts / denominator)?).ok()?
        }
    };
    whole.checked_mul(*factor)?.checked_add(part)
}

/// Refuses a text with a placeholder `${…}` that the client should have replaced.
pub fn expanded(text: &str) -> Result<(), String> {
    match text.split_once("${") {
        Some((_, rest)) => {
            let name = rest.split('}').next().unwrap_or_default();
            Err(format!(
                "nothing was put in place of `${{{name}}}`: whoever starts the server does not know it; \
                 write the value itself"
            ))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        assert_eq!(parse_count("10_000"), Ok(10_000));
        assert_eq!(parse_count("10M"), Ok(10_000_000));
        assert_eq!(parse_size("64MiB"), Ok(64 << 20));
        assert_eq!(parse_size("512 k"), Ok(512 << 10));
        assert_eq!(parse_size("64MB"), Ok(64_000_000));
        assert_eq!(parse_count("1.5k"), Ok(1_500));
        assert_eq!(parse_size("0.5KiB"), Ok(512));
        assert_eq!(parse_count("1.000000000000000000000000"), Ok(1));
        for (text, milliseconds) in
            [("500ms", 500), ("2.5s", 2_500), ("1.5m", 90_000), ("90", 90_000), ("0.1 h", 360_000)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        for text in [
            "",
            "k",
            "-1",
            "1.2345k",
            ".5k",
            "5.",
            "1.2.3",
            "1._5k",
            "1.+5k",
            "10x",
            "99999999999999999999",
            "18446744073709551615k",
        ] {
            assert!(parse_count(text).is_err(), "{text}");
        }
        assert!(parse_duration("5 days").is_err());
        let error = parse_duration("${user_config.seconds}s").expect_err("a placeholder");
        assert!(error.contains("`${user_config.seconds}`"), "{error}");
    }
}
