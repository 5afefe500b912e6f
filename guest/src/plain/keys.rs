//! Keys and members of records that are being read. Keys that come again and again are one text.

use crate::heap::Heap;
use crate::value::{UNIT, Word};

/// Places for keys that were met.
const PLACES: usize = 128;
/// Bytes of the longest key that is kept.
const LONGEST: usize = 64;

/// Members of all open records, one after another, and the keys met so far.
pub(super) struct Keys {
    pub(super) members: Vec<[Word; 2]>,
    met: [Word; PLACES],
}

impl Default for Keys {
    fn default() -> Self {
        Self { members: Vec::new(), met: [UNIT; PLACES] }
    }
}

impl Keys {
    /// Begins a member.
    pub(super) fn begin(&mut self, heap: &mut Heap, text: &str) -> Option<()> {
        let place = self.met.get_mut(place(text.as_bytes()))?;
        if heap.flat_text(*place) != Some(text.as_bytes()) {
            heap.grow(Heap::text_words(text.len())).ok()?;
            let key = heap.text(text).ok()?;
            if text.len() > LONGEST {
                self.members.push([key, UNIT]);
                return Some(());
            }
            *place = key;
        }
        self.members.push([*place, UNIT]);
        Some(())
    }

    /// The value of the member that was begun last.
    pub(super) fn give(&mut self, value: Word) {
        self.members.last_mut().into_iter().for_each(|member| member[1] = value);
    }

    /// The record of the members from a place on; nothing if a key stands twice.
    pub(super) fn record(&mut self, heap: &mut Heap, start: usize) -> Option<Word> {
        let members = self.members.get_mut(start..)?;
        let rises = |pair: &[[Word; 2]]| match pair {
            [[a, _], [b, _]] => heap.flat(*a) < heap.flat(*b),
            _ => true,
        };
        if !members.windows(2).all(rises) {
            heap.sort_members(members);
            if !members.windows(2).all(rises) {
                return None;
            }
        }
        heap.grow(1 + 2 * members.len()).ok()?;
        let record = heap.record(bytemuck::cast_slice(members)).ok()?;
        self.members.truncate(start);
        Some(record)
    }
}

/// Where a key would be among those that were met.
fn place(key: &[u8]) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let hash = key
        .iter()
        .take(LONGEST)
        .fold(key.len() as u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FACTOR));
    (hash >> 57) as usize % PLACES
}
