//! Reads dates by a pattern.

use crate::algorithm::date::format::{in_letters, is_bare};
use crate::algorithm::date::letters::{Fields, Letter, Part, Piece, Pieces};
use crate::algorithm::date::moment::{Civil, DAY, Moment, beyond};
use crate::algorithm::date::read::{Read, Reader, Wrong, of_month};
use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::Trouble;

use pif_core::fault::Code;

use num_bigint::BigUint;
use pif_core::text::quote::shorten;

/// Parses a date by a pattern. Returns its seconds.
pub(crate) fn parse_as(text: &str, pattern: &str) -> Result<Number, Trouble> {
    if is_bare(pattern) {
        let hint = format!("write the pattern in letters: {}", in_letters(pattern));
        return Err(refuse(pattern, "has no letter such as %Y", hint));
    }
    let mut reader = Reader { rest: text };
    let mut found = Found { numbers: [None; LETTERS.len()], fraction: "", east: None };
    found.read(&mut reader, pattern, text)?;
    reader.end().map_err(|wrong| wrong.of(text))?;
    found.resolve(pattern, text)?.number()
}

/// The fault of a pattern that says too little.
fn refuse(pattern: &str, what: &str, hint: String) -> Trouble {
    let message = format!("the pattern `{}` {what}", shorten(pattern));
    Trouble::with_hint(Code::OutOfRange, message, hint)
}

/// The letters of numbers.
const LETTERS: [char; 15] =
    ['Y', 'y', 'm', 'd', 'j', 'G', 'V', 'u', 'U', 'H', 'I', 'p', 'M', 'S', 's'];

