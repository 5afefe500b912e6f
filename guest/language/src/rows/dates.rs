//! Dates: seconds since 1970, and those of JavaScript, without a clock.

use crate::form::{Bare, between, builtin, exactly};
use crate::kinds::{ANY, NUMBER, RECORD, STRING};
use crate::prices::{LOOK_UP, MAKER, READER};

rows! { $ dates:
    DateParse = builtin("date_parse", between(1, 2).or_bare(Bare::Written))
        .takes(&[STRING]).gives(NUMBER).visit(MAKER)
        .syntax(r#"{"date_parse": [s, pattern?]}"#)
        .doc("Seconds since 1970 of a date such as 2024-02-29 or 2024-02-29T12:30:00Z, or by a pattern.")
        .example(r#"{"date_parse": ["2.1.1970", "%d.%m.%Y"]}"#, "86400");
    DateFormat = builtin("date_format", between(1, 2))
        .takes(&[NUMBER, STRING, ANY]).gives(STRING).visit(READER).work(LOOK_UP)
        .syntax(r#"{"date_format": [n, format?]}"#)
        .doc("Seconds since 1970 as text (UTC), by letters such as `%Y-%m-%d %H:%M:%S`.")
        .example(r#"{"date_format": [86400, "%A, %e %B %Y"]}"#, r#""Friday,  2 January 1970""#);
    DateParts = builtin("date_parts", between(1, 1).or_bare(Bare::Read))
        .takes(&[NUMBER]).gives(RECORD).visit(MAKER)
        .syntax(r#"{"date_parts": n}"#)
        .doc("Seconds since 1970 as year, month, day, hour, minute, second, weekday (1 Monday to 7 Sunday), day_of_year.")
        .example(r#"{"get": [{"date_parts": 86400}, "weekday"]}"#, "5");
    DateAdd = builtin("date_add", exactly(2))
        .takes(&[NUMBER, RECORD, ANY]).gives(NUMBER).visit(READER)
        .syntax(r#"{"date_add": [n, {"record": {"months": 1}}]}"#)
        .doc("Moves a date by years, months, weeks, days, hours, minutes, seconds.")
        .example(
            r#"{"date_format": [{"date_add": [{"date_parse": "2024-01-31"}, {"record": {"months": 1}}]}, "%Y-%m-%d"]}"#,
            r#""2024-02-29""#,
        );
    DateDiff = builtin("date_diff", exactly(3))
        .takes(&[NUMBER, NUMBER, STRING, ANY]).gives(NUMBER).visit(MAKER)
        .syntax(r#"{"date_diff": [a, b, unit]}"#)
        .doc("Whole units from a to b.")
        .example(
            r#"{"date_diff": [{"date_parse": "2024-01-01"}, {"date_parse": "2024-03-01"}, "days"]}"#,
            "60",
        );
    Moment = builtin("moment", between(1, 7))
        .takes(&[ANY]).visit(READER)
        .syntax(r#"{"moment": [text or milliseconds] or [year, month, day?, …]}"#)
        .doc("A date as `new Date` of JavaScript makes it, in UTC: months count from 0. As a result it is a text like 2024-01-31T00:00:00.000Z.")
        .example(r#"{"moment": ["2024-01-31"]}"#, r#""2024-01-31T00:00:00.000Z""#);
    MomentPart = builtin("moment_part", exactly(2))
        .takes(&[ANY, STRING]).visit(READER)
        .syntax(r#"{"moment_part": [date, part]}"#)
        .doc("A part of a date: `year`, `month` (from 0), `day`, `weekday` (from 0 for Sunday), `hours`, `minutes`, `seconds`, `milliseconds`, `time` (milliseconds since 1970), `text`, `date_text`.")
        .example(r#"{"moment_part": [{"moment": ["2024-01-31"]}, "weekday"]}"#, "3");
}
