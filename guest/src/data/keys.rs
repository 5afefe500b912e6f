//! Keys and members of records while they are read. Repeated keys share one text.

use crate::algorithm::lexical;
use crate::memory::heap::Heap;
use crate::memory::word::{UNIT, Word};
use std::ops::Range;

/// Places for known keys.
const PLACES: usize = 128;
/// Most members to sort by insertion.
const FEW: usize = 16;
/// Bytes of the longest key to remember.
const LONGEST: usize = 64;

/// Members of all open records, one after another, and known keys.
pub(crate) struct Keys {
    pub(crate) members: Vec<[Word; 2]>,
    met: [Word; PLACES],
    /// The key that came after the key at a place.
    follows: [Follower; PLACES],
    /// The place of the last key.
    last: u8,
    /// The keys of the last record whose keys are known to be sorted.
    risen: Vec<Word>,
}

/// A key that came after another one's value.
#[derive(Clone, Copy, Default)]
struct Follower {
    key: Word,
    place: u8,
    /// Whether it is the first key of a record.
    is_first: bool,
    /// The range of the JSON from the separator before the key to its colon.
    start: usize,
    bytes: usize,
}

impl Default for Keys {
    fn default() -> Self {
        let (members, risen, follows) = (Vec::new(), Vec::new(), [Follower::default(); PLACES]);
        Self { members, met: [UNIT; PLACES], follows, last: 0, risen }
    }
}

impl Keys {
    /// Begins a member if the JSON at a place repeats the JSON after the last key, from the
    /// separator to the colon. Returns the place of the member's value.
    #[inline(always)]
    pub(crate) fn expected(&mut self, json: &[u8], at: usize, is_first: bool) -> Option<usize> {
        let next = *self.follows.get(usize::from(self.last))?;
        let Follower { start, bytes, .. } = next;
        if bytes == 0 || next.is_first != is_first {
            return None;
        }
        let mut from = 0;
        while from < bytes {
            let word = |at: usize| Some(u64::from_le_bytes(*json.get(at..)?.first_chunk()?));
            let behind = 8 * (from + 8).saturating_sub(bytes);
            if (word(start + from)? ^ word(at + from)?) << behind != 0 {
                return None;
            }
            from += 8;
        }
        self.last = next.place;
        self.members.push([next.key, UNIT]);
        Some(at + bytes)
    }

    /// Begins a member. `json` is the range of its key with the separators around it.
    pub(crate) fn begin(
        &mut self,
        heap: &mut Heap,
        text: &[u8],
        is_first: bool,
        json: Range<usize>,
    ) -> Option<()> {
        let number = place(text);
        let place = self.met.get_mut(usize::from(number))?;
        if heap.flat_text(*place) != Some(text) {
            heap.grow(Heap::text_words(text.len())).ok()?;
            let key = heap.text_of(text).ok()?;
            if text.len() > LONGEST {
                self.members.push([key, UNIT]);
                return Some(());
            }
            *place = key;
        }
        let key = *place;
        self.members.push([key, UNIT]);
        *self.follows.get_mut(usize::from(self.last))? =
            Follower { key, place: number, is_first, start: json.start, bytes: json.len() };
        self.last = number;
        Some(())
    }

    /// Sets the value of the last member.
    pub(crate) fn give(&mut self, value: Word) {
        self.members.last_mut().into_iter().for_each(|member| member[1] = value);
    }

    /// Makes a record of the members from `start` on. Returns nothing if a key occurs twice.
    pub(crate) fn record(&mut self, heap: &mut Heap, start: usize) -> Option<Word> {
        let members = self.members.get_mut(start..)?;
        let rises = |pair: &[[Word; 2]]| match pair {
            [[a, _], [b, _]] => heap.compare_flat(*a, *b).is_lt(),
            _ => true,
        };
        let has_risen = members.len() == self.risen.len()
            && members.iter().zip(&self.risen).all(|(member, key)| member[0] == *key);
        if !has_risen {
            if !members.windows(2).all(rises) {
                sort(heap, members);
                if !members.windows(2).all(rises) {
                    return None;
                }
            }
            self.risen.clear();
            self.risen.extend(members.iter().take(PLACES).map(|member| member[0]));
        }
        heap.grow(1 + 2 * members.len()).ok()?;
        let record = heap.record(bytemuck::cast_slice(members)).ok()?;
        self.members.truncate(start);
        Some(record)
    }
}

/// Sorts members by their keys.
fn sort(heap: &Heap, members: &mut [[Word; 2]]) {
    if members.len() > FEW {
        let keys: Vec<Word> = members.iter().map(|[key, _]| *key).collect();
        let order = lexical::order(heap, &keys, false);
        let sorted = order.iter().filter_map(|at| members.get(*at as usize));
        let sorted: Vec<[Word; 2]> = sorted.copied().collect();
        return members.copy_from_slice(&sorted);
    }
    for end in 1..members.len() {
        for at in (1..=end).rev() {
            match members.get_mut(at - 1..=at) {
                Some([a, b]) if heap.compare_flat(a[0], b[0]).is_gt() => std::mem::swap(a, b),
                _ => break,
            }
        }
    }
}

/// Returns the place of a key among known keys.
fn place(key: &[u8]) -> u8 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let hash = key
        .iter()
        .take(LONGEST)
        .fold(key.len() as u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FACTOR));
    // INVARIANT: seven bits number all places.
    (hash >> 57) as u8
}
