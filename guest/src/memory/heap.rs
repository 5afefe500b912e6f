//! The heap: words, and the objects in them. `room` grows and collects it.

use crate::memory::word::{
    CONS, KIND_BIG, KIND_FLOAT, KIND_TEXT, MAX_RUN, NIL, OBJECT, PAIR, ROPE, UNIT, Word, aux,
    end_of_run, fit, header, index, is_integer, is_list, kind, left_in_run, pointer, rest_of_run,
    run, size, tag, within,
};
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;
use std::cell::Cell;

/// A pending call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Operation to continue at.
    pub(crate) pc: u32,
    /// First slot of the caller.
    pub(crate) base: u32,
    /// Heap index of the caller's closure, or `NO_CLOSURE`.
    pub(crate) closure: u32,
    /// Pending evaluations of the caller.
    pub(crate) depth: u32,
}

/// Marks a frame whose code captures nothing.
pub(crate) const NO_CLOSURE: u32 = u32::MAX;

/// The memory limit leaves no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Keys whose places are remembered.
pub(super) const FOUND: usize = 16;

/// The objects of one machine.
#[derive(Debug)]
pub(crate) struct Heap {
    /// The half in use, up to `top`. It grows when needed.
    pub(crate) words: Vec<Word>,
    /// Words of this half that count against the limit. It may fill them without a collection.
    pub(super) size: usize,
    /// The other half, and its words that count.
    pub(super) spare: Vec<Word>,
    pub(super) spare_size: usize,
    /// Below this size the heap grows instead of collecting.
    pub(super) nursery: usize,
    /// That bound for a heap whose first values have just been read.
    pub(super) fresh: usize,
    /// Whether growth outside the heap has made the words in use more than a half.
    pub(crate) is_crowded: bool,
    /// Words saved by runs among the values read first.
    pub(super) spared: usize,
    /// The next free word.
    pub(crate) top: usize,
    /// Words of the heap, the stack and the frames together.
    pub(crate) limit: usize,
    /// Words of the stack and the frames.
    pub(crate) outside: usize,
    /// Peak of words in use.
    pub(crate) peak: usize,
    /// The keys of a large record.
    pub(super) index: Index,
    /// The list read or counted last, and its length. A collection clears it, since lists move.
    pub(crate) counted: (Word, usize),
    /// The key of a tree that was looked for last: the tree, the key, and where it is. A collection
    /// clears it, too.
    pub(crate) sought: Cell<Option<(Word, Word, Sought)>>,
    /// Places of the keys found last, by the places of the keys that were asked for.
    pub(super) found: [u32; FOUND],
}

/// An index of the record whose key was looked up last.
#[derive(Debug)]
pub(crate) struct Index {
    pub(super) record: Word,
    /// Look-ups before the table.
    pub(super) looked_up: usize,
    /// Empty, or a power of two of places. A place holds the upper half of a key's hash and, below
    /// it, its member's number, from 1 on. A free place is 0.
    pub(super) table: Vec<u64>,
}

/// Where a key of a tree is, or where it belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought {
    pub(crate) leaf: Option<Word>,
    /// The first bit that differs from the nearest key.
    pub(crate) differs: u64,
    /// Branches on the way.
    pub(crate) depth: usize,
}

impl Default for Index {
    fn default() -> Self {
        Self { record: UNIT, looked_up: 0, table: Vec::new() }
    }
}

impl Heap {
    /// Claims `n` words. There must be room.
    #[inline(always)]
    pub(crate) fn claim(&mut self, n: usize) -> usize {
        let at = self.top;
        self.top += n;
        at
    }

    /// Returns the two words at an index.
    #[inline(always)]
    pub(crate) fn cell(&self, at: usize) -> [Word; 2] {
        let at = within(at);
        self.words.get(at..at + 2).and_then(|cell| cell.try_into().ok()).unwrap_or([NIL; 2])
    }

    /// Returns the first element and the rest of a list that is not empty.
    #[inline(always)]
    pub(crate) fn next(&self, list: Word) -> [Word; 2] {
        match rest_of_run(list) {
            Some(rest) => [self.word(index(list)), rest],
            None => self.cell(index(list)),
        }
    }

    /// Returns the halves of a pair, or the elements of a list of two.
    pub(crate) fn halves(&self, v: Word) -> Option<[Word; 2]> {
        if tag(v) == PAIR {
            return Some(self.cell(index(v)));
        }
        let next = |list| (tag(list) == CONS).then(|| self.next(list));
        let [first, rest] = next(v)?;
        let [second, end] = next(rest)?;
        (end == NIL).then_some([first, second])
    }

