//! Dates: seconds since 1970, UTC, without a clock.

use super::{Form, Row, Shape, row};

const PAIR: Shape = Shape::Operands(2);
const ONE: Shape = Shape::BareOr(1, 1);
const DATES: &str = "dates";

/// The rows, in order.
pub(super) const ROWS: &[Row] = &[
    row(
        ("date_parse", Form::DateParse, DATES, Shape::OperandOr(2)),
        r#"{"date_parse": [s, pattern?]}"#,
        "Seconds since 1970 of a date such as 2024-02-29 or 2024-02-29T12:30:00Z, or as the pattern has it.",
        (r#"{"date_parse": ["2.1.1970", "%d.%m.%Y"]}"#, "86400"),
    ),
    row(
        ("date_format", Form::DateFormat, DATES, Shape::Between(1, 2)),
        r#"{"date_format": [n, format?]}"#,
        "Seconds since 1970 as text (UTC), by letters such as `%Y-%m-%d %H:%M:%S`.",
        (r#"{"date_format": [86400, "%A, %e %B %Y"]}"#, r#""Friday,  2 January 1970""#),
    ),
    row(
        ("date_parts", Form::DateParts, DATES, ONE),
        r#"{"date_parts": n}"#,
        "Seconds since 1970 as year, month, day, hour, minute, second, weekday (1 Monday to 7 Sunday), day_of_year.",
        (r#"{"get": [{"date_parts": 86400}, "weekday"]}"#, "5"),
    ),
    row(
        ("date_add", Form::DateAdd, DATES, PAIR),
        r#"{"date_add": [n, {"record": {"months": 1}}]}"#,
        "Moves a date by years, months, weeks, days, hours, minutes, seconds.",
        (
            r#"{"date_format": [{"date_add": [{"date_parse": "2024-01-31"}, {"record": {"months": 1}}]}, "%Y-%m-%d"]}"#,
            r#""2024-02-29""#,
        ),
    ),
    row(
        ("date_diff", Form::DateDiff, DATES, Shape::Operands(3)),
        r#"{"date_diff": [a, b, unit]}"#,
        "Whole units from a to b.",
        (
            r#"{"date_diff": [{"date_parse": "2024-01-01"}, {"date_parse": "2024-03-01"}, "days"]}"#,
            "60",
        ),
    ),
];
