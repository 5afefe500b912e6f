//! How a record lies on the heap. A flat one is its members as they are listed, and behind more than a
//! few of them their places in the order of their keys, so that looking for a key is a binary search.
//! A large record that is changed becomes a tree, as a map is one (`algorithm/record_tree.rs`).
//!
//! Keys are listed as JavaScript does: whole numbers first, from the smallest on, then the others as
//! they came. A place counts words: a key stands at an even place, its value behind it.

use crate::memory::heap::{Full, Heap};
use crate::memory::tree;
use crate::memory::word::{
    KIND_RECORD, MAX_OBJECT, OBJECT, Word, aux, header, index, pointer, size,
};
use pif_core::limits::to_u32;
use pif_core::text::digits::index_in;
use std::borrow::Cow;

/// The most members that lie without an order. Looking through them takes no longer than a search.
pub(crate) const FEW: usize = 16;

/// Marks the header of a record that is a tree. Its words are those of a map.
const TREE: u32 = 1 << 31;

/// The header of a record that is a tree.
pub(crate) const TREE_HEADER: Word = header(KIND_RECORD, 4, TREE);

/// How records of the same keys lie on the heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// The numbers of the members as they are listed. Empty if that is how they come.
    pub(crate) listed: Vec<u32>,
    /// The places of the listed members in the order of their keys. Empty if there are few.
    pub(crate) order: Vec<u32>,
}

impl Shape {
    /// Makes a record of members as they came. There must be room for `record_words`.
    #[inline]
    pub(crate) fn record(&self, heap: &mut Heap, members: &[Word]) -> Result<Word, Full> {
        if self.listed.is_empty() {
            return heap.record(members, &self.order);
        }
        let member = |number: &u32| members.get(2 * *number as usize..2 * *number as usize + 2);
        let listed: Vec<Word> = self.listed.iter().filter_map(member).flatten().copied().collect();
        heap.record(&listed, &self.order)
    }
}

/// Counts the words of the order of so many members.
const fn order_words(members: usize) -> usize {
    if members > FEW { members.div_ceil(2) } else { 0 }
}

impl Heap {
    /// Counts the words of a record of so many members.
    pub(crate) const fn record_words(members: usize) -> usize {
        1 + 2 * members + order_words(members)
    }

    /// Tells whether a record is a tree.
    #[inline]
    pub(crate) fn is_tree(&self, record: Word) -> bool {
        self.header(record) == TREE_HEADER
    }

    /// Counts the members of a record.
    pub(crate) fn count_members(&self, record: Word) -> usize {
        if self.is_tree(record) {
            return tree::count(self, record);
        }
        self.flat_members(record).len() / 2
    }

