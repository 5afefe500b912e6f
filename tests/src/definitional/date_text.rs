//! Dates as text, and text as dates: by regular expressions.

use super::dates::{Fields, beginning, fields, month_days, not_after, parts, second};
use super::text::TEXT_UNIT;
use super::value::Value;
use super::{Evaluated, Evaluator, operation::bytes};
use num_bigint::BigInt;
use pif::fault::Code;
use regex::{Captures, Regex};

const WEEKDAYS: &str = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday";
const MONTHS: &str =
    "January February March April May June July August September October November December";

/// A name by its place, from 1.
fn name(names: &str, place: i64) -> &str {
    names.split(' ').nth(usize::try_from(place - 1).unwrap_or(0)).unwrap_or_default()
}

impl Evaluator {
    pub(super) fn date_format(&mut self, n: &Value, format: &str) -> Evaluated {
        let text = written(n, format)?;
        self.work(bytes(&text) / TEXT_UNIT)?;
        Ok(Value::Text(text.into()))
    }
}

/// A moment as this format has it.
fn written(n: &Value, format: &str) -> Result<String, Code> {
    let whole = second(n)?;
    let f = fields(whole);
    let (mut text, mut format) = (String::new(), format.chars());
    while let Some(c) = format.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let c = format.next().ok_or(Code::OutOfRange)?;
        let piece = match c {
            '%' => "%".to_owned(),
            'F' => written(n, "%Y-%m-%d")?,
            'T' => written(n, "%H:%M:%S")?,
            'a' => name(WEEKDAYS, f.weekday)[..3].to_owned(),
            'A' => name(WEEKDAYS, f.weekday).to_owned(),
            'b' => name(MONTHS, f.month)[..3].to_owned(),
            'B' => name(MONTHS, f.month).to_owned(),
            'p' => name("AM PM", number('p', &f, whole)?).to_owned(),
            'z' => "+0000".to_owned(),
            'f' => {
                let rest: BigInt = parts(n) - (BigInt::from(whole) << 1074);
                let half = BigInt::from(1) << 1073;
                let millionths: BigInt = (rest * 1_000_000 + half) >> 1074;
                format!("{:06}", millionths.min(BigInt::from(999_999)))
            }
            'Y' | 'G' => format!("{:04}", number(c, &f, whole)?),
            'j' => format!("{:03}", number(c, &f, whole)?),
            'u' | 's' => number(c, &f, whole)?.to_string(),
            'e' => format!("{:>2}", f.day),
            _ => format!("{:02}", number(c, &f, whole)?),
        };
        text.push_str(&piece);
    }
    Ok(text)
}

/// What a letter of a number stands for in a moment.
fn number(letter: char, f: &Fields, second: i64) -> Result<i64, Code> {
    let hour = f.second / 3600;
    // A week is of the year that its Thursday is in.
    let thursday = || fields(second + (4 - f.weekday) * 86_400);
    Ok(match letter {
        'Y' => f.year,
        'y' => f.year % 100,
        'm' => f.month,
        'd' => f.day,
        'H' => hour,
        'I' => [12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11][usize::try_from(hour % 12).unwrap_or(0)],
        'p' => {
            if hour < 12 {
                1
            } else {
                2
            }
        }
        'M' => f.second / 60 % 60,
        'S' => f.second % 60,
        'j' => f.day_of_year,
        'u' => f.weekday,
        // Sundays of the year up to that day.
        'U' => (1..=f.day_of_year)
            .map(|day| f.weekday + day - f.day_of_year)
            .fold(0, |weeks, day| if day % 7 == 0 { weeks + 1 } else { weeks }),
        'G' => thursday().year,
        'V' => (thursday().day_of_year + 6) / 7,
        's' => second,
        _ => return Err(Code::OutOfRange),
    })
}

/// Seconds since 1970 and the digits of a fraction, as a number.
fn moment(whole: i64, fraction: &str) -> Evaluated {
    let n = match fraction.trim_end_matches('0') {
        "" => Value::Integer(whole.into()),
        fraction => {
            let one = BigInt::from(10).pow(u32::try_from(fraction.len()).unwrap_or(u32::MAX));
            let fraction: BigInt = fraction.parse().map_err(|_| Code::Internal)?;
            second(&Value::Integer(whole.into()))?;
            not_after(&(whole * &one + fraction), &one)?
        }
    };
    second(&n)?;
    Ok(n)
}

fn regex(pattern: &str) -> Result<Regex, Code> {
    Regex::new(pattern).map_err(|_| Code::Internal)
}

/// The number in a group, 0 if that is not there.
fn group(found: &Captures<'_>, name: &str) -> i64 {
    found.name(name).and_then(|it| it.as_str().parse().ok()).unwrap_or(0)
}

