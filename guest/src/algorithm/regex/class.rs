//! Sets of characters, and the letters that they distinguish.

use crate::algorithm::radix;
use regex_syntax::hir;

/// A set of characters.
#[derive(Debug)]
pub(crate) struct Class {
    /// Sorted ranges that do not touch.
    pub(super) ranges: Vec<(u32, u32)>,
    /// The characters below 128, a bit each.
    ascii: u128,
}

impl Class {
    pub(crate) fn new(ranges: Vec<(u32, u32)>) -> Self {
        let mut ascii = 0;
        for (first, last) in &ranges {
            (*first..=(*last).min(127)).for_each(|c| ascii |= 1 << c);
        }
        Self { ranges, ascii }
    }

    pub(crate) fn ranges(&self) -> usize {
        self.ranges.len()
    }

    pub(crate) fn has(&self, c: u32) -> bool {
        if c < 128 {
            return self.ascii >> c & 1 == 1;
        }
        let after = self.ranges.partition_point(|(first, _)| *first <= c);
        after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|(_, last)| c <= *last)
    }
}

/// Returns the ranges of a parsed class.
pub(crate) fn ranges(class: &hir::Class) -> Vec<(u32, u32)> {
    match class {
        hir::Class::Unicode(class) => {
            let ranges = class.ranges().iter();
            ranges.map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        hir::Class::Bytes(class) => {
            let ranges = class.ranges().iter();
            ranges.map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
    }
}

/// Letters: characters that no class distinguishes share a letter.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// The letter of each ASCII character.
    pub(crate) ascii: Vec<u16>,
    /// The first character of each run of one letter.
    starts: Vec<(u32, u16)>,
    /// The classes of each letter, a bit each, in `words` words.
    members: Vec<u64>,
    words: usize,
    /// The number of letters.
    pub(crate) letters: usize,
}

/// Most letters times answers about a place.
const WIDTH: usize = 1 << 11;
/// Most work of finding the letters.
const WORK: usize = 1 << 15;

impl Alphabet {
    /// Finds the letters of some classes. Returns nothing if there are too many.
    pub(crate) fn new(classes: &[Class], looks: usize) -> Option<Self> {
        let mut starts = vec![0];
        for (first, last) in classes.iter().flat_map(|class| &class.ranges) {
            starts.extend([*first, last + 1]);
        }
        radix::sort(&mut starts, |start| u64::from(*start));
        starts.dedup();
        if starts.len() * classes.len() > WORK || looks > 8 {
            return None;
        }
        let words = classes.len().div_ceil(64);
        // The letters in the order of their classes.
        let mut known: Vec<u16> = Vec::new();
        let mut members: Vec<u64> = Vec::new();
        let mut lettered = Vec::with_capacity(starts.len());
        for start in starts {
            let mut bits = vec![0_u64; words];
            for (at, class) in classes.iter().enumerate() {
                if class.has(start) {
                    bits.get_mut(at / 64).into_iter().for_each(|word| *word |= 1 << (at % 64));
                }
            }
            let of = |letter: &u16| {
                let first = usize::from(*letter) * words;
                members.get(first..first + words).unwrap_or_default()
            };
            let letter = match known.binary_search_by(|letter| of(letter).cmp(&bits)) {
                Ok(place) => known.get(place).copied()?,
                Err(place) => {
                    let letter = u16::try_from(known.len()).ok()?;
                    known.insert(place, letter);
                    members.extend(bits);
                    letter
                }
            };
            lettered.push((start, letter));
        }
        let letters = known.len();
        if letters << looks > WIDTH {
            return None;
        }
        let starts = lettered;
        let mut alphabet = Self { ascii: Vec::new(), starts, members, words, letters };
        alphabet.ascii = (0..128).map(|c| alphabet.find(c)).collect();
        Some(alphabet)
    }

    fn find(&self, c: u32) -> u16 {
        let after = self.starts.partition_point(|(start, _)| *start <= c);
        after.checked_sub(1).and_then(|at| self.starts.get(at)).map_or(0, |(_, letter)| *letter)
    }

    /// Returns the letter of a character.
    pub(crate) fn letter(&self, c: u32) -> usize {
        usize::from(self.ascii.get(c as usize).copied().unwrap_or_else(|| self.find(c)))
    }

    /// Tells whether a letter is in a class.
    pub(crate) fn is_in(&self, letter: usize, class: u32) -> bool {
        let word = self.members.get(letter * self.words + class as usize / 64);
        word.is_some_and(|word| word >> (class % 64) & 1 == 1)
    }
}