    /// Returns the keys and values of a record, as they are listed.
    #[inline]
    pub(crate) fn members(&self, record: Word) -> Cow<'_, [Word]> {
        if self.is_tree(record) {
            return Cow::Owned(tree_members(self, record));
        }
        Cow::Borrowed(self.flat_members(record))
    }

    /// Returns the keys and values of a record that is flat, as they are listed.
    #[inline]
    pub(crate) fn flat_members(&self, record: Word) -> &[Word] {
        let (at, head) = (index(record), self.header(record));
        self.words.get(at + 1..at + size(head) - aux(head) as usize).unwrap_or_default()
    }

    /// Returns the places of a record's keys in the order of their bytes. There are none if there
    /// are few members.
    #[inline]
    pub(crate) fn order(&self, v: Word) -> &[u32] {
        let (head, end) = (self.header(v), index(v) + size(self.header(v)));
        let words = aux(head) as usize;
        let places: &[u32] =
            bytemuck::cast_slice(self.words.get(end - words..end).unwrap_or_default());
        places.get(..(size(head) - 1 - words) / 2).filter(|_| words > 0).unwrap_or_default()
    }

    /// Makes a record of these keys and values. There must be room for `record_words`. `order` is
    /// empty if there are few.
    // INVARIANT: keys are flat texts, each once, listed as the module says. `order` has the place of
    // each, in the order of the bytes of the keys, which is that of code points. Places are even, so
    // a word of two of them is an integer for the collector.
    #[inline(never)]
    pub(crate) fn record(&mut self, members: &[Word], order: &[u32]) -> Result<Word, Full> {
        if members.len() > 2 * FEW {
            let (at, slots) = self.claim_record(members.len() / 2)?;
            let (first, last) = slots.split_at_mut(members.len());
            first.copy_from_slice(members);
            put_order(last, order);
            return Ok(pointer(at, OBJECT));
        }
        let at = self.claim(members.len() + 1);
        if let Some([head, slots @ ..]) = self.words.get_mut(at..=at + members.len()) {
            *head = header(KIND_RECORD, members.len() + 1, 0);
            // There are few, and a copy of unknown length is a call.
            slots.iter_mut().zip(members).for_each(|(slot, word)| *slot = *word);
        }
        Ok(pointer(at, OBJECT))
    }

    /// Claims a record of so many members. Returns its place and the words behind its header.
    fn claim_record(&mut self, members: usize) -> Result<(usize, &mut [Word]), Full> {
        let words = Self::record_words(members);
        if words > MAX_OBJECT {
            return Err(Full);
        }
        let at = self.claim(words);
        let [head, slots @ ..] = self.words.get_mut(at..at + words).unwrap_or_default() else {
            return Err(Full);
        };
        *head = header(KIND_RECORD, words, to_u32(order_words(members)));
        Ok((at, slots))
    }

    /// Makes a copy of a record with another value at the place of a key. There must be room.
    pub(crate) fn with_value(&mut self, record: Word, place: usize, value: Word) -> Word {
        let (from, words) = (index(record), size(self.header(record)));
        let at = self.claim(words);
        self.words.copy_within(from..from + words, at);
        self.put(at + 2 + place, &[value]);
        pointer(at, OBJECT)
    }

    /// Makes a copy of a record with one more member, at a place. If the record has an order, the new
    /// key comes in it before the key that is at `rank`; if it needs one for the first time, `order`
    /// is that. There must be room.
    pub(crate) fn with_member(
        &mut self,
        record: Word,
        (place, rank): (usize, usize),
        member: [Word; 2],
        order: &[u32],
    ) -> Result<Word, Full> {
        let (from, head) = (index(record), self.header(record));
        let (words, old_order) = (size(head), aux(head) as usize);
        let len = words - 1 - old_order;
        let (at, _) = self.claim_record(len / 2 + 1)?;
        let (old, new) = self.words.split_at_mut(at);
        let old = old.get(from + 1..from + words).unwrap_or_default();
        let Some((slots, last)) =
            new.get_mut(1..).and_then(|new| new.split_at_mut_checked(len + 2))
        else {
            return Err(Full);
        };
        let (before, after) = old.get(..len).unwrap_or_default().split_at(place.min(len));
        let (first, others) = slots.split_at_mut(before.len());
        first.copy_from_slice(before);
        let (here, others) = others.split_at_mut(2);
        here.copy_from_slice(&member);
        others.copy_from_slice(after);
        let last = last.get_mut(..order_words(len / 2 + 1)).unwrap_or_default();
        if old_order == 0 {
            put_order(last, order);
            return Ok(pointer(at, OBJECT));
        }
        let places: &[u32] = bytemuck::cast_slice(old.get(len..).unwrap_or_default());
        let places = places.get(..len / 2).unwrap_or_default();
        let (low, high) = places.split_at(rank.min(places.len()));
        if let Some(last) = last.last_mut() {
            *last = 0;
        }
        let slots: &mut [u32] = bytemuck::cast_slice_mut(last);
        let (first, others) = slots.split_at_mut(low.len());
        first.copy_from_slice(low);
        if let Some((here, others)) = others.split_first_mut() {
            *here = to_u32(place);
            others.iter_mut().zip(high).for_each(|(slot, old)| *slot = *old);
        }
        if place < len {
            let here = low.len();
            for (at, slot) in slots.iter_mut().take(len / 2 + 1).enumerate() {
                *slot += if at != here && *slot >= to_u32(place) { 2 } else { 0 };
            }
        }
        Ok(pointer(at, OBJECT))
    }
}

/// Writes places into words.
fn put_order(words: &mut [Word], places: &[u32]) {
    if let Some(last) = words.last_mut() {
        *last = 0;
        let slots: &mut [u32] = bytemuck::cast_slice_mut(words);
        slots.iter_mut().zip(places).for_each(|(slot, place)| *slot = *place);
    }
}

/// Returns the members of a record that is a tree, as they are listed.
#[inline(never)]
fn tree_members(heap: &Heap, record: Word) -> Vec<Word> {
    let members = tree::leaves(heap, record).into_flattened();
    let Some(listed) = listed(heap, &members) else { return members };
    let member = |number: u32| members.get(2 * number as usize..2 * number as usize + 2);
    listed.into_iter().filter_map(member).flatten().copied().collect()
}

/// Returns the number that a key is, if it is one that is listed before all other keys.
pub(crate) fn number(heap: &Heap, key: Word) -> Option<u32> {
    let first = heap.word(index(key) + 2) & 0xff;
    if (0x30..0x3a).contains(&first) { index_in(heap.flat(key)) } else { None }
}

/// Returns the numbers of members in the order in which they are listed, if that is another one.
pub(crate) fn listed(heap: &Heap, members: &[Word]) -> Option<Vec<u32>> {
    let numbers: Vec<(u32, u32)> = (0..)
        .zip(members.iter().step_by(2))
        .filter_map(|(at, key)| Some((number(heap, *key)?, at)))
        .collect();
    let rises = |pair: &[(u32, u32)]| matches!(pair, [a, b] if a.0 < b.0);
    let is_listed = (0..).zip(&numbers).all(|(at, number)| number.1 == at);
    if is_listed && numbers.windows(2).all(rises) {
        return None;
    }
    let mut sorted = numbers;
    sorted.sort_unstable();
    let mut listed: Vec<u32> = sorted.iter().map(|(_, at)| *at).collect();
    sorted.sort_unstable_by_key(|(_, at)| *at);
    let mut numbers = sorted.iter().map(|(_, at)| *at).peekable();
    let others = 0..to_u32(members.len() / 2);
    listed.extend(others.filter(|at| numbers.next_if_eq(at).is_none()));
    Some(listed)
}