/// The parts read so far.
struct Found<'t> {
    /// The numbers, in the order of their letters, each with its name.
    numbers: [Option<(i64, &'static str)>; LETTERS.len()],
    fraction: &'t str,
    /// Seconds by which the offset is ahead of UTC.
    east: Option<i64>,
}

impl<'t> Found<'t> {
    /// Reads by a pattern. Calls itself for letters that stand for a format; such a format has no
    /// such letter.
    fn read(&mut self, reader: &mut Reader<'t>, pattern: &str, text: &str) -> Result<(), Trouble> {
        for piece in Pieces(pattern) {
            let read = match piece? {
                Piece::Text(literal) => Self::literal(reader, literal),
                Piece::Letter(Letter::Format(format)) => {
                    self.read(reader, format, text)?;
                    Ok(())
                }
                Piece::Letter(letter) => self.letter(reader, &letter),
            };
            read.map_err(|wrong| wrong.of(text))?;
        }
        Ok(())
    }

    fn literal(reader: &mut Reader<'t>, literal: &str) -> Result<(), Wrong> {
        if reader.skip(literal) {
            return Ok(());
        }
        let found = reader.found(literal.chars().take(40).count());
        Err(format!("the pattern has `{}`, but the text has {found}", shorten(literal)).into())
    }

    fn letter(&mut self, reader: &mut Reader<'t>, letter: &Letter) -> Result<(), Wrong> {
        match letter {
            Letter::Number(part) => {
                // Years need all their digits.
                let is_year = matches!(part.letter, 'Y' | 'y' | 'G');
                let n = reader.digits(part, if is_year { part.digits } else { 1 })?;
                self.note(part, n)
            }
            Letter::Filled(part) => {
                reader.skip(" ");
                let n = reader.digits(part, 1)?;
                self.note(part, n)
            }
            Letter::Seconds(part) => {
                let is_negative = reader.skip("-");
                let n = reader.digits(part, 1)?;
                self.note(part, if is_negative { -n } else { n })
            }
            Letter::Name(part, names, _) => {
                let n = name(reader, part, names)?;
                self.note(part, n)
            }
            Letter::Fraction => {
                self.fraction = reader.fraction()?;
                Ok(())
            }
            Letter::Zone => {
                let found = reader.found(1);
                let east = reader.zone()?;
                self.east = east.or(self.east);
                match east {
                    Some(_) => Ok(()),
                    None => Err(format!("the offset must stand there, not {found}").into()),
                }
            }
            Letter::Format(_) => Ok(()),
        }
    }

    /// Notes a number. A second, different number for a part is a fault.
    fn note(&mut self, part: &Part, n: i64) -> Result<(), Wrong> {
        let slots = LETTERS.iter().zip(&mut self.numbers);
        for (_, slot) in slots.filter(|(letter, _)| **letter == part.letter) {
            match slot.replace((n, part.name)) {
                Some((other, name)) if other != n => {
                    return Err(format!("the {name} is {other} and {n}").into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn get(&self, letter: char) -> Option<i64> {
        let at = LETTERS.iter().position(|it| *it == letter)?;
        self.numbers.get(at).copied().flatten().map(|(n, _)| n)
    }

    /// Returns the moment. All the parts read must agree with it.
    fn resolve(&self, pattern: &str, text: &str) -> Result<Read<'t>, Trouble> {
        let wrong = |wrong: Wrong| wrong.of(text);
        let east = self.east.unwrap_or_default();
        let local = if let Some(second) = self.get('s') {
            second + east
        } else {
            let Some(days) = self.days().map_err(wrong)? else {
                let hint = "give %Y, %y, %F, %s, or %G with %V".to_owned();
                return Err(refuse(pattern, "does not say the year", hint));
            };
            let Some(hour) = self.hour() else {
                let hint = "give both of %I and %p, or %H".to_owned();
                return Err(refuse(pattern, "does not say the hour", hint));
            };
            let [minute, second] = ['M', 'S'].map(|it| self.get(it).unwrap_or_default());
            days * DAY + hour * 3600 + minute * 60 + second
        };
        let moment = Moment { second: local, rest: BigUint::ZERO };
        let year = moment.civil().year;
        if !(1..=9999).contains(&year) {
            return Err(beyond());
        }
        let fields = Fields::of(&moment);
        for (letter, found) in LETTERS.iter().zip(&self.numbers) {
            let is = if *letter == 's' { local - east } else { fields.get(*letter) };
            if let Some((n, name)) = found
                && *n != is
            {
                let what = format!("the {name} is {n}, but the other parts make it {is}");
                return Err(wrong(what.into()));
            }
        }
        Ok(Read { year, second: local - east, fraction: self.fraction })
    }

    /// Returns the days since 1970, if a year was read.
    fn days(&self) -> Result<Option<i64>, Wrong> {
        let century = |year| year + if year < 69 { 2000 } else { 1900 };
        let year = self.get('Y').or_else(|| self.get('y').map(century));
        let [month, day, of_year] = ['m', 'd', 'j'].map(|letter| self.get(letter));
        let first = |year| Civil { year, month: 1, day: 1 }.days();
        if let (Some(year), Some(week), None, None, None) =
            (self.get('G'), self.get('V'), month, day, of_year)
        {
            // The week of January 4 is the first. 1970 began on a Thursday.
            let fourth = first(year) + 3;
            let monday = fourth - (fourth + 3).rem_euclid(7);
            return Ok(Some(monday + 7 * (week - 1) + self.get('u').unwrap_or(1) - 1));
        }
        let Some(year) = year else { return Ok(None) };
        if let (Some(of_year), None, None) = (of_year, month, day) {
            let last = first(year + 1) - first(year);
            if of_year > last {
                return Err(format!("the year {year:04} has {last} days, not {of_year}").into());
            }
            return Ok(Some(first(year) + of_year - 1));
        }
        let civil = Civil { year, month: month.unwrap_or(1), day: day.unwrap_or(1) };
        Ok(Some(of_month(civil)?.days()))
    }

    /// Returns the hour of the day, 0 if no part of it was read.
    fn hour(&self) -> Option<i64> {
        match (self.get('H'), self.get('I'), self.get('p')) {
            (Some(hour), _, _) => Some(hour),
            (None, Some(hour), Some(half)) => Some(hour % 12 + 12 * (half - 1)),
            (None, None, None) => Some(0),
            _ => None,
        }
    }
}

/// Reads a name, in full or by its first three letters. Returns its number.
fn name(reader: &mut Reader<'_>, part: &Part, names: &[&str]) -> Result<i64, Wrong> {
    for (name, n) in names.iter().zip(1..) {
        let short = name.get(..3).unwrap_or(name);
        for spelling in [name, short] {
            if let Some((start, rest)) = reader.rest.split_at_checked(spelling.len())
                && start.eq_ignore_ascii_case(spelling)
            {
                reader.rest = rest;
                return Ok(n);
            }
        }
    }
    let (found, such) = (reader.found(9), names.first().copied().unwrap_or_default());
    Err(format!("the {} must be a name such as {such}, not {found}", part.name).into())
}