/// Seconds that an offset is ahead of UTC.
fn ahead(offset: &str) -> Result<i64, Code> {
    let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
    let part = |from: usize| digits.get(from..from + 2).and_then(|it| it.parse::<i64>().ok());
    let (hour, minute) = (part(0).unwrap_or(0), part(2).unwrap_or(0));
    if hour > 23 || minute > 59 {
        return Err(Code::Unparsable);
    }
    let ahead = hour * 3600 + minute * 60;
    Ok(if offset.starts_with('-') { -ahead } else { ahead })
}

fn length(year: i64, month: i64) -> Option<i64> {
    // The year 0 is as long as the year 400.
    let year = if year == 0 { 400 } else { year };
    month_days(year).get(usize::try_from(month - 1).ok()?).copied()
}

/// `date_parse`.
pub(super) fn read(text: &str) -> Evaluated {
    let date = regex(concat!(
        "^(?<Y>[0-9]{4})-(?<m>[0-9]{2})-(?<d>[0-9]{2})",
        "([Tt ](?<H>[0-9]{2}):(?<M>[0-9]{2})(:(?<S>[0-9]{2})(\\.(?<f>[0-9]+))?)?",
        "(?<z>[Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?$",
    ))?;
    let found = date.captures(text).ok_or(Code::Unparsable)?;
    let [year, month, day] = ["Y", "m", "d"].map(|name| group(&found, name));
    let [hour, minute, second] = ["H", "M", "S"].map(|name| group(&found, name));
    let has_day = length(year, month).is_some_and(|last| (1..=last).contains(&day));
    if !has_day || hour > 23 || minute > 59 || second > 59 {
        return Err(Code::Unparsable);
    }
    let ahead = ahead(found.name("z").map_or("", |it| it.as_str()))?;
    let whole = beginning(year, month, day) + hour * 3600 + minute * 60 + second - ahead;
    let n = moment(whole, found.name("f").map_or("", |it| it.as_str()))?;
    if year == 0 { Err(Code::OutOfRange) } else { Ok(n) }
}

/// What has been read by the letters of a pattern.
#[derive(Default)]
struct Spelled {
    numbers: Vec<(char, i64)>,
    fraction: String,
    ahead: i64,
}

impl Spelled {
    fn get(&self, letter: char) -> Option<i64> {
        self.numbers.iter().find(|(known, _)| *known == letter).map(|(_, n)| *n)
    }

