//! Members of records: finding a key, and merging two records.

use crate::memory::heap::Heap;
use crate::memory::index::Known;
use crate::memory::word::Word;
use std::cmp::Ordering;

/// Returns the index of a key among the members of a record, or the index where it belongs.
pub(crate) fn find(heap: &Heap, record: Word, key: &[u8]) -> Result<usize, usize> {
    search(heap, record, |here| heap.flat(here).cmp(key))
}

/// Finds a key that is a value. A rope is written out first.
pub(crate) fn find_text(heap: &Heap, record: Word, key: Word) -> Result<usize, usize> {
    if heap.is_flat(key) {
        return search(heap, record, |here| heap.compare_flat(here, key));
    }
    let mut bytes = Vec::new();
    heap.write_text(key, usize::MAX, &mut bytes);
    find(heap, record, &bytes)
}

/// Returns the index of a key. Many look-ups of one record make an index.
pub(crate) fn look_up(heap: &mut Heap, record: Word, key: Word) -> Option<usize> {
    let Some(key) = flattened(heap, key) else { return find_text(heap, record, key).ok() };
    // Records of one shape have a key at one place.
    let last = heap.last_found;
    if heap.members(record).get(last).is_some_and(|here| heap.same_flat(*here, key)) {
        return Some(last);
    }
    match heap.indexed(record, key) {
        Some(Known::At(at)) => Some(at),
        Some(Known::Absent) => None,
        None => {
            let found = find_text(heap, record, key).ok()?;
            heap.last_found = found;
            Some(found)
        }
    }
}

/// Returns a text as a flat text, if it is one or there is room for it.
fn flattened(heap: &mut Heap, text: Word) -> Option<Word> {
    if heap.is_flat(text) {
        return Some(text);
    }
    let bytes = usize::try_from(heap.text_size(text)?.0).ok()?;
    if !heap.has_room(Heap::text_words(bytes)) {
        return None;
    }
    let mut flat = Vec::with_capacity(bytes + 8);
    heap.write_text(text, usize::MAX, &mut flat);
    heap.text_of(&flat).ok()
}

fn search(heap: &Heap, record: Word, compare: impl Fn(Word) -> Ordering) -> Result<usize, usize> {
    let members = heap.members(record);
    let (mut low, mut high) = (0, members.len() / 2);
    while low < high {
        let middle = low.midpoint(high);
        match members.get(2 * middle).map_or(Ordering::Greater, |here| compare(*here)) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(2 * middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(2 * low)
}

/// Returns the work of a record's keys. Only long ones count.
pub(crate) fn key_work(heap: &Heap, record: Word) -> u64 {
    let keys = heap.members(record).iter().step_by(2);
    keys.map(|key| crate::algorithm::weight::text_work(heap, *key)).sum()
}

/// Merges the members of both records, in order. For equal keys, the member of `b` wins.
pub(crate) fn merge(heap: &Heap, a: Word, b: Word) -> Vec<Word> {
    let (mut a, mut b) = (heap.members(a), heap.members(b));
    let mut members = Vec::with_capacity(a.len() + b.len());
    while let ([key, value, more @ ..], [other, theirs, others @ ..]) = (a, b) {
        match heap.compare_flat(*key, *other) {
            Ordering::Less => {
                members.extend([*key, *value]);
                a = more;
            }
            order => {
                members.extend([*other, *theirs]);
                b = others;
                a = if order.is_eq() { more } else { a };
            }
        }
    }
    members.extend_from_slice(a);
    members.extend_from_slice(b);
    members
}
