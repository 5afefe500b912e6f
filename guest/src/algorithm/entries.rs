//! What maps and sets hold: their keys in order, with the values. `mapping` finds and changes them.

use crate::memory::heap::Heap;
use crate::memory::tagged::{MAP, SET};
use crate::memory::word::{UNIT, Word};

pub(crate) use crate::memory::tree::{count, leaves as of};

/// Tells whether a value is a map or a set.
pub(crate) fn is_one(heap: &Heap, v: Word) -> bool {
    matches!(heap.tagged(v), MAP | SET)
}

/// Returns the member of a map or set that a text names: its size.
pub(crate) fn member(heap: &Heap, map: Word, name: Word) -> Option<Word> {
    const SIZE: &str = "size";
    let is_size = is_one(heap, map) && heap.prefix(name, SIZE.len() + 1) == SIZE;
    is_size.then(|| heap.tagged_words::<3>(map)[1])
}

/// Returns the keys and values of a map, or the elements of a set, in order.
pub(crate) fn parts(heap: &Heap, map: Word) -> Vec<Word> {
    let parts = 1 + usize::from(heap.tagged(map) == MAP);
    of(heap, map).iter().flat_map(|entry| &entry[..parts]).copied().collect()
}

/// Returns the keys and values of a list of lists of two; those of another element are null.
pub(crate) fn entry(heap: &Heap, kind: u32, element: Word) -> [Word; 2] {
    if kind == SET {
        return [element; 2];
    }
    heap.entry(element).unwrap_or([UNIT; 2])
}
