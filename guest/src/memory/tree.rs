//! The tree of a map, a set or a large record on the heap, as what reads it all sees it: leaves with
//! keys, each with a number that tells when it came. `algorithm/mapping.rs` finds and changes keys.

use super::heap::Heap;
use super::tagged::{BRANCH, LEAF};
use super::word::{Word, as_small};

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

/// Counts the keys of a map, a set or a record that is a tree.
pub(crate) fn count(heap: &Heap, tree: Word) -> usize {
    let [_, count, _] = heap.tagged_words(tree);
    usize::try_from(as_small(count)).unwrap_or_default()
}

/// Returns the keys with their values, as they came.
pub(crate) fn leaves(heap: &Heap, tree: Word) -> Vec<[Word; 2]> {
    let [root, _, _] = heap.tagged_words(tree);
    let (mut open, mut leaves) = (vec![root], Vec::with_capacity(count(heap, tree)));
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
