//! What maps and sets hold: their keys in order, with the values. `mapping` finds and changes them.

use crate::memory::heap::Heap;
use crate::memory::tagged::{BRANCH, LEAF, MAP, SET};
use crate::memory::word::{UNIT, Word, as_small};

/// Tells whether a value is a map or a set.
pub(crate) fn is_one(heap: &Heap, v: Word) -> bool {
    matches!(heap.tagged(v), MAP | SET)
}

/// Counts the keys.
pub(crate) fn count(heap: &Heap, map: Word) -> usize {
    let [_, count, _] = heap.tagged_words(map);
    usize::try_from(as_small(count)).unwrap_or_default()
}

/// Returns the member of a map or set that a text names: its size.
pub(crate) fn member(heap: &Heap, map: Word, name: Word) -> Option<Word> {
    const SIZE: &str = "size";
    let is_size = is_one(heap, map) && heap.prefix(name, SIZE.len() + 1) == SIZE;
    is_size.then(|| heap.tagged_words::<3>(map)[1])
}

/// A key on the heap, with its value.
pub(crate) struct Leaf {
    pub(crate) mark: u64,
    pub(crate) number: Word,
    pub(crate) key: Word,
    pub(crate) value: Word,
}

impl Leaf {
    pub(crate) fn at(heap: &Heap, v: Word) -> Self {
        let [mark, number, key, value] = heap.tagged_words(v);
        Self { mark: as_small(mark).cast_unsigned(), number, key, value }
    }
}

/// Returns the keys with their values, in order.
pub(crate) fn of(heap: &Heap, map: Word) -> Vec<[Word; 2]> {
    let [root, _, _] = heap.tagged_words(map);
    let (mut open, mut leaves) = (vec![root], Vec::with_capacity(count(heap, map)));
    while let Some(at) = open.pop() {
        match heap.tagged(at) {
            BRANCH => {
                let [_, zero, one] = heap.tagged_words(at);
                open.extend([one, zero]);
            }
            LEAF => leaves.push(Leaf::at(heap, at)),
            _ => {}
        }
    }
    leaves.sort_unstable_by_key(|leaf| leaf.number);
    leaves.into_iter().map(|leaf| [leaf.key, leaf.value]).collect()
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
