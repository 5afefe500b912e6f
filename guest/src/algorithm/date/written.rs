//! Reads dates as V8 does: ISO 8601 first, and then what people write.

use super::script::of_parts;
use std::iter::Peekable;
use std::str::Chars;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// A number, and how many digits it has.
    Number(i64, usize),
    Symbol(char),
    Space,
    Word(Word),
    Other,
    End,
}

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// The month, from 1.
    Month(i64),
    /// Hours to add to those of a clock of twelve.
    Half(i64),
    /// Hours east of UTC. With whether it is the letter Z.
    Zone(i64, bool),
    /// A T between day and time.
    Time,
    /// Any other.
    Other,
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Names of zones, with their hours east of UTC.
const ZONES: [(&str, i64); 11] = [
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];

struct Scanner<'t> {
    rest: Peekable<Chars<'t>>,
    next: Token,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Self {
        let mut scanner = Self { rest: text.chars().peekable(), next: Token::End };
        scanner.next = scanner.scan();
        scanner
    }

    fn take(&mut self) -> Token {
        let next = self.scan();
        std::mem::replace(&mut self.next, next)
    }

    /// Skips a symbol if it comes next.
    fn skip(&mut self, symbol: char) -> bool {
        let is_next = self.next == Token::Symbol(symbol);
        if is_next {
            self.take();
        }
        is_next
    }

    /// Returns the number that comes next if it has so many digits and lies in a range.
    fn fixed(&mut self, digits: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        match self.next {
            Token::Number(n, length) if length == digits && range.contains(&n) => {
                self.take();
                Some(n)
            }
            _ => None,
        }
    }

    fn scan(&mut self) -> Token {
        let Some(c) = self.rest.next() else { return Token::End };
        match c {
            '0'..='9' => self.number(c),
            ':' | '-' | '+' | '.' | ')' => Token::Symbol(c),
            '(' => {
                self.brackets();
                Token::Other
            }
            _ if is_space(c) => Token::Space,
            _ if c >= 'A' => self.word(c),
            _ => Token::Other,
        }
    }

    /// Reads a number, of which the first nine digits count, without zeros before them.
    fn number(&mut self, first: char) -> Token {
        let mut value = i64::from(first.to_digit(10).unwrap_or_default());
        let (mut length, mut counted) = (1, u32::from(value > 0));
        while let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(10)) {
            self.rest.next();
            length += 1;
            if counted < 9 {
                value = value * 10 + i64::from(digit);
                counted += u32::from(value > 0);
            }
        }
        Token::Number(value, length)
    }

    /// Skips what brackets hold, after the opening one.
    fn brackets(&mut self) {
        let mut depth = 1;
        while depth > 0
            && let Some(c) = self.rest.next()
        {
            depth += i32::from(c == '(') - i32::from(c == ')');
        }
    }

    fn word(&mut self, first: char) -> Token {
        let mut start = String::from(first.to_ascii_lowercase());
        let mut length = 1;
        while let Some(c) = self.rest.next_if(|c| *c >= 'A' && !is_space(*c)) {
            length += 1;
            if length <= 3 {
                start.push(c.to_ascii_lowercase());
            }
        }
        if let Some(month) = MONTHS.iter().position(|name| *name == start) {
            return Token::Word(Word::Month(i64::try_from(month).unwrap_or_default() + 1));
        }
        if length > 3 {
            return Token::Word(Word::Other);
        }
        Token::Word(match start.as_str() {
            "am" => Word::Half(0),
            "pm" => Word::Half(12),
            "z" => Word::Zone(0, true),
            "t" => Word::Time,
            name => {
                let zone = ZONES.iter().find(|(known, _)| *known == name);
                zone.map_or(Word::Other, |(_, hours)| Word::Zone(*hours, false))
            }
        })
    }
}

/// Tells whether a character is white space or ends a line in JavaScript.
fn is_space(c: char) -> bool {
    matches!(c, '\u{feff}') || c.is_whitespace() && c != '\u{85}'
}

/// What has been read.
#[derive(Default)]
struct Reading {
    days: Vec<i64>,
    month: Option<i64>,
    is_iso: bool,
    times: Vec<i64>,
    half: Option<i64>,
    /// The sign, the hours and the minutes of the distance from UTC.
    sign: Option<i64>,
    hours: Option<i64>,
    minutes: Option<i64>,
}

