//! Values as tagged 64-bit words.
//!
//! An even word is a 63-bit integer. An odd word has a 4-bit tag: the heap index of an object in
//! the 32 bits above it, or an immediate. Object headers are immediates too, so every word of the
//! heap is a valid value and the collector can walk it word by word.
//!
//! A list begins with a cell of two words, its first element and the rest, or in a run: integers one
//! after another, then the rest of the list, then how many of them are needed (compact lists after
//! Hansen, CACM 12(9), 1969). How many integers of the run are left stands in the word that points
//! there, so what comes next is found without a look at the heap, and so is the end of the run.

/// A value, or a header on the heap.
pub(crate) type Word = u64;

pub(crate) const CONS: u64 = 1;
pub(crate) const PAIR: u64 = 3;
pub(crate) const CLOSURE: u64 = 5;
pub(crate) const PARTIAL: u64 = 7;
pub(crate) const ROPE: u64 = 9;
/// Any other object; its header says which.
pub(crate) const OBJECT: u64 = 11;
pub(crate) const IMMEDIATE: u64 = 13;
/// Left behind by the collector: where the object went.
pub(crate) const FORWARD: u64 = 15;

/// Kinds of immediates: bits 4 to 7.
pub(crate) const KIND_QUOTED: u64 = 5;
/// Ends a run.
const KIND_RUN: u64 = 6;
pub(crate) const KIND_CLOSURE: u64 = 8;
pub(crate) const KIND_PARTIAL: u64 = 9;
pub(crate) const KIND_RECORD: u64 = 10;
pub(crate) const KIND_CONTINUATION: u64 = 11;
/// From this kind on the words after the header are no values.
pub(crate) const KIND_RAW: u64 = 12;
pub(crate) const KIND_TEXT: u64 = 12;
pub(crate) const KIND_BIG: u64 = 13;
pub(crate) const KIND_FLOAT: u64 = 14;

/// Words of the largest object.
pub(crate) const MAX_OBJECT: usize = (1 << 24) - 1;

const fn immediate(kind: u64, payload: u64) -> Word {
    payload << 8 | kind << 4 | IMMEDIATE
}

pub(crate) const NIL: Word = immediate(0, 0);
pub(crate) const FALSE: Word = immediate(1, 0);
pub(crate) const TRUE: Word = immediate(2, 0);
pub(crate) const UNIT: Word = immediate(3, 0);
/// An argument slot whose argument has been used; never a value of a program.
pub(crate) const HOLE: Word = immediate(4, 0);

#[inline(always)]
pub(crate) fn tag(v: Word) -> u64 {
    v & 15
}

#[inline(always)]
pub(crate) fn kind(v: Word) -> u64 {
    v >> 4 & 15
}

#[inline(always)]
pub(crate) fn is_integer(v: Word) -> bool {
    v & 1 == 0
}

/// Heap index of an object.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the index is 32 bits of the word")]
pub(crate) fn index(v: Word) -> usize {
    (v >> 4) as u32 as usize
}

/// The sum of two words that are small integers, if it is one.
#[inline(always)]
pub(crate) fn plus(x: Word, y: Word) -> Option<Word> {
    let z = x.wrapping_add(y);
    // The sign of a sum that overflows is that of neither operand. It is looked at where the lowest
    // bits of the operands are.
    let fits = (((x ^ z) & (y ^ z)).rotate_left(1) | x | y) & 1 == 0;
    fits.then_some(z)
}

/// The same index, known to be one of a word: no vector of words has more than these bits can
/// count. A few added to it are seen not to overflow, which is a test less where words are sliced.
#[inline(always)]
pub(crate) fn within(index: usize) -> usize {
    index & isize::MAX.unsigned_abs() >> 3
}

/// Points to the object at a heap index.
#[inline(always)]
pub(crate) fn pointer(index: usize, tag: u64) -> Word {
    (index as u64) << 4 | tag
}

/// The bit of a list from which on it says how many integers of a run are left, or 0 for a cell.
const LEFT: u32 = 36;
/// Integers of the longest run.
pub(crate) const MAX_RUN: usize = (1 << 28) - 1;

/// The list that begins with these many integers of a run, of which the first is at an index.
#[inline(always)]
pub(crate) fn run(index: usize, left: usize) -> Word {
    (left as u64) << LEFT | pointer(index, CONS)
}

/// How many integers of a run are left at the beginning of a list; 0 if it begins with a cell.
#[inline(always)]
pub(crate) fn left_in_run(list: Word) -> usize {
    (list >> LEFT) as usize
}

/// The list without its first element, if that is not the last of its run and no cell's.
#[inline(always)]
pub(crate) fn rest_of_run(list: Word) -> Option<Word> {
    (list >= 2 << LEFT).then(|| list - (1 << LEFT) + (1 << 4))
}

/// The last word of a run of which so many integers are needed: all at first, then as many as are
/// left in the longest list that the collector has found to begin there.
#[inline(always)]
pub(crate) fn end_of_run(needed: usize) -> Word {
    immediate(KIND_RUN, needed as u64)
}

/// How many integers are needed of the run with this last word.
#[inline(always)]
pub(crate) fn needed_of_run(end: Word) -> usize {
    (end >> 8) as usize
}

/// The integer in a word; only 63 bits fit.
#[inline(always)]
pub(crate) fn small(n: i64) -> Word {
    (n << 1).cast_unsigned()
}

/// The integer as a word, if it fits in 63 bits.
#[inline(always)]
pub(crate) fn fit(n: i64) -> Option<Word> {
    let word = small(n);
    (as_small(word) == n).then_some(word)
}

#[inline(always)]
pub(crate) fn as_small(v: Word) -> i64 {
    v.cast_signed() >> 1
}

#[inline(always)]
pub(crate) fn boolean(b: bool) -> Word {
    if b { TRUE } else { FALSE }
}

/// Header of an object of `size` words; `aux` is 32 bits of the kind's own.
#[inline(always)]
pub(crate) fn header(kind: u64, size: usize, aux: u32) -> Word {
    immediate(kind, (size as u64) | u64::from(aux) << 24)
}

/// Words of the object with this header.
#[inline(always)]
pub(crate) fn size(header: Word) -> usize {
    (header >> 8) as usize & MAX_OBJECT
}

/// The kind's own 32 bits of a header.
#[inline(always)]
pub(crate) fn aux(header: Word) -> u32 {
    (header >> 32) as u32
}

/// A quoted term; `tool` is the tool in whose context it is evaluated, counted from 1, or 0.
pub(crate) fn quoted(term: u32, tool: u32) -> Word {
    immediate(KIND_QUOTED, u64::from(tool) | u64::from(term) << 24)
}

/// Whether a value is a list.
#[inline(always)]
pub(crate) fn is_list(v: Word) -> bool {
    tag(v) == CONS || v == NIL
}

/// Whether a value is a function.
#[inline(always)]
pub(crate) fn is_function(v: Word) -> bool {
    matches!(tag(v), CLOSURE | PARTIAL)
}
