//! Sorts texts by a word: the eight bytes after their common beginning. Compares all bytes where
//! those are equal.

use crate::algorithm::radix;
use crate::memory::heap::Heap;
use crate::memory::record::FEW;
use crate::memory::word::Word;
use pif_core::text::order::{self, Item, eight};

/// Returns the order of flat texts, as indices. Equal texts keep their order.
pub(crate) fn order(heap: &Heap, texts: &[Word], descending: bool) -> Vec<u32> {
    let flip = if descending { u64::MAX } else { 0 };
    let start = common(heap, texts);
    let word = |text: &Word| eight(heap.flat(*text).get(start..).unwrap_or_default());
    let mut order: Vec<Item> = texts.iter().map(|text| word(text) ^ flip).zip(0..).collect();
    radix::sort(&mut order, radix::first);
    let text = |index: u32| texts.get(index as usize).copied().unwrap_or_default();
    for equal in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1) {
        order::sort(equal, &|(_, a), (_, b)| {
            let (a, b) = if descending { (b, a) } else { (a, b) };
            heap.compare_flat(text(*a), text(*b))
        });
    }
    order.into_iter().map(|(_, index)| index).collect()
}

/// Counts the bytes that all texts begin with.
fn common(heap: &Heap, texts: &[Word]) -> usize {
    let first = texts.first().map_or(&[][..], |text| heap.flat(*text));
    texts.iter().fold(first.len(), |common, text| {
        let pairs = first.iter().zip(heap.flat(*text)).take(common);
        pairs.take_while(|(a, b)| a == b).count()
    })
}

/// Returns the places of keys in the order of their bytes.
pub(crate) fn sorted(heap: &Heap, members: &[Word]) -> Vec<u32> {
    let keys: Vec<Word> = members.iter().step_by(2).copied().collect();
    let order = order(heap, &keys, false);
    order.into_iter().map(|number| 2 * number).collect()
}

/// Returns the places of these members of a record in the order of the bytes of their keys.
pub(crate) fn places(heap: &Heap, record: Word, members: &[Word]) -> Vec<u32> {
    let is_known = members.len() > 2 * FEW && !heap.is_tree(record);
    if is_known { heap.order(record).to_vec() } else { sorted(heap, members) }
}
