//! Figures as people read them.

/// A count: `950`, `12.3k`, `4.5M`.
pub(super) fn count(n: u64) -> String {
    scaled(n, 1_000, &["", "k", "M", "G", "T", "P", "E"])
}

/// A time given in microseconds: `87 µs`, `1.2 ms`, `3.4 s`.
pub(super) fn micros(n: u64) -> String {
    scaled(n, 1_000, &[" µs", " ms", " s", "k s"])
}

/// A time given in milliseconds, in its two largest units: `42s`, `3m 5s`, `2h 10m`, `4d 1h`.
pub(super) fn age(millis: i64) -> String {
    let seconds = millis.max(0) / 1_000;
    let minutes = seconds / 60;
    let hours = seconds / 3_600;
    let days = seconds / 86_400;
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {}s", seconds % 60),
        (0, _, _) => format!("{hours}h {}m", minutes % 60),
        _ => format!("{days}d {}h", hours % 24),
    }
}

/// Three digits at most, and a unit.
fn scaled(n: u64, step: u64, units: &[&str]) -> String {
    let mut whole = n;
    let mut rest = 0;
    let mut unit = 0;
    while whole >= step && unit + 1 < units.len() {
        (whole, rest, unit) = (whole / step, whole % step, unit + 1);
    }
    let unit_name = units.get(unit).copied().unwrap_or_default();
    if unit == 0 || whole >= 100 {
        return format!("{whole}{unit_name}");
    }
    format!("{whole}.{}{unit_name}", rest * 10 / step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let counts = [0, 999, 1_000, 12_345, 999_999, 1_500_000, u64::MAX].map(count);
        assert_eq!(counts, ["0", "999", "1.0k", "12.3k", "999k", "1.5M", "18.4E"]);
        assert_eq!([87, 1_234, 3_456_789].map(micros), ["87 µs", "1.2 ms", "3.4 s"]);
        let ages = [-5, 42_000, 185_000, 7_800_000, 349_200_000].map(age);
        assert_eq!(ages, ["0s", "42s", "3m 5s", "2h 10m", "4d 1h"]);
    }
}
