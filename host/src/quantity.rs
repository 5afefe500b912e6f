//! Quantities as people write them: `10M`, `64MiB`, `500ms`.

use std::time::Duration;

const COUNTS: [(&str, u64); 4] = [("", 1), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000)];

const SIZES: [(&str, u64); 8] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("g", 1 << 30),
    ("gib", 1 << 30),
];

const TIMES: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)];

/// A number, such as `10000`, `10_000` or `10k`.
pub(crate) fn parse_count(text: &str) -> Result<u64, String> {
    parse(text, &COUNTS).ok_or_else(|| "write a whole number such as 10000, 10k or 10M".to_owned())
}

/// A number of bytes, such as `1048576` or `64MiB`.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    parse(text, &SIZES).ok_or_else(|| "write bytes such as 65536 or 64MiB".to_owned())
}

/// A span of time, such as `500ms` or `5s`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let time = parse(text, &TIMES).map(Duration::from_millis);
    time.ok_or_else(|| "write a time with its unit, such as 500ms, 5s or 2min".to_owned())
}

fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    let number: u64 = digits.replace('_', "").parse().ok()?;
    let unit = unit.trim().to_ascii_lowercase();
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    number.checked_mul(*factor)
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
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
    }

    #[test]
    fn refuses_the_rest() {
        for text in ["", "k", "-1", "1.5k", "10x", "99999999999999999999", "18446744073709551615k"]
        {
            assert!(parse_count(text).is_err(), "{text}");
        }
        assert!(parse_duration("5").is_err());
    }
}
