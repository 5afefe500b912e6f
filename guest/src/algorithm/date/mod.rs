//! Dates without a clock: moments of the proleptic Gregorian calendar, read and written.

pub(crate) mod format;
pub(crate) mod letters;
pub(crate) mod moment;
pub(crate) mod pattern;
pub(crate) mod read;
pub(crate) mod script;
pub(crate) mod written;

pub(crate) use format::{FORMAT, doubt, format, is_bare};
pub(crate) use moment::{Civil, Moment, Unit};
pub(crate) use pattern::parse_as;
pub(crate) use read::parse;
