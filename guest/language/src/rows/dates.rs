//! Dates: seconds since 1970, and those of JavaScript, without a clock.

use crate::form::{Bare, between, builtin, exactly};
use crate::kinds::{ANY, DATE, NUMBER, RECORD, STRING};
use crate::prices::{LOOK_UP, MAKER, OTHER, READER};
use crate::typing::{DATE_PARTS, INT, NUM, TXT, Type};

rows! { $ dates:
    DateParse = builtin("date_parse", between(1, 2).or_bare(Bare::Written))
        .takes(&[STRING]).gives(NUMBER).visit(MAKER)
        .work(OTHER, "the units of the text; with a pattern, half its bytes")
        .typed(&[TXT], NUM)
        .syntax(r#"{"date_parse": [s, pattern?]}"#)
        .doc("Seconds since 1970 of a date such as 2024-02-29 or 2024-02-29T12:30:00Z, or by a \
            pattern.")
        .details(&[
            "A text alone is read as `YYYY-MM-DD`. Then may come `T`, `t` or a blank and `HH:MM`, \
                `:SS` and a fraction, then `Z`, `z`, `+HH`, `+HHMM` or `+HH:MM` if the time is not \
                of UTC. A day, an hour or an offset that does not exist is `unparsable`, and so \
                are a leap second and blanks around the date. The message names the part. The year \
                0000 is `out-of-range`.",
        ])
        .example(r#"{"date_parse": ["2.1.1970", "%d.%m.%Y"]}"#, "86400");
    DateFormat = builtin("date_format", between(1, 2))
        .takes(&[NUMBER, STRING, ANY]).gives(STRING).visit(READER)
        .work(LOOK_UP, "the units of the format and of the result")
        .typed(&[NUM, TXT], TXT)
        .syntax(r#"{"date_format": [n, format?]}"#)
        .doc("Seconds since 1970 as text (UTC), by letters such as `%Y-%m-%d %H:%M:%S`.")
        .example(r#"{"date_format": [86400, "%A, %e %B %Y"]}"#, r#""Friday,  2 January 1970""#);
    DateParts = builtin("date_parts", between(1, 1).or_bare(Bare::Read))
        .takes(&[NUMBER]).gives(RECORD).visit(MAKER)
        .typed(&[NUM], DATE_PARTS)
        .syntax(r#"{"date_parts": n}"#)
        .doc("Seconds since 1970 as year, month, day, hour, minute, second, weekday (1 Monday to 7 \
            Sunday), day_of_year.")
        .example(r#"{"get": [{"date_parts": 86400}, "weekday"]}"#, "5");
    DateAdd = builtin("date_add", exactly(2))
        .takes(&[NUMBER, RECORD, ANY]).gives(NUMBER).visit(READER)
        .work(OTHER, "1 per member of the record; the units of its key, and the limbs of a big \
            value")
        .typed(&[NUM, Type::Deep], NUM)
        .syntax(r#"{"date_add": [n, {"record": {"months": 1}}]}"#)
        .doc("Moves a date by years, months, weeks, days, hours, minutes, seconds.")
        .example(
            r#"{"date_format": [{"date_add": [{"date_parse": "2024-01-31"}, {"record": {"months": 1}}]}, "%Y-%m-%d"]}"#,
            r#""2024-02-29""#,
        );
    DateDiff = builtin("date_diff", exactly(3))
        .takes(&[NUMBER, NUMBER, STRING, ANY]).gives(NUMBER).visit(MAKER)
        .work(OTHER, "the units of the name of the unit")
        .typed(&[NUM, NUM, TXT], INT)
        .syntax(r#"{"date_diff": [a, b, unit]}"#)
        .doc("Whole units from a to b.")
        .details(&[
            "It counts as many months as `date_add` can add without passing the other moment.",
        ])
        .example(
            r#"{"date_diff": [{"date_parse": "2024-01-01"}, {"date_parse": "2024-03-01"}, "days"]}"#,
            "60",
        );
    Moment = builtin("moment", between(1, 7))
        .takes(&[ANY]).visit(READER).work(OTHER, "of a text, its units")
        .typed(&[Type::Deep], Type::Of(DATE))
        .syntax(r#"{"moment": [text or milliseconds] or [year, month, day?, …]}"#)
        .doc("A date as `new Date` of JavaScript makes it, in UTC: months count from 0. As a \
            result it is a text like 2024-01-31T00:00:00.000Z.")
        .details(&[
            "Texts are read as V8 does: ISO 8601, and what people write (`Jan 31, 2024 10:00`, `31 \
                January 2024`, `2024/01/31`, the form of e-mails). A text without a zone is UTC. \
                Any other text, and null, is `unparsable`; a date of more than \
                8,640,000,000,000,000 milliseconds before or after 1970 is `out-of-range`. Parts \
                may lie beyond their ranges, and years from 0 to 99 are 1900 to 1999. As a result \
                a date is a text. In `sub` and in comparisons a date counts as its milliseconds, \
                and dates sort by time; `eq` tells a date from a number, and `add` takes no date.",
        ])
        .example(r#"{"moment": ["2024-01-31"]}"#, r#""2024-01-31T00:00:00.000Z""#);
    MomentPart = builtin("moment_part", exactly(2))
        .takes(&[ANY, STRING]).visit(READER)
        .work(OTHER, "the units of the name, and of a part that is a text")
        .own(&[Type::Of(DATE), TXT], Type::Of(NUMBER | STRING))
        .syntax(r#"{"moment_part": [date, part]}"#)
        .doc("A part of a date: `year`, `month` (from 0), `day`, `weekday` (from 0 for Sunday), \
            `hours`, `minutes`, `seconds`, `milliseconds`, `time` (milliseconds since 1970), \
            `text`, `date_text`.")
        .example(r#"{"moment_part": [{"moment": ["2024-01-31"]}, "weekday"]}"#, "3");
}