/// Reads a text. Returns milliseconds, or nothing if it is no date.
#[must_use]
pub fn read(text: &str) -> Option<i64> {
    let mut scanner = Scanner::new(text);
    let mut reading = Reading::default();
    let first = reading.iso(&mut scanner)?;
    reading.people(&mut scanner, first)?;
    reading.finish()
}

impl Reading {
    /// Reads a date of ISO 8601. Returns the first token of what is left, or nothing if the text is
    /// certainly no date.
    fn iso(&mut self, s: &mut Scanner<'_>) -> Option<Token> {
        if let Token::Symbol(sign @ ('+' | '-')) = s.next {
            let token = s.take();
            let Token::Number(year, 6) = s.next else { return Some(token) };
            if sign == '-' && year == 0 {
                return Some(token);
            }
            s.take();
            self.days.push(if sign == '-' { -year } else { year });
        } else {
            let Some(year) = s.fixed(4, 0..=9999) else { return Some(s.take()) };
            self.days.push(year);
        }
        for range in [1..=12, 1..=31] {
            if !s.skip('-') {
                break;
            }
            let Some(part) = s.fixed(2, range) else { return Some(s.take()) };
            self.days.push(part);
        }
        if s.next == Token::Word(Word::Time) {
            s.take();
            self.iso_time(s)?;
            if s.next != Token::End {
                return None;
            }
        } else if s.next == Token::End {
            (self.sign, self.hours, self.minutes) = (Some(1), Some(0), Some(0));
        } else {
            return Some(s.take());
        }
        self.is_iso = true;
        Some(Token::End)
    }

