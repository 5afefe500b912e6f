//! A hash index for a large record with many look-ups. A binary search visits as many distant
//! places as the record's size has bits. The index changes only the time of a look-up.

use crate::memory::heap::{FOUND, Heap, Index};
use crate::memory::word::{Word, aux, index};
use pif_core::limits::to_u32;

/// The factor of hashes: 2^64 by the golden ratio.
pub(crate) const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// Members of the smallest record with an index.
const MANY: usize = 256;
/// Look-ups per member before the index is made, as a shift.
const PATIENCE: u32 = 7;
/// Places to try for a key. An attacker can make known hashes collide; keys without a free place
/// are left to the binary search.
const REACH: usize = 16;

/// The answer of an index.
pub(crate) enum Known {
    /// The key's place among the members.
    At(usize),
    Absent,
}

impl Heap {
    /// Finds a key, which is a flat text, among the members of a record, if the index knows.
    pub(crate) fn indexed(&mut self, record: Word, key: Word) -> Option<Known> {
        let members = self.flat_members(record).len() / 2;
        if members < MANY {
            return None;
        }
        if self.index.record != record {
            self.index = Index { record, looked_up: 1, table: Vec::new() };
            return None;
        }
        if self.index.table.is_empty() {
            self.index.looked_up += 1;
            if self.index.looked_up < members >> PATIENCE || !self.make_index(members) {
                return None;
            }
        }
        let (hash, members) = (self.hash(key), self.flat_members(record));
        for place in places(hash, self.index.table.len()) {
            let entry = self.index.table.get(place).copied()?;
            let Some(number) = (entry & u64::from(u32::MAX)).checked_sub(1) else {
                return Some(Known::Absent);
            };
            let at = 2 * usize::try_from(number).ok()?;
            if entry >> 32 == hash >> 32 && self.same_flat(*members.get(at)?, key) {
                return Some(Known::At(at));
            }
        }
        None
    }

    /// Returns the place where a key that lies here was found last. Records of one shape have a key at
    /// one place.
    #[inline(always)]
    pub(crate) fn last_place(&self, key: Word) -> usize {
        self.found.get(slot(key)).map_or(0, |place| *place as usize)
    }

    /// Remembers where a key that lies here was found.
    #[inline]
    pub(crate) fn remember_place(&mut self, key: Word, place: usize) {
        let slot = self.found.get_mut(slot(key));
        slot.into_iter().for_each(|slot| *slot = to_u32(place));
    }

    /// Makes the index, unless it would be large for the memory limit.
    fn make_index(&mut self, members: usize) -> bool {
        let len = (2 * members).next_power_of_two();
        if len > self.limit / 8 {
            return false;
        }
        let mut table = vec![0; len];
        for (number, member) in (1..).zip(self.flat_members(self.index.record).chunks_exact(2)) {
            let [key, _] = member else { continue };
            let hash = self.hash(*key);
            let free = places(hash, len).find(|place| table.get(*place) == Some(&0));
            if let Some(place) = free.and_then(|place| table.get_mut(place)) {
                *place = hash >> 32 << 32 | number;
            }
        }
        self.index.table = table;
        true
    }

    /// Hashes a flat text to 64 bits. The upper half is better.
    #[inline]
    pub(crate) fn hash(&self, text: Word) -> u64 {
        spread(self.flat_words(text).iter().copied(), u64::from(aux(self.header(text))))
    }
}

/// Returns the slot for the place of a key. The keys of a program mostly lie a few words apart.
#[inline(always)]
fn slot(key: Word) -> usize {
    let at = index(key);
    (at ^ at >> 4) % FOUND
}

/// Hashes the bytes of a text, as `Heap::hash` does.
pub(crate) fn hash(text: &[u8]) -> u64 {
    let (whole, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
    let words = whole.iter().chain((!rest.is_empty()).then_some(&last));
    spread(words.map(|word| u64::from_le_bytes(*word)), text.len() as u64)
}

// INVARIANT: two different single words of equal length have different hashes, since each step is
// reversible. Grouping tells short texts apart by it.
#[inline(always)]
fn spread(words: impl Iterator<Item = u64>, length: u64) -> u64 {
    let hash = words.fold(length.wrapping_mul(FACTOR), |hash, word| {
        let mixed = (hash ^ word).wrapping_mul(FACTOR);
        mixed ^ mixed >> 29
    });
    // The last bytes of the last word have reached only the highest bits.
    (hash ^ hash >> 32).wrapping_mul(FACTOR)
}

/// Iterates over the places for a hash in a table of `len` places.
fn places(hash: u64, len: usize) -> impl Iterator<Item = usize> {
    let first = usize::try_from(hash >> 32).unwrap_or_default();
    (0..REACH).map(move |i| first.wrapping_add(i) & (len - 1))
}
