//! Sorts texts by a word: the eight bytes after their common beginning. Compares all bytes where
//! those are equal.

use crate::algorithm::radix;
use crate::memory::heap::Heap;
use crate::memory::word::Word;

/// Returns the order of flat texts, as indices. Equal texts keep their order.
pub(crate) fn order(heap: &Heap, texts: &[Word], descending: bool) -> Vec<u32> {
    let flip = if descending { u64::MAX } else { 0 };
    let start = common(heap, texts);
    let mut order: Vec<(u64, u32)> =
        texts.iter().map(|text| eight(heap.flat(*text), start) ^ flip).zip(0..).collect();
    radix::sort(&mut order, radix::first);
    let text = |index: u32| texts.get(index as usize).copied().unwrap_or_default();
    for equal in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1) {
        equal.sort_by(|(_, a), (_, b)| {
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

/// Returns eight bytes from `start` on, as a number that orders like them. Zeros pad a short text.
fn eight(bytes: &[u8], start: usize) -> u64 {
    let bytes = bytes.get(start..).unwrap_or_default();
    match bytes.first_chunk() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => (0..8).fold(0, |word, at| word << 8 | bytes.get(at).map_or(0, |b| u64::from(*b))),
    }
}
