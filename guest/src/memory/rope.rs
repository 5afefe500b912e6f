//! Ropes: texts joined from two others, which stay as they are.

use super::heap::Heap;
use super::word::{ROPE, Word, pointer, within};
use crate::limits::TEXT_BYTES;

/// Two texts joined, if there is room and neither is anything else.
#[inline(always)]
pub(crate) fn join(heap: &mut Heap, x: Word, y: Word) -> Option<Word> {
    let (size, more) = (heap.text_word(x)?, heap.text_word(y)?);
    // INVARIANT: no side of a rope is empty. Then it has no more nodes than bytes, however often
    // it was joined with itself, and what walks it is paid for by its length.
    if size == 0 || more == 0 {
        return Some(if size == 0 { y } else { x });
    }
    let (both, at) = (size + more, within(heap.top));
    let rope = heap.words.get_mut(at..at + 3)?;
    if both >> 32 > TEXT_BYTES.min(8 * heap.limit as u64) {
        return None;
    }
    rope.copy_from_slice(&[both, x, y]);
    heap.top = at + 3;
    Some(pointer(at, ROPE))
}

/// Bytes of the longest text that the memory limit has room for.
pub(crate) fn longest_text(heap: &Heap) -> u64 {
    TEXT_BYTES.min(8 * heap.limit as u64)
}
