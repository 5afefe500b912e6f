//! Members of records: finding a key, and making records of others. `memory/record.rs` says how
//! members are listed.

use crate::algorithm::lexical::{self, sorted};
use crate::algorithm::record_tree;
use crate::memory::heap::{Full, Heap};
use crate::memory::index::Known;
use crate::memory::record::{FEW, Shape, listed, number};
use crate::memory::word::Word;
use pif_core::limits::to_u32;
use pif_language::prices::units;
use std::borrow::Cow;
use std::cmp::Ordering;

/// The members of a record as they are listed, with their places in the order of their keys if there
/// are more than a few.
pub(crate) struct Listed<'h> {
    members: Cow<'h, [Word]>,
    order: Cow<'h, [u32]>,
}

impl<'h> Listed<'h> {
    pub(crate) fn of(heap: &'h Heap, record: Word) -> Self {
        let members = heap.members(record);
        let order = if heap.is_tree(record) {
            Cow::Owned(order_of(heap, &members))
        } else {
            Cow::Borrowed(heap.order(record))
        };
        Self { members, order }
    }

    /// Returns the place of a key, or its rank in the order of keys, if there is one.
    fn find(&self, heap: &Heap, key: Word) -> Result<usize, usize> {
        let (members, order) = (&self.members, &self.order);
        search(
            members,
            order,
            |here| heap.same_flat(here, key),
            |here| heap.compare_flat(here, key),
        )
    }

    /// Returns the place of a key that is a text. A rope is written out first.
    pub(crate) fn place(&self, heap: &Heap, key: Word) -> Option<usize> {
        if heap.is_flat(key) {
            return self.find(heap, key).ok();
        }
        let key = heap.bytes_of(key);
        let is_same = |here| heap.flat(here) == &*key;
        search(&self.members, &self.order, is_same, |here| heap.flat(here).cmp(&key)).ok()
    }

    /// Returns the places of the keys in the order of their bytes.
    fn places(&self, heap: &Heap) -> Vec<u32> {
        if self.order.is_empty() { sorted(heap, &self.members) } else { self.order.to_vec() }
    }
}

/// Returns the value of a key.
pub(crate) fn value(heap: &Heap, record: Word, key: &[u8]) -> Option<Word> {
    if heap.is_tree(record) {
        return record_tree::value(heap, record, key);
    }
    let (members, order) = (heap.flat_members(record), heap.order(record));
    let is_same = |here| heap.flat(here) == key;
    let found = search(members, order, is_same, |here| heap.flat(here).cmp(key)).ok()?;
    members.get(found + 1).copied()
}

/// Returns the value of a key that is a flat text.
pub(crate) fn value_of(heap: &Heap, record: Word, key: Word) -> Option<Word> {
    if heap.is_tree(record) {
        return record_tree::value_of(heap, record, key);
    }
    let found = find_flat(heap, record, key).ok()?;
    heap.flat_members(record).get(found + 1).copied()
}

/// Finds a key that is a flat text, in a record that is flat. Returns its place, or its rank in the
/// order of keys, if the record has one.
fn find_flat(heap: &Heap, record: Word, key: Word) -> Result<usize, usize> {
    let (members, order) = (heap.flat_members(record), heap.order(record));
    search(members, order, |here| heap.same_flat(here, key), |here| heap.compare_flat(here, key))
}

