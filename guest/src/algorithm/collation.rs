//! The order of texts in a dictionary, as `localeCompare` of JavaScript has it for English: first
//! by letters alone, then by accents, then small letters before capitals. Characters beyond ASCII
//! that are no accented letters follow, by code point.

use std::cmp::Ordering;

/// The characters before the letters, in order.
const SIGNS: &str = "\t\n\u{b}\u{c}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

/// Where letters begin, and characters beyond ASCII.
const LETTERS: u32 = 100;
const OTHERS: u32 = 1000;
/// Stands before the digits of a number that is compared by its value: after signs, before letters.
const NUMBER: u32 = 90;

/// The letter that each character from U+00C0 on is with an accent, and the accent, in order.
const FIRST: u32 = 0xc0;
const BASES: &[u8; 192] = b"AAAAAA.CEEEEIIII.NOOOOO..UUUUY..aaaaaa.ceeeeiiii.nooooo..uuuuy.yAaAaAaCcCcCcCcDd..EeEeEeEeEeGgGgGgGgHh..IiIiIiIiI...JjKk.LlLlLl....NnNnNn...OoOoOo..RrRrRrSsSsSsSsTtTt..UuUuUuUuUuUuWwYyYZzZzZz.";
const ACCENTS: &[u8; 192] = b"badigf.kbadgbadg.ibadig..badga..badigf.kbadgbadg.ibadig..badga.gmmccllaaddjjeeee..mmccjjlleeddccjjkkdd..iimmccllj...ddkk.aakkee....aakkee...mmcchh..aakkeeaaddkkeekkee..iimmccffhhllddddgaajjee.";

/// Accents that stand alone behind their letters, in order.
const MARKS: [u32; 13] =
    [0x301, 0x300, 0x306, 0x302, 0x30c, 0x30a, 0x308, 0x30b, 0x303, 0x307, 0x327, 0x328, 0x304];

/// What a text is compared by: letters first.
#[derive(Default)]
struct Keys {
    letters: Vec<u32>,
    accents: Vec<u8>,
    capitals: Vec<bool>,
}

impl Keys {
    fn of(text: &str, by_value: bool) -> Self {
        let mut keys = Self::default();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if by_value && digits > 0 {
                keys.number(rest.get(..digits).unwrap_or_default());
                rest = rest.get(digits..).unwrap_or_default();
                continue;
            }
            keys.add(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
        keys
    }

    fn number(&mut self, digits: &str) {
        let digits = digits.trim_start_matches('0');
        let length = u32::try_from(digits.len()).unwrap_or(u32::MAX);
        self.letters.extend([NUMBER, length]);
        self.letters.extend(digits.bytes().map(u32::from));
        self.accents.push(0);
        self.capitals.push(false);
    }

    fn add(&mut self, c: char) {
        let code = u32::from(c);
        if let Some(mark) = MARKS.iter().position(|mark| *mark == code) {
            self.accents.push(mark_key(mark));
            return;
        }
        if let Some(place) = SIGNS.chars().position(|sign| sign == c) {
            return self.letter(u32::try_from(place).unwrap_or_default(), false);
        }
        if c.is_ascii_alphabetic() {
            let letter = LETTERS + u32::from(c.to_ascii_lowercase());
            return self.letter(letter, c.is_ascii_uppercase());
        }
        // Control characters count for nothing.
        if c.is_ascii() {
            return;
        }
        let place = code.checked_sub(FIRST).and_then(|place| usize::try_from(place).ok());
        let accented = place.and_then(|place| Some((*BASES.get(place)?, *ACCENTS.get(place)?)));
        match accented.filter(|(base, _)| base.is_ascii_alphabetic()) {
            Some((base, accent)) => {
                self.add(char::from(base));
                self.accents.push(mark_key(usize::from(accent - b'a')));
            }
            None => self.letter(OTHERS + code, false),
        }
    }

    fn letter(&mut self, letter: u32, is_capital: bool) {
        self.letters.push(letter);
        self.accents.push(0);
        self.capitals.push(is_capital);
    }
}

fn mark_key(mark: usize) -> u8 {
    u8::try_from(mark + 1).unwrap_or(u8::MAX)
}

/// Orders two texts; `by_value` orders the numbers in them by their values.
pub(crate) fn order(a: &str, b: &str, by_value: bool) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let (a, b) = (Keys::of(a, by_value), Keys::of(b, by_value));
    let by_letters = a.letters.cmp(&b.letters).then_with(|| a.accents.cmp(&b.accents));
    by_letters.then_with(|| a.capitals.cmp(&b.capitals))
}
