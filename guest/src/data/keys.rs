//! Keys and members of records while they are read. Repeated keys share one text.

use crate::algorithm::record;
use crate::memory::heap::{Full, Heap};
use crate::memory::index::FACTOR;
use crate::memory::record::Shape;
use crate::memory::word::{UNIT, Word, index};
use std::ops::Range;

/// Places for known keys.
const PLACES: usize = 128;
/// Shapes of records to remember.
const SHAPES: usize = 8;
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
    /// The keys of records that have been read, and how these lie on the heap. An empty record has
    /// the default shape.
    shapes: [(Vec<Word>, Shape); SHAPES],
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
        let (members, shapes, follows) =
            (Vec::new(), Default::default(), [Follower::default(); PLACES]);
        Self { members, met: [UNIT; PLACES], follows, last: 0, shapes }
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
    ) -> Result<(), Full> {
        let number = place(text);
        let known = self.met.get(usize::from(number)).copied().unwrap_or(UNIT);
        let key = if heap.flat_text(known) == Some(text) {
            known
        } else {
            heap.grow(Heap::text_words(text.len()))?;
            heap.text_of(text)?
        };
        self.members.push([key, UNIT]);
        if text.len() > LONGEST {
            return Ok(());
        }
        self.met.get_mut(usize::from(number)).into_iter().for_each(|place| *place = key);
        let next = Follower { key, place: number, is_first, start: json.start, bytes: json.len() };
        self.follows.get_mut(usize::from(self.last)).into_iter().for_each(|place| *place = next);
        self.last = number;
        Ok(())
    }

    /// Sets the value of the last member.
    pub(crate) fn give(&mut self, value: Word) {
        self.members.last_mut().into_iter().for_each(|member| member[1] = value);
    }

    /// Makes a record of the members from `start` on. Returns nothing if a key occurs twice.
    pub(crate) fn record(&mut self, heap: &mut Heap, start: usize) -> Result<Option<Word>, Full> {
        let members = self.members.get(start..).unwrap_or_default();
        let first = members.first().map_or(0, |member| index(member[0]));
        #[expect(clippy::indexing_slicing, reason = "a remainder is less than the length")]
        let known = &mut self.shapes[(first ^ members.len()) % SHAPES];
        let is_known = members.len() == known.0.len()
            && members.iter().zip(&known.0).all(|(member, key)| member[0] == *key);
        heap.grow(Heap::record_words(members.len()))?;
        let words = bytemuck::cast_slice(members);
        let record = if is_known {
            known.1.record(heap, words)?
        } else {
            let Some(shape) = record::shape_of(heap, words) else { return Ok(None) };
            let record = shape.record(heap, words)?;
            if members.len() <= PLACES {
                known.0.clear();
                known.0.extend(members.iter().map(|member| member[0]));
                known.1 = shape;
            }
            record
        };
        self.members.truncate(start);
        Ok(Some(record))
    }
}

/// Returns the place of a key among known keys.
fn place(key: &[u8]) -> u8 {
    let hash = key
        .iter()
        .take(LONGEST)
        .fold(key.len() as u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FACTOR));
    // INVARIANT: seven bits number all places.
    (hash >> 57) as u8
}