    /// Reads what a pattern describes; the rest of the text.
    fn follow<'t>(&mut self, pattern: &str, mut text: &'t str) -> Result<&'t str, Code> {
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            let letter = if c == '%' { Some(chars.next().ok_or(Code::OutOfRange)?) } else { None };
            text = match letter {
                None | Some('%') => text.strip_prefix(c).ok_or(Code::Unparsable)?,
                Some('F') => self.follow("%Y-%m-%d", text)?,
                Some('T') => self.follow("%H:%M:%S", text)?,
                Some(letter) => self.letter(letter, text)?,
            };
        }
        Ok(text)
    }

    /// Reads what a letter stands for; the rest of the text.
    fn letter<'t>(&mut self, letter: char, text: &'t str) -> Result<&'t str, Code> {
        // What it looks like, the letter that means the same, and the bounds of its number.
        let (form, known, bounds) = match letter {
            'Y' => ("[0-9]{4}", 'Y', 0..=9999),
            'G' => ("[0-9]{4}", 'G', 0..=9999),
            'y' => ("[0-9]{2}", 'y', 0..=99),
            'm' => ("[0-9]{1,2}", 'm', 1..=12),
            'd' => ("[0-9]{1,2}", 'd', 1..=31),
            'e' => (" ?[0-9]{1,2}", 'd', 1..=31),
            'H' => ("[0-9]{1,2}", 'H', 0..=23),
            'I' => ("[0-9]{1,2}", 'I', 1..=12),
            'M' => ("[0-9]{1,2}", 'M', 0..=59),
            'S' => ("[0-9]{1,2}", 'S', 0..=59),
            'j' => ("[0-9]{1,3}", 'j', 1..=366),
            'u' => ("[0-9]", 'u', 1..=7),
            'U' => ("[0-9]{1,2}", 'U', 0..=53),
            'V' => ("[0-9]{1,2}", 'V', 1..=53),
            's' => ("-?[0-9]{1,12}", 's', i64::MIN..=i64::MAX),
            'a' | 'A' => ("[A-Za-z]+", 'u', 1..=7),
            'b' | 'B' => ("[A-Za-z]+", 'm', 1..=12),
            'p' => ("[AaPp][Mm]", 'p', 1..=2),
            'f' => ("[0-9]+", 'f', 0..=0),
            'z' => ("[Zz]|[+-][0-9]{2}(:?[0-9]{2})?", 'z', 0..=0),
            _ => return Err(Code::OutOfRange),
        };
        let found = regex(&format!("^({form})"))?.find(text).ok_or(Code::Unparsable)?;
        let (spelled, rest) = text.split_at(found.end());
        let (n, rest) = match letter {
            'a' | 'A' => named(WEEKDAYS, text)?,
            'b' | 'B' => named(MONTHS, text)?,
            'p' => named("AM PM", text)?,
            'f' => {
                spelled.clone_into(&mut self.fraction);
                return Ok(rest);
            }
            'z' => {
                self.ahead = ahead(spelled)?;
                // A colon or a digit belongs to the offset, and two digits must be there.
                let goes_on = rest.starts_with(|c: char| c == ':' || c.is_ascii_digit());
                let is_cut = spelled.len() == 3 && goes_on;
                return if is_cut { Err(Code::Unparsable) } else { Ok(rest) };
            }
            _ => (spelled.trim_start().parse().map_err(|_| Code::Unparsable)?, rest),
        };
        if !bounds.contains(&n) || self.get(known).is_some_and(|other| other != n) {
            return Err(Code::Unparsable);
        }
        self.numbers.push((known, n));
        Ok(rest)
    }

    /// Seconds at the beginning of the day.
    fn day(&self) -> Result<i64, Code> {
        let short = self.get('y').map(|year| if year < 69 { 2000 + year } else { 1900 + year });
        let year = self.get('Y').or(short);
        let [month, day, of_year] = ['m', 'd', 'j'].map(|letter| self.get(letter));
        let of_civil = month.or(day).is_some();
        if let (Some(year), Some(week)) = (self.get('G'), self.get('V'))
            && !of_civil
            && of_year.is_none()
        {
            // The first Thursday is in the first week.
            let january = |day: i64| beginning(year, 1, day);
            let is_thursday = |day: &i64| january(*day).div_euclid(86_400).rem_euclid(7) == 0;
            let thursday = (1..=7).find(is_thursday).unwrap_or(1);
            let weekday = self.get('u').unwrap_or(1);
            return Ok(january(thursday) + ((week - 1) * 7 + weekday - 4) * 86_400);
        }
        let year = year.ok_or(Code::OutOfRange)?;
        let begin = |year| beginning(year, 1, 1);
        if let (Some(of_year), false) = (of_year, of_civil) {
            let start = begin(year) + (of_year - 1) * 86_400;
            return if start < begin(year + 1) { Ok(start) } else { Err(Code::Unparsable) };
        }
        let (month, day) = (month.unwrap_or(1), day.unwrap_or(1));
        if length(year, month).is_none_or(|last| day > last) {
            return Err(Code::Unparsable);
        }
        Ok(beginning(year, month, day))
    }

    fn hour(&self) -> Result<i64, Code> {
        match (self.get('H'), self.get('I'), self.get('p')) {
            (Some(hour), ..) => Ok(hour),
            (None, Some(hour), Some(half)) => Ok(hour % 12 + if half == 2 { 12 } else { 0 }),
            (None, None, None) => Ok(0),
            _ => Err(Code::OutOfRange),
        }
    }
}

/// The place of a name, in full or by three letters, and what follows it.
fn named<'t>(names: &str, text: &'t str) -> Result<(i64, &'t str), Code> {
    for (name, place) in names.split(' ').zip(1..) {
        for length in [name.len(), 3.min(name.len())] {
            let start = text.get(..length).unwrap_or_default();
            if start.eq_ignore_ascii_case(&name[..length]) {
                return Ok((place, &text[length..]));
            }
        }
    }
    Err(Code::Unparsable)
}

/// `date_parse` with a pattern.
pub(super) fn read_as(text: &str, pattern: &str) -> Evaluated {
    if !pattern.contains('%') {
        return Err(Code::OutOfRange);
    }
    let mut spelled = Spelled::default();
    if !spelled.follow(pattern, text)?.is_empty() {
        return Err(Code::Unparsable);
    }
    let local = if let Some(second) = spelled.get('s') {
        second + spelled.ahead
    } else {
        let day = spelled.day()?;
        let [minute, second] = ['M', 'S'].map(|letter| spelled.get(letter).unwrap_or(0));
        day + spelled.hour()? * 3600 + minute * 60 + second
    };
    second(&Value::Integer(local.into()))?;
    let f = fields(local);
    for (letter, n) in &spelled.numbers {
        let is = if *letter == 's' { local - spelled.ahead } else { number(*letter, &f, local)? };
        if is != *n {
            return Err(Code::Unparsable);
        }
    }
    moment(local - spelled.ahead, &spelled.fraction)
}
