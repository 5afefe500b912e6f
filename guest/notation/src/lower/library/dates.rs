//! `Date`: moments in UTC, without a clock.

use super::work::{Made, Row, Work, make, refused};
use crate::tree::Id;
use pif_language::form::Form;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    make("getTime", (0, 0), |w| part(w, "time"), "d.getTime()"),
    make("getFullYear", (0, 0), |w| part(w, "year"), "d.getUTCFullYear()"),
    make("getUTCFullYear", (0, 0), |w| part(w, "year"), "d.getUTCFullYear()"),
    make("getMonth", (0, 0), |w| part(w, "month"), "d.getUTCMonth()"),
    make("getUTCMonth", (0, 0), |w| part(w, "month"), "d.getUTCMonth()"),
    make("getDate", (0, 0), |w| part(w, "day"), "d.getUTCDate()"),
    make("getUTCDate", (0, 0), |w| part(w, "day"), "d.getUTCDate()"),
    make("getDay", (0, 0), |w| part(w, "weekday"), "d.getUTCDay()"),
    make("getUTCDay", (0, 0), |w| part(w, "weekday"), "d.getUTCDay()"),
    make("getHours", (0, 0), |w| part(w, "hours"), "d.getUTCHours()"),
    make("getUTCHours", (0, 0), |w| part(w, "hours"), "d.getUTCHours()"),
    make("getMinutes", (0, 0), |w| part(w, "minutes"), "d.getUTCMinutes()"),
    make("getUTCMinutes", (0, 0), |w| part(w, "minutes"), "d.getUTCMinutes()"),
    make("getSeconds", (0, 0), |w| part(w, "seconds"), "d.getUTCSeconds()"),
    make("getUTCSeconds", (0, 0), |w| part(w, "seconds"), "d.getUTCSeconds()"),
    make("getMilliseconds", (0, 0), |w| part(w, "milliseconds"), "d.getUTCMilliseconds()"),
    make("getUTCMilliseconds", (0, 0), |w| part(w, "milliseconds"), "d.getUTCMilliseconds()"),
    make("toISOString", (0, 0), |w| part(w, "text"), "d.toISOString()"),
    make("toJSON", (0, 0), |w| part(w, "text"), "d.toJSON()"),
    make("getTimezoneOffset", (0, 0), |w| Ok(w.integer(0)), "0"),
    refused("toDateString", LOCAL, ISO),
    refused("toTimeString", LOCAL, ISO),
    refused("toUTCString", LOCAL, ISO),
    refused("toLocaleDateString", LOCAL, ISO),
    refused("toLocaleTimeString", LOCAL, ISO),
    refused("setTime", CHANGES, "new Date(time)"),
    refused("setFullYear", CHANGES, MADE),
    refused("setUTCFullYear", CHANGES, MADE),
    refused("setMonth", CHANGES, MADE),
    refused("setUTCMonth", CHANGES, MADE),
    refused("setDate", CHANGES, MOVED),
    refused("setUTCDate", CHANGES, MOVED),
    refused("setHours", CHANGES, MOVED),
    refused("setUTCHours", CHANGES, MOVED),
    refused("setMinutes", CHANGES, MOVED),
    refused("setUTCMinutes", CHANGES, MOVED),
    refused("setSeconds", CHANGES, MOVED),
    refused("setUTCSeconds", CHANGES, MOVED),
    refused("setMilliseconds", CHANGES, MOVED),
    refused("setUTCMilliseconds", CHANGES, MOVED),
];

const LOCAL: &str = "dates are written in one way";
const ISO: &str = "d.toISOString().slice(0, 10)";
const CHANGES: &str = "it would change a date that others may see";
const MOVED: &str = "new Date(d.getTime() + 86400000) for a day later";
const MADE: &str = "new Date(Date.UTC(d.getUTCFullYear(), d.getUTCMonth() + 1, 1))";
const NO_CLOCK: &str = "a run has no clock";
const AS_DATA: &str = "new Date(data.now): pass the moment as data";

/// The functions.
pub(super) const FUNCTIONS: &[Row] = &[
    make("Date.UTC", (1, 7), utc, "Date.UTC(2024, 0, 31)"),
    make("Date.parse", (1, 1), parse, "Date.parse(\"2024-01-31\")"),
    refused("Date.now", NO_CLOCK, AS_DATA),
    refused("Date", NO_CLOCK, AS_DATA),
    refused("performance.now", NO_CLOCK, AS_DATA),
];

/// The functions behind `new`.
pub(super) const CLASSES: &[Row] = &[make("Date", (0, 7), date, "new Date(\"2024-01-31\")")];

fn part(w: &mut Work<'_, '_>, name: &'static str) -> Made {
    let subject = w.subject();
    Ok(part_of(w, subject, name))
}

fn part_of(w: &mut Work<'_, '_>, date: Id, name: &'static str) -> Id {
    let name = w.text(name);
    w.form(Form::MomentPart, &[date, name])
}

fn date(w: &mut Work<'_, '_>) -> Made {
    if !w.has(0) {
        let message = format!("`new Date()`: {NO_CLOCK}");
        return Err(w.wrong(w.call.at, &message, AS_DATA));
    }
    Ok(w.form(Form::Moment, &w.operands()))
}

fn utc(w: &mut Work<'_, '_>) -> Made {
    let mut operands = w.operands();
    if operands.len() == 1 {
        operands.push(w.integer(0));
    }
    let date = w.form(Form::Moment, &operands);
    Ok(part_of(w, date, "time"))
}

fn parse(w: &mut Work<'_, '_>) -> Made {
    let date = w.form(Form::Moment, &w.operands());
    Ok(part_of(w, date, "time"))
}