    fn iso_time(&mut self, s: &mut Scanner<'_>) -> Option<()> {
        let hour = s.fixed(2, 0..=24)?;
        let sixty = if hour == 24 { 0..=0 } else { 0..=59 };
        self.times.push(hour);
        s.skip(':').then_some(())?;
        self.times.push(s.fixed(2, sixty.clone())?);
        if s.skip(':') {
            self.times.push(s.fixed(2, sixty)?);
            if s.skip('.') {
                let Token::Number(n, length) = s.take() else { return None };
                if hour == 24 && n > 0 {
                    return None;
                }
                self.times.push(milliseconds(n, length));
            }
        }
        match s.next {
            Token::Word(Word::Zone(_, true)) => {
                s.take();
                (self.sign, self.hours, self.minutes) = (Some(1), Some(0), Some(0));
            }
            Token::Symbol(sign @ ('+' | '-')) => {
                s.take();
                self.sign = Some(if sign == '+' { 1 } else { -1 });
                if let Token::Number(n, 4) = s.next {
                    s.take();
                    (n / 100 < 24 && n % 100 < 60).then_some(())?;
                    (self.hours, self.minutes) = (Some(n / 100), Some(n % 100));
                } else {
                    self.hours = Some(s.fixed(2, 0..=23)?);
                    s.skip(':').then_some(())?;
                    self.minutes = Some(s.fixed(2, 0..=59)?);
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Reads the rest as people write it.
    fn people(&mut self, s: &mut Scanner<'_>, first: Token) -> Option<()> {
        let mut has_number = !self.days.is_empty();
        let mut token = first;
        while token != Token::End {
            match token {
                Token::Number(n, _) => {
                    has_number = true;
                    self.number(s, n)?;
                }
                Token::Word(word) => match word {
                    Word::Half(hours) if !self.times.is_empty() => self.half = Some(hours),
                    Word::Month(month) => {
                        self.month = Some(month);
                        s.skip('-');
                    }
                    Word::Zone(hours, _) if has_number => {
                        self.sign = Some(if hours < 0 { -1 } else { 1 });
                        (self.hours, self.minutes) = (Some(hours.abs()), Some(0));
                    }
                    _ if has_number || matches!(s.next, Token::Number(..)) => return None,
                    _ => {}
                },
                Token::Symbol(sign @ ('+' | '-')) if self.is_utc() || !self.times.is_empty() => {
                    has_number = true;
                    self.sign = Some(if sign == '+' { 1 } else { -1 });
                    self.distance(s)?;
                }
                Token::Symbol('+' | '-' | ')') if has_number => return None,
                _ => {}
            }
            token = s.take();
        }
        Some(())
    }

    fn is_utc(&self) -> bool {
        self.hours == Some(0) && self.minutes == Some(0)
    }

    /// Tells whether a number can be the next part of a time that has begun.
    fn expects(&self, n: i64) -> bool {
        match self.times.len() {
            1 | 2 => (0..60).contains(&n),
            3 => (0..1000).contains(&n),
            _ => false,
        }
    }

    fn add_time(&mut self, n: i64) -> Option<()> {
        (self.times.len() < 4).then(|| self.times.push(n))
    }

    fn number(&mut self, s: &mut Scanner<'_>, n: i64) -> Option<()> {
        if s.skip(':') {
            if s.skip(':') {
                self.times.is_empty().then_some(())?;
                self.times.extend([n, 0]);
            } else {
                self.add_time(n)?;
                s.skip('.');
            }
        } else if s.skip('.') && self.expects(n) {
            self.add_time(n)?;
            let Token::Number(n, length) = s.take() else { return None };
            self.finish_time(milliseconds(n, length));
        } else if self.hours.is_some() && self.minutes.is_none() && (0..60).contains(&n) {
            self.minutes = Some(n);
        } else if self.expects(n) {
            self.finish_time(n);
            let may_follow = match s.next {
                Token::End | Token::Space | Token::Symbol('+' | '-') => true,
                Token::Word(Word::Zone(_, is_z)) => is_z,
                _ => false,
            };
            may_follow.then_some(())?;
        } else {
            (self.days.len() < 3).then(|| self.days.push(n))?;
            s.skip('-');
        }
        Some(())
    }

    /// Adds the last part of a time.
    fn finish_time(&mut self, n: i64) {
        self.times.push(n);
        self.times.resize(4, 0);
    }

    /// Reads the distance from UTC after its sign.
    fn distance(&mut self, s: &mut Scanner<'_>) -> Option<()> {
        let (mut n, mut length) = (0, 0);
        if let Token::Number(number, digits) = s.next {
            s.take();
            (n, length) = (number, digits);
        }
        if s.next == Token::Symbol(':') {
            (self.hours, self.minutes) = (Some(n), None);
        } else if length == 1 || length == 2 {
            (self.hours, self.minutes) = (Some(n), Some(0));
        } else if length == 3 || length == 4 {
            (self.hours, self.minutes) = (Some(n / 100), Some(n % 100));
        } else {
            return None;
        }
        Some(())
    }

    fn finish(mut self) -> Option<i64> {
        if self.days.is_empty() {
            return None;
        }
        self.days.resize(3, 1);
        self.times.resize(4, 0);
        let [a, b, c] = *self.days.as_slice() else { return None };
        let is_day = |n: i64| (1..=31).contains(&n);
        let (mut year, month, day) = match self.month {
            None if self.is_iso || !is_day(a) => (a, b, c),
            None => (c, a, b),
            Some(month) if !is_day(a) => (a, month, b),
            Some(month) => (b, month, a),
        };
        if !self.is_iso {
            year += match year {
                0..=49 => 2000,
                50..=99 => 1900,
                _ => 0,
            };
        }
        let [mut hour, minute, second, ms] = *self.times.as_slice() else { return None };
        if let Some(half) = self.half {
            (0..=12).contains(&hour).then_some(())?;
            hour = hour % 12 + half;
        }
        let fits = (1..=12).contains(&month) && is_day(day);
        let is_midnight = hour == 24 && minute == 0 && second == 0 && ms == 0;
        let is_time = (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..1000).contains(&ms);
        (fits && (is_time || is_midnight)).then_some(())?;
        let away = self.hours.unwrap_or_default() * 60 + self.minutes.unwrap_or_default();
        let away = self.sign.unwrap_or_default() * away;
        of_parts([year, month - 1, day, hour, minute - away, second, ms])
    }
}

/// Returns the milliseconds of a fraction of so many digits.
fn milliseconds(n: i64, length: usize) -> i64 {
    match length {
        1 => n * 100,
        2 => n * 10,
        _ => {
            let length = u32::try_from(length.min(9)).unwrap_or(9);
            n / 10_i64.pow(length - 3)
        }
    }
}
