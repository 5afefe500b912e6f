//! The letters after `%` in a format. One table says how each is written and read.

use crate::algorithm::date::moment::{Civil, DAY, Moment};
use crate::algorithm::trouble::Trouble;

use num_bigint::BigUint;
use pif_core::text::quote::shorten;

const KNOWN: &str = "%Y %m %d %H %M %S %f %z %F %T %j %a %A %b %B %e %y %I %p %u %U %G %V %s %%";

pub(crate) const DAYS: &[&str] =
    &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
pub(crate) const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const HALVES: &[&str] = &["AM", "PM"];

/// A number in a date.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Its letter: the only one, or the first.
    pub(crate) letter: char,
    pub(crate) name: &'static str,
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// The most digits of it.
    pub(crate) digits: usize,
}

const fn part(letter: char, name: &'static str, [first, last]: [i64; 2], digits: usize) -> Part {
    Part { letter, name, first, last, digits }
}

pub(crate) const YEAR: Part = part('Y', "year", [0, 9999], 4);
pub(crate) const MONTH: Part = part('m', "month", [1, 12], 2);
pub(crate) const DAY_OF_MONTH: Part = part('d', "day", [1, 31], 2);
pub(crate) const HOUR: Part = part('H', "hour", [0, 23], 2);
pub(crate) const MINUTE: Part = part('M', "minute", [0, 59], 2);
pub(crate) const SECOND: Part = part('S', "second", [0, 59], 2);
pub(crate) const OFFSET_HOUR: Part = part('z', "hour of the offset", [0, 23], 2);
pub(crate) const OFFSET_MINUTE: Part = part('z', "minute of the offset", [0, 59], 2);
const WEEKDAY: Part = part('u', "weekday", [1, 7], 1);

/// The meaning of a letter.
pub(crate) enum Letter {
    /// A number with all its digits.
    Number(Part),
    /// A number with a blank for a leading 0.
    Filled(Part),
    /// Whole seconds since 1970.
    Seconds(Part),
    /// The name of a number, from 1. `true` means its first three letters.
    Name(Part, &'static [&'static str], bool),
    /// The digits after the second's point.
    Fraction,
    /// The offset from UTC.
    Zone,
    /// This format.
    Format(&'static str),
}

impl Letter {
    fn of(letter: char) -> Option<Self> {
        Some(match letter {
            'Y' => Self::Number(YEAR),
            'm' => Self::Number(MONTH),
            'd' => Self::Number(DAY_OF_MONTH),
            'e' => Self::Filled(DAY_OF_MONTH),
            'H' => Self::Number(HOUR),
            'M' => Self::Number(MINUTE),
            'S' => Self::Number(SECOND),
            'I' => Self::Number(part('I', "hour of twelve", [1, 12], 2)),
            'p' => Self::Name(part('p', "half of the day", [1, 2], 1), HALVES, false),
            'y' => Self::Number(part('y', "year of the century", [0, 99], 2)),
            'j' => Self::Number(part('j', "day of the year", [1, 366], 3)),
            'u' => Self::Number(WEEKDAY),
            'a' => Self::Name(WEEKDAY, DAYS, true),
            'A' => Self::Name(WEEKDAY, DAYS, false),
            'b' => Self::Name(MONTH, MONTHS, true),
            'B' => Self::Name(MONTH, MONTHS, false),
            'U' => Self::Number(part('U', "week that begins on Sunday", [0, 53], 2)),
            'G' => Self::Number(part('G', "year of the week", [0, 9999], 4)),
            'V' => Self::Number(part('V', "week", [1, 53], 2)),
            's' => Self::Seconds(part('s', "number of seconds", [i64::MIN, i64::MAX], 12)),
            'f' => Self::Fraction,
            'z' => Self::Zone,
            'F' => Self::Format("%Y-%m-%d"),
            'T' => Self::Format("%H:%M:%S"),
            _ => return None,
        })
    }
}

/// A piece of a format.
pub(crate) enum Piece<'f> {
    /// A text that stands for itself.
    Text(&'f str),
    Letter(Letter),
}

/// The pieces of a format, in order.
pub(crate) struct Pieces<'f>(pub(crate) &'f str);

impl<'f> Iterator for Pieces<'f> {
    type Item = Result<Piece<'f>, Trouble>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(after) = self.0.strip_prefix('%') else {
            let (text, rest) = self.0.split_at(self.0.find('%').unwrap_or(self.0.len()));
            self.0 = rest;
            return (!text.is_empty()).then_some(Ok(Piece::Text(text)));
        };
        let letter = after.chars().next();
        let length = letter.map_or(0, char::len_utf8);
        let (shown, rest) = self.0.split_at(1 + length);
        self.0 = rest;
        Some(match letter {
            Some('%') => Ok(Piece::Text("%")),
            letter => letter.and_then(Letter::of).map(Piece::Letter).ok_or_else(|| {
                Trouble::OutOfRange(format!(
                    "there is no letter `{}`; the letters are {KNOWN}",
                    shorten(shown)
                ))
            }),
        })
    }
}

/// The values of the letters at a moment.
pub(crate) struct Fields {
    civil: Civil,
    time: [i64; 3],
    weekday: i64,
    day_of_year: i64,
    /// The year and the number of the week. They are those of its Thursday.
    week: [i64; 2],
    second: i64,
    pub(crate) micros: u64,
}

impl Fields {
    pub(crate) fn of(moment: &Moment) -> Self {
        let (weekday, second) = (moment.weekday(), moment.second);
        let thursday = Moment { second: second + (4 - weekday) * DAY, rest: BigUint::ZERO };
        Self {
            civil: moment.civil(),
            time: moment.time(),
            weekday,
            day_of_year: moment.day_of_year(),
            week: [thursday.civil().year, (thursday.day_of_year() - 1) / 7 + 1],
            second,
            micros: moment.micros(),
        }
    }

    pub(crate) fn get(&self, letter: char) -> i64 {
        let Civil { year, month, day } = self.civil;
        let ([hour, minute, second], [week_year, week]) = (self.time, self.week);
        match letter {
            'Y' => year,
            'y' => year.rem_euclid(100),
            'm' => month,
            'd' => day,
            'H' => hour,
            'I' => (hour + 11) % 12 + 1,
            'p' => hour / 12 + 1,
            'M' => minute,
            'S' => second,
            'j' => self.day_of_year,
            'u' => self.weekday,
            'U' => (self.day_of_year + 6 - self.weekday % 7) / 7,
            'G' => week_year,
            'V' => week,
            _ => self.second,
        }
    }
}
