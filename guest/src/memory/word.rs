//! Values as tagged 64-bit words.
//!
//! An even word is a 63-bit integer. An odd word has a 4-bit tag: the heap index of an object in
//! the 32 bits above it, or an immediate. Object headers are immediates too, so every word of the
//! heap is a valid value and the collector can walk it word by word.
//!
//! A list begins with a cell or in a run. A cell is two words: first element and rest. A run is
//! integers one after another, then the rest of the list, then how many integers are needed
//! (compact lists after Hansen, CACM 12(9), 1969). The word that points into a run holds how many
//! integers are left. So the next element and the end of the run are found without reading the
//! heap.

/// A value, or a header on the heap.
pub(crate) type Word = u64;

pub(crate) const CONS: u64 = 1;
pub(crate) const PAIR: u64 = 3;
pub(crate) const CLOSURE: u64 = 5;
pub(crate) const PARTIAL: u64 = 7;
pub(crate) const ROPE: u64 = 9;
/// Any other object. Its header holds its kind.
pub(crate) const OBJECT: u64 = 11;
pub(crate) const IMMEDIATE: u64 = 13;
/// Left by the collector: the object's new place.
pub(crate) const FORWARD: u64 = 15;

/// Kinds of immediates: bits 4 to 7.
pub(crate) const KIND_QUOTED: u64 = 5;
/// Ends a run.
const KIND_RUN: u64 = 6;
/// The kinds of objects that `tagged` tells apart.
pub(crate) const KIND_TAGGED: u64 = 7;
pub(crate) const KIND_CLOSURE: u64 = 8;
pub(crate) const KIND_PARTIAL: u64 = 9;
pub(crate) const KIND_RECORD: u64 = 10;
pub(crate) const KIND_CONTINUATION: u64 = 11;
/// From this kind on, the words after the header are not values.
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
/// An argument slot whose argument is used up. Never a value of a program.
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

/// Returns the heap index of an object.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the index is 32 bits of the word")]
pub(crate) fn index(v: Word) -> usize {
    (v >> 4) as u32 as usize
}

/// Adds two words if both are small integers and the sum is one.
#[inline(always)]
pub(crate) fn plus(x: Word, y: Word) -> Option<Word> {
    let z = x.wrapping_add(y);
    // An overflowing sum differs in sign from both operands. The rotation moves the sign to the bit
    // that tags the operands.
    let fits = (((x ^ z) & (y ^ z)).rotate_left(1) | x | y) & 1 == 0;
    fits.then_some(z)
}

/// Masks an index to the bits that a vector of words can have, which changes no valid index. The
/// compiler then sees that small additions cannot overflow, which saves a test for each slice.
#[inline(always)]
pub(crate) fn within(index: usize) -> usize {
    index & isize::MAX.unsigned_abs() >> 3
}

/// Returns a pointer to the object at a heap index.
#[inline(always)]
pub(crate) fn pointer(index: usize, tag: u64) -> Word {
    (index as u64) << 4 | tag
}

/// First bit of a list's count of integers left in its run. The count is 0 for a cell.
const LEFT: u32 = 36;
/// Integers of the longest run.
pub(crate) const MAX_RUN: usize = (1 << 28) - 1;

/// Returns the list that begins with `left` integers of a run, the first one at `index`.
#[inline(always)]
pub(crate) fn run(index: usize, left: usize) -> Word {
    (left as u64) << LEFT | pointer(index, CONS)
}

/// Counts the integers left in the run at the beginning of a list; 0 for a cell.
#[inline(always)]
pub(crate) fn left_in_run(list: Word) -> usize {
    (list >> LEFT) as usize
}

/// Returns a list without its first element, unless that is a cell's or the last of a run.
#[inline(always)]
pub(crate) fn rest_of_run(list: Word) -> Option<Word> {
    (list >= 2 << LEFT).then(|| list - (1 << LEFT) + (1 << 4))
}

/// Returns the last word of a run of which `needed` integers are needed: all at first, then the
/// longest list that the collector has found in it.
#[inline(always)]
pub(crate) fn end_of_run(needed: usize) -> Word {
    immediate(KIND_RUN, needed as u64)
}

/// Returns the needed integers of the run with this last word.
#[inline(always)]
pub(crate) fn needed_of_run(end: Word) -> usize {
    (end >> 8) as usize
}

/// Returns an integer's word. Only 63 bits fit.
#[inline(always)]
pub(crate) fn small(n: i64) -> Word {
    (n << 1).cast_unsigned()
}

/// Returns an integer's word if it fits in 63 bits.
#[inline(always)]
pub(crate) fn fit(n: i64) -> Option<Word> {
    let word = small(n);
    (as_small(word) == n).then_some(word)
}

/// Returns the integer of a count of what is in memory. It always fits.
pub(crate) fn count(n: u64) -> Word {
    small(n.cast_signed())
}

#[inline(always)]
pub(crate) fn as_small(v: Word) -> i64 {
    v.cast_signed() >> 1
}

#[inline(always)]
pub(crate) fn boolean(b: bool) -> Word {
    if b { TRUE } else { FALSE }
}

/// Returns the header of an object of `size` words. `aux` is 32 bits for the kind's own use.
#[inline(always)]
pub(crate) const fn header(kind: u64, size: usize, aux: u32) -> Word {
    immediate(kind, (size as u64) | (aux as u64) << 24)
}

/// Returns the words of the object with this header.
#[inline(always)]
pub(crate) fn size(header: Word) -> usize {
    (header >> 8) as usize & MAX_OBJECT
}

/// Returns the kind's own 32 bits of a header.
#[inline(always)]
pub(crate) fn aux(header: Word) -> u32 {
    (header >> 32) as u32
}

/// Returns a quoted term. `tool` is the tool in whose context it is evaluated, counted from 1, or
/// 0.
pub(crate) fn quoted(term: u32, tool: u32) -> Word {
    immediate(KIND_QUOTED, u64::from(tool) | u64::from(term) << 24)
}

/// Tells whether a value is a list.
#[inline(always)]
pub(crate) fn is_list(v: Word) -> bool {
    tag(v) == CONS || v == NIL
}

/// Tells whether a value is a function.
#[inline(always)]
pub(crate) fn is_function(v: Word) -> bool {
    matches!(tag(v), CLOSURE | PARTIAL)
}
