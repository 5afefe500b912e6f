//! Moments as text.

use crate::algorithm::date::letters::{Fields, Letter, Piece, Pieces};
use crate::algorithm::date::moment::Moment;
use crate::algorithm::trouble::Trouble;
use pif_core::hint::Hint;

use pif_core::text::quote::shorten;
use std::fmt::Write as _;

/// The default format of `date_format`.
pub(crate) const FORMAT: &str = "%Y-%m-%dT%H:%M:%SZ";

/// Formats a moment.
pub(crate) fn format(moment: &Moment, format: &str) -> Result<String, Trouble> {
    let mut out = String::with_capacity(format.len());
    write(&Fields::of(moment), format, &mut out)?;
    Ok(out)
}

/// Writes a format. Calls itself for letters that stand for a format; such a format has no such
/// letter.
fn write(fields: &Fields, format: &str, out: &mut String) -> Result<(), Trouble> {
    for piece in Pieces(format) {
        let letter = match piece? {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Letter(letter) => letter,
        };
        let _ = match letter {
            Letter::Number(part) => {
                write!(out, "{:0width$}", fields.get(part.letter), width = part.digits)
            }
            Letter::Filled(part) => write!(out, "{:2}", fields.get(part.letter)),
            Letter::Seconds(part) => write!(out, "{}", fields.get(part.letter)),
            Letter::Name(part, names, is_short) => {
                let at = usize::try_from(fields.get(part.letter) - 1).unwrap_or_default();
                let name = names.get(at).copied().unwrap_or_default();
                out.push_str(if is_short { name.get(..3).unwrap_or(name) } else { name });
                Ok(())
            }
            Letter::Fraction => write!(out, "{:06}", fields.micros),
            Letter::Zone => {
                out.push_str("+0000");
                Ok(())
            }
            Letter::Format(format) => {
                write(fields, format, out)?;
                Ok(())
            }
        };
    }
    Ok(())
}

/// Spellings of other languages with the letters to use here, the longest first.
const SPELLINGS: &[(&str, &str)] = &[
    ("YYYY", "%Y"),
    ("yyyy", "%Y"),
    ("MMMM", "%B"),
    ("dddd", "%A"),
    ("EEEE", "%A"),
    ("MMM", "%b"),
    ("ddd", "%a"),
    ("EEE", "%a"),
    ("SSS", "%f"),
    ("YY", "%y"),
    ("yy", "%y"),
    ("MM", "%m"),
    ("DD", "%d"),
    ("dd", "%d"),
    ("HH", "%H"),
    ("hh", "%I"),
    ("mm", "%M"),
    ("ss", "%S"),
    ("SS", "%S"),
    ("A", "%p"),
];

/// Characters of a format that advice looks at.
const LOOKED_AT: usize = 40;

/// Tells whether a format has no letters, so that it stands for itself.
pub(crate) fn is_bare(format: &str) -> bool {
    !format.contains('%')
}

/// Returns the message and the hint for such a format.
pub(crate) fn doubt(format: &str) -> (String, Hint) {
    let shown = shorten(format);
    let message =
        format!("the format `{shown}` has no letter such as %Y: the result is the format");
    let example = format!(r#"{{"date_format": [n, "{}"]}}"#, in_letters(format));
    (message, Hint::from("write ").example(example))
}

/// Guesses the letters that a format without `%` means: `YYYY-MM-DD` is `%Y-%m-%d`.
pub(crate) fn in_letters(format: &str) -> String {
    let end = format.char_indices().nth(LOOKED_AT).map_or(format.len(), |(end, _)| end);
    let mut rest = format.get(..end).unwrap_or_default();
    // `mm` means minutes only after hours.
    let has_hours = rest.contains(['H', 'h']);
    let mut out = String::new();
    while let Some(c) = rest.chars().next() {
        let known = SPELLINGS.iter().find(|(spelling, _)| rest.starts_with(spelling));
        let (length, letter) = match known {
            Some(("mm", _)) if !has_hours => (2, Some("%m")),
            Some((spelling, letter)) => (spelling.len(), Some(*letter)),
            None => (c.len_utf8(), None),
        };
        let (spelling, after) = rest.split_at(length);
        out.push_str(letter.unwrap_or(spelling));
        rest = after;
    }
    if out.contains('%') { out } else { "%Y-%m-%d".to_owned() }
}
