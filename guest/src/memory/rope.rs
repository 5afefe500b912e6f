//! Ropes: texts joined from two others, which stay unchanged.

use super::heap::{Full, Heap};
use super::word::{ROPE, Word, index as at, pointer, tag, within};
use pif_core::limits::TEXT_BYTES;

/// Joins two texts. Returns nothing without room or if a value is not a text.
#[inline(always)]
pub(crate) fn join(heap: &mut Heap, x: Word, y: Word) -> Option<Word> {
    let (size, more) = (heap.text_word(x)?, heap.text_word(y)?);
    // INVARIANT: no side of a rope is empty. So a rope has no more nodes than bytes, even if it was
    // joined with itself, and its length pays for a walk.
    if size == 0 || more == 0 {
        return Some(if size == 0 { y } else { x });
    }
    let (both, top) = (size + more, within(heap.top));
    let rope = heap.words.get_mut(top..top + 3)?;
    if both >> 32 > TEXT_BYTES.min(8 * heap.limit as u64) {
        return None;
    }
    rope.copy_from_slice(&[both, x, y]);
    heap.top = top + 3;
    Some(pointer(top, ROPE))
}

/// Returns the bytes of the longest text that the memory limit allows.
pub(crate) fn longest_text(heap: &Heap) -> u64 {
    TEXT_BYTES.min(8 * heap.limit as u64)
}

/// Ropes within each other that a look-up of a character follows.
const DEEP: usize = 16;

/// A character of a text.
pub(crate) enum Spot {
    /// The bytes of a flat text from the first to before the second.
    At(Word, usize, usize),
    /// The text must be flattened first.
    Deep,
}

/// Finds the character at an index, which the text must have.
pub(crate) fn character(heap: &Heap, text: Word, index: u64) -> Spot {
    let (mut text, mut index, mut depth) = (text, index, 0);
    while tag(text) == ROPE {
        let [left, right] = heap.cell(at(text) + 1);
        let chars = heap.text_size(left).map_or(0, |(_, chars)| chars);
        if index < chars {
            text = left;
        } else {
            (text, index) = (right, index - chars);
        }
        depth += 1;
        if depth > DEEP {
            return Spot::Deep;
        }
    }
    let bytes = heap.flat(text);
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    if heap.text_size(text).is_some_and(|(_, chars)| chars == bytes.len() as u64) {
        return Spot::At(text, index, index + 1);
    }
    let is_first = |(_, byte): &(usize, &u8)| **byte & 0xc0 != 0x80;
    let mut starts = bytes.iter().enumerate().filter(is_first).map(|(at, _)| at).skip(index);
    let from = starts.next().unwrap_or(bytes.len());
    Spot::At(text, from, starts.next().unwrap_or(bytes.len()))
}

/// Replaces the parts of a rope by flat ones, of which the last is a single character. There must be
/// room for the text and two more objects.
pub(crate) fn flatten(heap: &mut Heap, rope: Word) -> Result<(), Full> {
    let mut bytes = Vec::new();
    heap.write_text(rope, usize::MAX, &mut bytes);
    let is_first = |byte: &u8| byte & 0xc0 != 0x80;
    let last = bytes.iter().rposition(is_first).unwrap_or_default();
    let (first, rest) = bytes.split_at(last);
    let parts = [heap.text_of(first)?, heap.text_of(rest)?];
    heap.put(at(rope) + 1, &parts);
    Ok(())
}

/// Counts the words that `flatten` takes.
pub(crate) fn flat_room(heap: &Heap, rope: Word) -> usize {
    let bytes = heap.text_size(rope).map_or(0, |(bytes, _)| bytes);
    Heap::text_words(usize::try_from(bytes).unwrap_or(usize::MAX / 2)) + Heap::text_words(8)
}