/// Returns the value of a key that is a text. Many look-ups of one record make an index.
pub(crate) fn look_up(heap: &mut Heap, record: Word, key: Word) -> Option<Word> {
    let Some(key) = flattened(heap, key) else {
        return value(heap, record, &heap.bytes_of(key));
    };
    if heap.is_tree(record) {
        return record_tree::value_of(heap, record, key);
    }
    // Records of one shape have a key at one place.
    let last = heap.last_place(key);
    let members = heap.flat_members(record);
    if members.get(last).is_some_and(|here| heap.same_flat(*here, key)) {
        return members.get(last + 1).copied();
    }
    let found = match heap.indexed(record, key) {
        Some(Known::At(at)) => at,
        Some(Known::Absent) => return None,
        None => {
            let found = find_flat(heap, record, key).ok()?;
            heap.remember_place(key, found);
            found
        }
    };
    heap.flat_members(record).get(found + 1).copied()
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

#[inline(always)]
fn search(
    members: &[Word],
    order: &[u32],
    is_same: impl Fn(Word) -> bool,
    compare: impl Fn(Word) -> Ordering,
) -> Result<usize, usize> {
    if members.len() <= 2 * FEW {
        let mut keys = members.iter().step_by(2);
        return keys.position(|here| is_same(*here)).map(|number| 2 * number).ok_or(0);
    }
    let key = |place: &u32| members.get(*place as usize).copied().unwrap_or_default();
    let rank = order.binary_search_by(|place| compare(key(place)))?;
    Ok(order.get(rank).map_or(0, |place| *place as usize))
}

/// Returns the work of changing a member of a record of so many: it is copied, or it is a tree.
pub(crate) fn change_work(members: usize) -> u64 {
    if !record_tree::is_large(members) {
        return members as u64;
    }
    units::MEMBER_CHANGE
        + units::MEMBER_CHANGE_BIT * u64::from(usize::BITS - members.leading_zeros())
}

/// Tells whether `merge` of records of so many members puts those of the second into the first one by
/// one, because that is less work than looking at all of them.
pub(crate) fn is_put(a: usize, b: usize) -> bool {
    record_tree::is_large(a) && b as u64 * change_work(a) < a as u64
}

/// Returns the work of a record's keys. Only long ones count.
pub(crate) fn key_work(heap: &Heap, record: Word) -> u64 {
    let members = heap.members(record);
    members.iter().step_by(2).map(|key| crate::algorithm::weight::text_work(heap, *key)).sum()
}

/// Returns the work of looking at all members of a record.
pub(crate) fn all_work(heap: &Heap, record: Word) -> u64 {
    heap.count_members(record) as u64 + key_work(heap, record)
}

/// Returns the order that lies behind so many members.
pub(crate) fn order_of(heap: &Heap, members: &[Word]) -> Vec<u32> {
    if members.len() > 2 * FEW { sorted(heap, members) } else { Vec::new() }
}

/// Makes a record of members as they came. The keys are flat texts, each once. There must be room.
pub(crate) fn make(heap: &mut Heap, members: &[Word]) -> Result<Word, Full> {
    let order = order_of(heap, members);
    made(heap, members, order)
}

/// Makes a record of members as they came, with the places of their keys in order.
fn made(heap: &mut Heap, members: &[Word], order: Vec<u32>) -> Result<Word, Full> {
    shape(heap, members, order).record(heap, members)
}

/// Returns how a record of these members lies on the heap.
fn shape(heap: &Heap, members: &[Word], mut order: Vec<u32>) -> Shape {
    let Some(listed) = listed(heap, members) else { return Shape { listed: Vec::new(), order } };
    let mut places = vec![0; listed.len()];
    for (number, place) in listed.iter().zip((0..).step_by(2)) {
        places.get_mut(*number as usize).into_iter().for_each(|to| *to = place);
    }
    for place in &mut order {
        *place = places.get(*place as usize / 2).copied().unwrap_or_default();
    }
    Shape { listed, order }
}

/// Returns how records of these members lie on the heap. Returns nothing if a key occurs twice.
pub(crate) fn shape_of(heap: &Heap, members: &[Word]) -> Option<Shape> {
    let order = order_of(heap, members);
    let key = |place: u32| members.get(place as usize).copied().unwrap_or_default();
    let is_twice = if order.is_empty() {
        let mut keys = members.iter().step_by(2).enumerate();
        keys.any(|(at, key)| {
            let mut before = members.iter().step_by(2).take(at);
            before.any(|other| heap.same_flat(*other, *key))
        })
    } else {
        order.array_windows().any(|[a, b]| heap.same_flat(key(*a), key(*b)))
    };
    (!is_twice).then(|| shape(heap, members, order))
}

/// Makes a record of keys and values as they came. Where a key comes again, the last value stands at
/// the first place. There must be room.
pub(crate) fn of_entries(heap: &mut Heap, keys: &[Word], values: &[Word]) -> Result<Word, Full> {
    let order = lexical::order(heap, keys, false);
    let key = |at: u32| keys.get(at as usize).copied().unwrap_or_default();
    // Equal keys stand in the order of the list.
    let same = order.chunk_by(|a, b| heap.same_flat(key(*a), key(*b)));
    let mut firsts = Vec::with_capacity(keys.len());
    let mut last: Vec<Option<Word>> = vec![None; keys.len()];
    for same in same {
        let (Some(first), Some(at)) = (same.first(), same.last()) else { continue };
        firsts.push(*first);
        let value = values.get(*at as usize).copied();
        last.get_mut(*first as usize).into_iter().for_each(|last| *last = value);
    }
    let mut members = Vec::with_capacity(2 * firsts.len());
    let mut places = vec![0; keys.len()];
    for ((key, value), place) in keys.iter().zip(&last).zip(&mut places) {
        *place = to_u32(members.len());
        members.extend(value.iter().flat_map(|value| [*key, *value]));
    }
    let order: Vec<u32> = if members.len() > 2 * FEW {
        firsts.iter().map(|at| places.get(*at as usize).copied().unwrap_or_default()).collect()
    } else {
        Vec::new()
    };
    made(heap, &members, order)
}

/// Makes a record with a value under a key, which is a flat text. A new key comes last, or, if it is
/// a number, to its place among the numbers. There must be room for `changed_words`.
pub(crate) fn put(heap: &mut Heap, record: Word, key: Word, value: Word) -> Result<Word, Full> {
    if heap.is_tree(record) {
        return Ok(record_tree::put(heap, record, [key, value]));
    }
    let rank = match find_flat(heap, record, key) {
        Ok(place) => return Ok(heap.with_value(record, place, value)),
        Err(rank) => rank,
    };
    let members = heap.flat_members(record);
    let place = match number(heap, key) {
        Some(new) => first_beyond(heap, members, new),
        None => members.len(),
    };
    let order = if members.len() == 2 * FEW {
        let (before, after) = members.split_at(place);
        sorted(heap, &[before, &[key, value], after].concat())
    } else {
        Vec::new()
    };
    heap.with_member(record, (place, rank), [key, value], &order)
}

/// Counts the words that a record takes with another value under a key, or without the key. A large
/// one has been planted.
pub(crate) fn changed_words(heap: &Heap, record: Word, key: Word, text: &[u8]) -> usize {
    if heap.is_tree(record) {
        return record_tree::changed_words(heap, record, key, text);
    }
    Heap::record_words(heap.count_members(record) + 1)
}

/// Returns the place of the first key that is no number below `new`.
fn first_beyond(heap: &Heap, members: &[Word], new: u32) -> usize {
    let (mut low, mut high) = (0, members.len() / 2);
    while low < high {
        let middle = low.midpoint(high);
        let key = members.get(2 * middle).copied().unwrap_or_default();
        if number(heap, key).is_some_and(|known| known < new) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    2 * low
}

/// Makes a record of those members that are to be kept. There must be room.
pub(crate) fn choose(heap: &mut Heap, record: Word, kept: &[bool]) -> Result<Word, Full> {
    let listed = Listed::of(heap, record);
    let (mut members, mut places) = (Vec::new(), Vec::with_capacity(kept.len()));
    for (member, kept) in listed.members.chunks_exact(2).zip(kept) {
        places.push(kept.then_some(to_u32(members.len())));
        members.extend(kept.then_some(member).into_iter().flatten());
    }
    let order: Vec<u32> = if members.len() > 2 * FEW {
        let place = |old: &u32| places.get(*old as usize / 2).copied().flatten();
        listed.order.iter().filter_map(place).collect()
    } else {
        Vec::new()
    };
    heap.record(&members, &order)
}

/// Makes a record without a key. There must be room for `changed_words`.
pub(crate) fn without(heap: &mut Heap, record: Word, key: &[u8]) -> Result<Word, Full> {
    if heap.is_tree(record) {
        return Ok(record_tree::remove(heap, record, key));
    }
    let keys = heap.flat_members(record).iter().step_by(2);
    let kept: Vec<bool> = keys.map(|here| heap.flat(*here) != key).collect();
    if kept.iter().all(|kept| *kept) { Ok(record) } else { choose(heap, record, &kept) }
}

/// How many times longer a record is before searches in it take less time than a walk through it.
const LONGER: usize = 8;

/// Merges the members of both records. Keys of `a` keep their places, others of `b` follow. For
/// equal keys, the value of `b` wins. There must be room.
pub(crate) fn merge(heap: &mut Heap, a: Word, b: Word) -> Result<Word, Full> {
    let (known, second) = (Listed::of(heap, a), heap.members(b));
    let first = &known.members;
    match *second {
        [] => return Ok(a),
        [key, value] if !heap.is_tree(a) => return put(heap, a, key, value),
        _ if first.is_empty() => return Ok(b),
        _ => {}
    }
    let is_small = first.len().max(second.len()) <= 2 * FEW;
    let found: Vec<Result<usize, usize>> = if is_small || first.len() > LONGER * second.len() {
        second.iter().step_by(2).map(|key| known.find(heap, *key)).collect()
    } else {
        matched(heap, &known, &Listed::of(heap, b))
    };
    let mut members = Vec::with_capacity(first.len() + second.len());
    members.extend_from_slice(first);
    let mut fresh: Vec<(usize, u32)> = Vec::new();
    for (member, found) in second.chunks_exact(2).zip(found) {
        match (found, member) {
            (Ok(place), [_, value]) => {
                members.get_mut(place + 1).into_iter().for_each(|old| *old = *value);
            }
            (Err(rank), _) => {
                fresh.push((rank, to_u32(members.len())));
                members.extend_from_slice(member);
            }
            _ => {}
        }
    }
    let order = if members.len() <= 2 * FEW {
        Vec::new()
    } else if is_small {
        sorted(heap, &members)
    } else {
        let key = |place: u32| members.get(place as usize).copied().unwrap_or_default();
        fresh.sort_unstable_by(|(a, x), (b, y)| {
            a.cmp(b).then_with(|| heap.compare_flat(key(*x), key(*y)))
        });
        with_fresh(&known.places(heap), &fresh)
    };
    made(heap, &members, order)
}

/// Returns the place in `a` of each key of `b`, or its rank among the keys of `a`.
fn matched(heap: &Heap, a: &Listed<'_>, b: &Listed<'_>) -> Vec<Result<usize, usize>> {
    let (first, second) = (&a.members, &b.members);
    let key = |members: &[Word], place: u32| members.get(place as usize).copied();
    let (order, mut rank) = (a.places(heap), 0);
    let mut found = vec![Err(0); second.len() / 2];
    for place in b.places(heap) {
        let Some(new) = key(second, place) else { continue };
        let mut this = Err(0);
        while let Some(known) = order.get(rank)
            && let Some(here) = key(first, *known)
        {
            match heap.compare_flat(here, new) {
                Ordering::Less => rank += 1,
                Ordering::Equal => {
                    this = Ok(*known as usize);
                    break;
                }
                Ordering::Greater => break,
            }
        }
        found.get_mut(place as usize / 2).into_iter().for_each(|at| *at = this.map_err(|_| rank));
    }
    found
}

/// Returns an order with new places, each before the place at its rank.
fn with_fresh(order: &[u32], fresh: &[(usize, u32)]) -> Vec<u32> {
    let (mut merged, mut from) = (Vec::with_capacity(order.len() + fresh.len()), 0);
    for (rank, place) in fresh {
        merged.extend_from_slice(order.get(from..*rank).unwrap_or_default());
        merged.push(*place);
        from = *rank;
    }
    merged.extend_from_slice(order.get(from..).unwrap_or_default());
    merged
}
