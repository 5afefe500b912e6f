//! Sorts by words, a byte at a time from the lowest on. The sort is stable, and its time grows only
//! with the number of items.

/// Fewer items are sorted by insertion.
const FEW: usize = 64;

/// Maps a signed integer to an unsigned one of equal order.
pub(crate) fn order_bits(n: i64) -> u64 {
    n.cast_unsigned() ^ 1 << 63
}

/// Returns the key of an item that begins with it.
pub(crate) fn first(item: &(u64, u32)) -> u64 {
    item.0
}

/// Sorts items by their keys. Items with equal keys keep their order.
pub(crate) fn sort<T: Copy>(items: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    if items.is_sorted_by_key(&key) {
        return;
    }
    if items.len() < FEW {
        return insert_all(items, key);
    }
    let first = items.first().map_or(0, &key);
    let differing = items.iter().fold(0, |bits, item| bits | key(item) ^ first);
    let mut sorted = items.clone();
    for shift in (0..64).step_by(8).filter(|shift| differing >> shift & 255 != 0) {
        let digit = |item: &T| (key(item) >> shift & 255) as usize;
        let mut places = [0; 256];
        for item in items.iter() {
            places.get_mut(digit(item)).into_iter().for_each(|count| *count += 1);
        }
        let mut total = 0;
        for place in &mut places {
            total += std::mem::replace(place, total);
        }
        for item in items.iter() {
            let Some(place) = places.get_mut(digit(item)) else { continue };
            if let Some(slot) = sorted.get_mut(*place) {
                *slot = *item;
            }
            *place += 1;
        }
        std::mem::swap(items, &mut sorted);
    }
}

fn insert_all<T: Copy>(items: &mut [T], key: impl Fn(&T) -> u64) {
    for end in 1..items.len() {
        let sorted = items.get(..end).unwrap_or_default();
        let Some(last) = items.get(end).map(&key) else { break };
        let place = sorted.partition_point(|item| key(item) <= last);
        items.get_mut(place..=end).into_iter().for_each(|part| part.rotate_right(1));
    }
}
