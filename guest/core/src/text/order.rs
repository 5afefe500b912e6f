//! The order of texts, and the sort by comparisons that all code shares.

use crate::limits::to_u32;
use std::cmp::Ordering;

/// An item to sort: a word that orders like its first bytes, and its index.
pub type Item = (u64, u32);

/// Sorts items that stand in the order of their indices. Equal items keep that order. A sort has much
/// code, so this one is there once, and gets the comparison as a value.
#[inline(never)]
pub fn sort(items: &mut [Item], compare: &dyn Fn(&Item, &Item) -> Ordering) {
    items.sort_unstable_by(|a, b| compare(a, b).then(a.1.cmp(&b.1)));
}

/// Returns the indices of `count` texts in the order of their bytes. Equal texts keep their order.
pub fn order_of<'t>(
    count: usize,
    text: &dyn Fn(usize) -> &'t str,
) -> impl Iterator<Item = usize> + use<'t> {
    let mut order: Vec<Item> =
        (0..count).map(|at| (eight(text(at).as_bytes()), to_u32(at))).collect();
    sort(&mut order, &|a, b| {
        let texts = || text(a.1 as usize).cmp(text(b.1 as usize));
        a.0.cmp(&b.0).then_with(texts)
    });
    order.into_iter().map(|(_, at)| at as usize)
}

/// Returns the first of `count` texts that stands before, too.
pub fn repeated<'t>(count: usize, text: &dyn Fn(usize) -> &'t str) -> Option<usize> {
    let order: Vec<usize> = order_of(count, text).collect();
    let again = order.array_windows().filter(|[a, b]| text(*a) == text(*b)).map(|[_, b]| *b);
    again.min()
}

/// Returns the first eight bytes, as a number that orders like them. Zeros pad a short text.
#[must_use]
pub fn eight(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_be_bytes(*eight),
        None => (0..8).fold(0, |word, at| word << 8 | bytes.get(at).map_or(0, |b| u64::from(*b))),
    }
}