    /// Returns the halves of a pair, or the first two elements of a list. What a list lacks is null.
    pub(crate) fn entry(&self, v: Word) -> Option<[Word; 2]> {
        let v = self.without_match(v);
        if tag(v) == PAIR {
            return Some(self.cell(index(v)));
        }
        let next = |list| if tag(list) == CONS { self.next(list) } else { [UNIT, NIL] };
        let [first, rest] = next(v);
        is_list(v).then(|| [first, next(rest)[0]])
    }

    /// Returns the word at an index.
    #[inline(always)]
    pub(crate) fn word(&self, at: usize) -> Word {
        self.words.get(at).copied().unwrap_or_default()
    }

    /// Writes into claimed words.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: usize, words: &[Word]) {
        if let Some(slots) = self.words.get_mut(at..at + words.len()) {
            slots.copy_from_slice(words);
        }
    }

    /// Makes an object of two words. There must be room.
    #[inline(always)]
    pub(crate) fn two(&mut self, a: Word, b: Word, tag: u64) -> Word {
        let at = self.claim(2);
        self.put(at, &[a, b]);
        pointer(at, tag)
    }

    /// Makes a list of two values. There must be room for 4 words.
    pub(crate) fn list_of_two(&mut self, a: Word, b: Word) -> Word {
        let at = self.claim(4);
        self.put(at, &[a, pointer(at + 2, CONS), b, NIL]);
        pointer(at, CONS)
    }

    /// Returns the header of an object.
    pub(crate) fn header(&self, v: Word) -> Word {
        self.word(index(v))
    }

    /// Returns the kind of an `OBJECT`, or 0 for any other value.
    pub(crate) fn object_kind(&self, v: Word) -> u64 {
        if tag(v) == OBJECT { kind(self.header(v)) } else { 0 }
    }

    /// Counts the words of a text of so many bytes.
    pub(crate) fn text_words(bytes: usize) -> usize {
        2 + bytes.div_ceil(8)
    }

    /// Tells whether a value is a text.
    #[inline]
    pub(crate) fn is_text(&self, v: Word) -> bool {
        tag(v) == ROPE || self.object_kind(v) == KIND_TEXT
    }

    /// Returns the bytes and characters of a text.
    #[inline]
    pub(crate) fn text_size(&self, v: Word) -> Option<(u64, u64)> {
        let size = self.text_word(v)?;
        Some((size >> 32, (size & 0xffff_ffff) >> 1))
    }

    /// Returns the size of a text as a rope's first word: bytes in the upper half, twice the
    /// characters in the lower. The sizes of two texts add up to that of their join.
    #[inline(always)]
    pub(crate) fn text_word(&self, v: Word) -> Option<Word> {
        // One test covers both tags. Two would become a jump table.
        let [head, chars] = if tag(v) | 2 == ROPE | 2 { self.cell(index(v)) } else { return None };
        if v & 2 == ROPE & 2 {
            return Some(head);
        }
        (kind(head) == KIND_TEXT).then_some(head >> 32 << 32 | chars << 1)
    }

    /// Returns the characters of a text.
    #[inline(never)]
    pub(crate) fn string(&self, v: Word) -> String {
        self.prefix(v, usize::MAX)
    }

    /// Returns the beginning of a text: `wanted` bytes or more, up to the end of a piece.
    #[inline(never)]
    pub(crate) fn prefix(&self, v: Word, wanted: usize) -> String {
        let bytes = self.text_size(v).map_or(0, |(bytes, _)| bytes);
        let bytes = usize::try_from(bytes).unwrap_or_default();
        let mut bytes = Vec::with_capacity(bytes.min(wanted) + 8);
        self.write_text(v, wanted, &mut bytes);
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Makes a float. There must be room for 2 words.
    pub(crate) fn float(&mut self, n: f64) -> Word {
        let at = self.claim(2);
        self.put(at, &[header(KIND_FLOAT, 2, 0), n.to_bits()]);
        pointer(at, OBJECT)
    }

    /// Returns the float of an `OBJECT` of that kind.
    pub(crate) fn as_float(&self, v: Word) -> Option<f64> {
        (self.object_kind(v) == KIND_FLOAT).then(|| f64::from_bits(self.word(index(v) + 1)))
    }

    /// Returns a float that is infinite.
    pub(crate) fn as_infinity(&self, v: Word) -> Option<f64> {
        self.as_float(v).filter(|n| n.is_infinite())
    }

    /// Counts the words of an integer.
    pub(crate) fn integer_words(n: &BigInt) -> usize {
        1 + n.iter_u64_digits().len()
    }

    /// Makes an integer, in the word itself if it fits. There must be room for `integer_words`.
    pub(crate) fn integer(&mut self, n: &BigInt) -> Word {
        if let Some(word) = n.to_i64().and_then(fit) {
            return word;
        }
        let words = Self::integer_words(n);
        let at = self.claim(words);
        let negative = u32::from(n.sign() == Sign::Minus);
        self.put(at, &[header(KIND_BIG, words, negative)]);
        for (slot, limb) in self.words.iter_mut().skip(at + 1).zip(n.iter_u64_digits()) {
            *slot = limb;
        }
        pointer(at, OBJECT)
    }

    /// Returns the limbs of a big integer and whether it is negative.
    pub(crate) fn limbs(&self, v: Word) -> Option<(&[u64], bool)> {
        let head = self.header(v);
        if tag(v) != OBJECT || kind(head) != KIND_BIG {
            return None;
        }
        let limbs = self.words.get(index(v) + 1..index(v) + size(head))?;
        Some((limbs, aux(head) & 1 == 1))
    }

    /// Reverses a list in place. Nothing else may refer to it.
    pub(crate) fn reverse(&mut self, list: Word) -> Word {
        let (mut rest, mut reversed) = (list, NIL);
        while tag(rest) == CONS {
            let (at, left) = (index(rest), left_in_run(rest).max(1));
            self.words.get_mut(at..at + left).unwrap_or_default().reverse();
            let next = self.word(at + left);
            self.put(at + left, &[reversed]);
            (reversed, rest) = (rest, next);
        }
        reversed
    }

    /// Counts the elements of a list.
    pub(crate) fn length(&self, list: Word) -> usize {
        if list == self.counted.0 {
            return self.counted.1;
        }
        self.after(list, usize::MAX).1
    }

    /// Skips up to `wanted` elements of a list. Returns the rest and how many it skipped.
    pub(crate) fn after(&self, list: Word, wanted: usize) -> (Word, usize) {
        let (mut rest, mut passed) = (list, 0);
        while passed < wanted && tag(rest) == CONS {
            let (left, more) = (left_in_run(rest), wanted - passed);
            if left > more {
                return (run(index(rest) + more, left - more), wanted);
            }
            passed += left.max(1);
            rest = self.word(index(rest) + left.max(1));
        }
        (rest, passed)
    }

    /// Returns the elements of a list.
    pub(crate) fn elements(&self, list: Word) -> Vec<Word> {
        self.elements_of(list, self.length(list))
    }

    /// Returns the elements of a list, at most `n`.
    pub(crate) fn elements_of(&self, list: Word, n: usize) -> Vec<Word> {
        let (mut rest, mut elements) = (list, Vec::with_capacity(n));
        while elements.len() < n && tag(rest) == CONS {
            let (at, left) = (index(rest), left_in_run(rest).max(1));
            let taken = left.min(n - elements.len());
            elements.extend_from_slice(self.words.get(at..at + taken).unwrap_or_default());
            rest = self.word(at + left);
        }
        elements
    }

    /// Counts the words of a list of these elements.
    pub(crate) fn list_words(elements: &[Word]) -> usize {
        let n = elements.len();
        let is_run = n > 2 && n <= MAX_RUN && elements.iter().all(|element| is_integer(*element));
        if is_run { n + 2 } else { 2 * n }
    }

    /// Makes a list of those elements of a list that have these indices. There must be room for two
    /// words for each.
    pub(crate) fn select(&mut self, list: Word, indices: &[u32]) -> Word {
        let elements = self.elements(list);
        let element = |i: &u32| elements.get(*i as usize).copied().unwrap_or_default();
        self.list(indices.iter().map(element))
    }

    /// Makes a list of these elements, which are on the heap. There must be room for `list_words`.
    pub(crate) fn list(
        &mut self,
        elements: impl DoubleEndedIterator<Item = Word> + ExactSizeIterator + Clone,
    ) -> Word {
        self.list_before(elements, NIL)
    }

    /// Makes a list of these elements, followed by `rest`. There must be room for `list_words`.
    pub(crate) fn list_before(
        &mut self,
        elements: impl DoubleEndedIterator<Item = Word> + ExactSizeIterator + Clone,
        rest: Word,
    ) -> Word {
        let n = elements.len();
        // Two integers take as many words in a run as in cells.
        if n <= 2 || n > MAX_RUN || !elements.clone().all(is_integer) {
            return elements.rev().fold(rest, |rest, first| self.two(first, rest, CONS));
        }
        let at = self.claim(n + 2);
        let slots = self.words.get_mut(at..).unwrap_or_default();
        slots.iter_mut().zip(elements).for_each(|(slot, integer)| *slot = integer);
        self.put(at + n, &[rest, end_of_run(n)]);
        run(at, n)
    }

    /// Returns the words after the header of an object.
    pub(crate) fn parts(&self, v: Word) -> &[Word] {
        let at = index(v);
        self.words.get(at + 1..at + size(self.header(v))).unwrap_or_default()
    }
}
