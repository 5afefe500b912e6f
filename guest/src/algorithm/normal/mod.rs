//! Normal forms of texts (Unicode, annex 15): letters and their marks apart, or as one character.
//!
//! Known are Latin, Greek, Cyrillic, symbols, kana, ideographs, Hangul and emoji. A text of another
//! script is refused rather than left as it is.

mod table;

use table::{CLASSES, PARTS, WHOLES};

/// A character and its class: 0, or that of a mark.
type Part = (char, u8);

/// Hangul: the first syllable, leading consonant, vowel, and the one before the first trailing
/// consonant; how many vowels and trailing consonants there are, and syllables.
const SYLLABLE: u32 = 0xac00;
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TRAILING: u32 = 0x11a7;
const VOWELS: u32 = 21;
const TRAILINGS: u32 = 28;
const SYLLABLES: u32 = 19 * VOWELS * TRAILINGS;

/// Returns a text with letters and marks apart, or composed again. The error is a character of a
/// script that is not known.
pub(crate) fn normal(text: &str, is_composed: bool) -> Result<String, char> {
    let mut parts: Vec<Part> = Vec::with_capacity(text.len());
    for c in text.chars() {
        if !is_known(c.into()) {
            return Err(c);
        }
        take_apart(c, &mut parts);
    }
    for marks in parts.chunk_by_mut(|a, b| a.1 > 0 && b.1 > 0) {
        marks.sort_by_key(|mark| mark.1);
    }
    if is_composed {
        parts = composed(&parts);
    }
    Ok(parts.into_iter().map(|part| part.0).collect())
}

fn is_known(c: u32) -> bool {
    matches!(c,
        0..=0x482 | 0x488..=0x58f | 0x1100..=0x11ff | 0x1e00..=0x20cf | 0x20f1..=0x2bff
        | 0x2e00..=0x3029 | 0x3030..=0x9fff | 0xac00..=0xd7a3 | 0xe000..=0xf8ff | 0xfe00..=0xfe0f
        | 0xff00..=0xffef | 0x1_f000..=0x1_faff | 0x2_0000..=0x2_f7ff)
}

fn class(c: char) -> u8 {
    let c = u32::from(c);
    if matches!(c, 0x3099 | 0x309a) {
        return 8;
    }
    let at = c.checked_sub(0x300).and_then(|at| usize::try_from(at).ok());
    at.and_then(|at| CLASSES.get(at)).copied().unwrap_or_default()
}

/// The row of a character that is made of others.
fn row(c: char) -> Option<[u16; 3]> {
    let c = u16::try_from(u32::from(c)).ok()?;
    let at = PARTS.binary_search_by_key(&c, |row| row[0]).ok()?;
    PARTS.get(at).copied()
}

fn character(code: u32) -> Option<char> {
    char::from_u32(code).filter(|c| *c != '\0')
}

fn take_apart(c: char, parts: &mut Vec<Part>) {
    let syllable = u32::from(c).wrapping_sub(SYLLABLE);
    if syllable < SYLLABLES {
        let (pair, trailing) = (syllable / TRAILINGS, syllable % TRAILINGS);
        let codes = [LEADING + pair / VOWELS, VOWEL + pair % VOWELS, TRAILING + trailing];
        let count = if trailing == 0 { 2 } else { 3 };
        parts.extend(codes.into_iter().take(count).filter_map(character).map(|c| (c, 0)));
        return;
    }
    let mut marks = Vec::new();
    let mut first = c;
    while let Some([_, before, mark]) = row(first) {
        marks.extend(character(mark.into()));
        first = character(before.into()).unwrap_or(first);
    }
    marks.push(first);
    parts.extend(marks.into_iter().rev().map(|c| (c, class(c))));
}

/// The character that two make.
fn whole(a: char, b: char) -> Option<char> {
    let (first, second) = (u32::from(a), u32::from(b));
    let (leading, vowel) = (first.wrapping_sub(LEADING), second.wrapping_sub(VOWEL));
    if leading < 19 && vowel < VOWELS {
        return character(SYLLABLE + (leading * VOWELS + vowel) * TRAILINGS);
    }
    let (pair, trailing) = (first.wrapping_sub(SYLLABLE), second.wrapping_sub(TRAILING));
    if pair < SYLLABLES && pair.is_multiple_of(TRAILINGS) && (1..TRAILINGS).contains(&trailing) {
        return character(first + trailing);
    }
    let wanted = (u16::try_from(first).ok()?, u16::try_from(second).ok()?);
    let key = |c: &u16| {
        let row = char::from_u32((*c).into()).and_then(row);
        row.map_or((0, 0), |[_, first, second]| (first, second))
    };
    let at = WHOLES.binary_search_by_key(&wanted, key).ok()?;
    character((*WHOLES.get(at)?).into())
}

/// The parts with each mark that can be put to the letter before it.
fn composed(parts: &[Part]) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    // Where the last letter is, and the class of the mark that is the last behind it.
    let (mut letter, mut last) = (None, 0);
    for part in parts {
        let before = letter.and_then(|at: usize| out.get_mut(at));
        // A mark of the same class, or a letter behind a mark, keeps its place.
        let is_free = last == 0 || last < part.1;
        if let Some(before) = before
            && is_free
            && let Some(whole) = whole(before.0, part.0)
        {
            before.0 = whole;
            continue;
        }
        if part.1 == 0 {
            letter = Some(out.len());
        }
        last = part.1;
        out.push(*part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn letters_and_marks() {
        let cases = [
            ("Crème Brûlée", "Cre\u{300}me Bru\u{302}le\u{301}e"),
            ("ṩ", "s\u{323}\u{307}"),
            ("ệ", "e\u{323}\u{302}"),
            ("ΐ", "\u{3b9}\u{308}\u{301}"),
            ("й", "\u{438}\u{306}"),
            ("が", "\u{304b}\u{3099}"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            ("plain", "plain"),
        ];
        for (whole, apart) in cases {
            assert_eq!(normal(whole, false), Ok(apart.to_owned()));
            assert_eq!(normal(apart, true), Ok(whole.to_owned()));
            assert_eq!(normal(whole, true), Ok(whole.to_owned()));
        }
        assert_eq!(normal("s\u{307}\u{323}", true), Ok("ṩ".to_owned()));
        assert_eq!(normal("\u{212b}", true), Ok("Å".to_owned()));
        assert_eq!(normal("ש", true), Err('ש'));
    }
}
