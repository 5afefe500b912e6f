//! Objects of one kind that are told apart by a number in their headers. Their words are values.

use super::heap::Heap;
use super::word::{KIND_TAGGED, OBJECT, Word, as_small, aux, header, index, pointer, small};

/// A map: root of its tree, number of keys, number of the next key.
pub(crate) const MAP: u32 = 1;
/// A set, with the words of a map.
pub(crate) const SET: u32 = 2;
/// A regular expression of JavaScript: pattern and flags.
pub(crate) const REGEX: u32 = 3;
/// A match of one: the list of the whole and its groups, the index, the text, the record of the named
/// groups or null.
pub(crate) const MATCH: u32 = 4;
/// A date: milliseconds since 1970.
pub(crate) const DATE: u32 = 5;
/// What is not a number: the text that it came from.
pub(crate) const NOT_A_NUMBER: u32 = 6;
/// A branch of a map's tree: a bit of the keys, the side of those without it and with it. Never a
/// value of a program.
pub(crate) const BRANCH: u32 = 16;
/// A key in such a tree: its mark, its number, itself, its value. Never a value of a program.
pub(crate) const LEAF: u32 = 17;
/// The elements of a list that is being sorted. Never a value of a program.
pub(crate) const MERGE: u32 = 18;

impl Heap {
    /// Returns the number of a tagged object, or 0 for any other value.
    #[inline]
    pub(crate) fn tagged(&self, v: Word) -> u32 {
        if self.object_kind(v) == KIND_TAGGED { aux(self.header(v)) } else { 0 }
    }

    /// Makes a tagged object. There must be room for its words and one more.
    pub(crate) fn make_tagged<const N: usize>(&mut self, number: u32, words: [Word; N]) -> Word {
        let at = self.claim(N + 1);
        self.put(at, &[header(KIND_TAGGED, N + 1, number)]);
        self.put(at + 1, &words);
        pointer(at, OBJECT)
    }

    /// Returns the words of a tagged object of so many.
    #[inline]
    pub(crate) fn tagged_words<const N: usize>(&self, v: Word) -> [Word; N] {
        let words = self.words.get(index(v) + 1..).and_then(<[Word]>::first_chunk);
        words.copied().unwrap_or([super::word::UNIT; N])
    }

    /// Returns the list of a match of a regular expression.
    #[inline]
    pub(crate) fn list_of_match(&self, v: Word) -> Option<Word> {
        (self.tagged(v) == MATCH).then(|| self.tagged_words::<1>(v)[0])
    }

    /// Returns the list of a match, and any other value unchanged.
    #[inline]
    pub(crate) fn without_match(&self, v: Word) -> Word {
        self.list_of_match(v).unwrap_or(v)
    }

    /// Returns what a match has under a name: its index, its text, the record of its named groups.
    pub(crate) fn part_of_match(&self, v: Word, name: &str) -> Option<Word> {
        if self.tagged(v) != MATCH {
            return None;
        }
        let [list, index, input, groups] = self.tagged_words(v);
        match name {
            "index" => Some(index),
            "input" => Some(input),
            "groups" => Some(groups),
            "length" => i64::try_from(self.length(list)).ok().map(small),
            _ => None,
        }
    }

    /// Returns the milliseconds of a date.
    #[inline]
    pub(crate) fn date(&self, v: Word) -> Option<i64> {
        (self.tagged(v) == DATE).then(|| as_small(self.tagged_words::<1>(v)[0]))
    }

    /// Makes a value that is not a number, of the text that it came from. There must be room for two
    /// words.
    pub(crate) fn not_a_number(&mut self, text: Word) -> Word {
        self.make_tagged(NOT_A_NUMBER, [text])
    }

    /// Returns the text of a value that is not a number.
    #[inline]
    pub(crate) fn as_no_number(&self, v: Word) -> Option<Word> {
        (self.tagged(v) == NOT_A_NUMBER).then(|| self.tagged_words::<1>(v)[0])
    }
}
