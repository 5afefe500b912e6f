//! Ropes: texts joined from two others, which stay unchanged.

use super::heap::Heap;
use super::word::{ROPE, Word, pointer, within};
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
    let (both, at) = (size + more, within(heap.top));
    let rope = heap.words.get_mut(at..at + 3)?;
    if both >> 32 > TEXT_BYTES.min(8 * heap.limit as u64) {
        return None;
    }
    rope.copy_from_slice(&[both, x, y]);
    heap.top = at + 3;
    Some(pointer(at, ROPE))
}

/// Returns the bytes of the longest text that the memory limit allows.
pub(crate) fn longest_text(heap: &Heap) -> u64 {
    TEXT_BYTES.min(8 * heap.limit as u64)
}
