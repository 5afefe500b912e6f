//! Sets of characters, and which of them tell characters apart.

use regex_syntax::hir;
use std::collections::BTreeMap;

/// A set of characters.
#[derive(Debug)]
pub(crate) struct Class {
    /// In order, not touching.
    ranges: Vec<(u32, u32)>,
    /// Those below 128, a bit each.
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

/// The ranges of a class of the parser.
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

/// Letters: characters that no class tells apart are the same one.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// The letters that the characters of ASCII are.
    pub(crate) ascii: Vec<u16>,
    /// Where letters begin, and which.
    starts: Vec<(u32, u16)>,
    /// Of each letter the classes it is in, a bit each in so many words.
    members: Vec<u64>,
    words: usize,
    /// How many there are.
    pub(crate) letters: usize,
}

/// Letters times possible answers about a place, at most.
const WIDTH: usize = 1 << 11;
/// Work of finding the letters, at most.
const WORK: usize = 1 << 15;

impl Alphabet {
    /// The letters of some classes; nothing if they are too many.
    pub(crate) fn new(classes: &[Class], looks: usize) -> Option<Self> {
        let mut starts = vec![0];
        for (first, last) in classes.iter().flat_map(|class| &class.ranges) {
            starts.extend([*first, last + 1]);
        }
        starts.sort_unstable();
        starts.dedup();
        if starts.len() * classes.len() > WORK || looks > 8 {
            return None;
        }
        let words = classes.len().div_ceil(64);
        let (mut members, mut known) = (Vec::new(), BTreeMap::new());
        let mut lettered = Vec::with_capacity(starts.len());
        for start in starts {
            let mut bits = vec![0_u64; words];
            for (at, class) in classes.iter().enumerate() {
                if class.has(start) {
                    bits.get_mut(at / 64).into_iter().for_each(|word| *word |= 1 << (at % 64));
                }
            }
            let next = u16::try_from(known.len()).ok()?;
            let letter = *known.entry(bits.clone()).or_insert_with(|| {
                members.extend(bits);
                next
            });
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

    /// The letter that a character is.
    pub(crate) fn letter(&self, c: u32) -> usize {
        usize::from(self.ascii.get(c as usize).copied().unwrap_or_else(|| self.find(c)))
    }

    /// Whether a letter is in a class.
    pub(crate) fn is_in(&self, letter: usize, class: u32) -> bool {
        let word = self.members.get(letter * self.words + class as usize / 64);
        word.is_some_and(|word| word >> (class % 64) & 1 == 1)
    }
}
