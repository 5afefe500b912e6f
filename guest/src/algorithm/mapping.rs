//! Maps and sets: values under keys that are equal as `eq` says, in the order in which the keys
//! came. A changed map shares all but one path with the old one.
//!
//! The keys stand in a crit-bit tree (see `tree`) on the heap. The bits of a key are those of its
//! mark, which is a hash and a length, then those of its canonical bytes. So the tree is about as
//! deep as the number of keys has bits, and no deeper than a key has, whatever the keys are. Each
//! key has a number: the order of the keys.

use crate::algorithm::canonical::{Canonical, Failed};
use crate::algorithm::entries::Leaf;
use crate::algorithm::weight;
use crate::memory::heap::Heap;
use crate::memory::index;
use crate::memory::tagged::{BRANCH, LEAF};
use crate::memory::word::{UNIT, Word, as_small, index as place, is_integer, small};
use pif_core::limits;
use pif_language::term::Terms;

/// Words of a map, and of each key in it.
pub(crate) const MAP_WORDS: usize = 4;
pub(crate) const KEY_WORDS: usize = LEAF_WORDS + BRANCH_WORDS;
const LEAF_WORDS: usize = 5;
const BRANCH_WORDS: usize = 4;

/// Bits of a mark: those of the hash, then those of the length.
const HASH_BITS: u32 = 40;
const LENGTH_BITS: u32 = 22;
const MARK_BITS: u64 = (HASH_BITS + LENGTH_BITS) as u64;

/// A key outside the heap.
pub(crate) struct Key {
    mark: u64,
    /// The canonical bytes, if they are few, else `long`.
    short: [u8; SHORT],
    length: usize,
    long: Vec<u8>,
}

/// The most of those few bytes; the first of a text, or all of a small integer.
const SHORT: usize = 32;
const TEXT_START: usize = 9;

impl Key {
    /// Returns a value as a key, and the work of reading it, which may exceed the budget.
    pub(crate) fn of(
        heap: &Heap,
        terms: &Terms,
        v: Word,
        budget: u64,
    ) -> (u64, Result<Self, Failed>) {
        if let Some(key) = Self::plain(heap, v)
            && budget > SHORT as u64
        {
            return (weight::text_work(heap, v), Ok(key));
        }
        let mut canonical = Canonical::new(heap, terms, budget);
        let written = canonical.write(v, limits::aside(heap.limit));
        (canonical.work, written.map(|()| Self::from(canonical.bytes)))
    }

    /// Returns a small integer or a short text as a key, without asking for memory.
    fn plain(heap: &Heap, v: Word) -> Option<Self> {
        let mut short = [0; SHORT];
        let length = if is_integer(v) {
            let [kind, number @ ..] = &mut short;
            *kind = b'i';
            *number.first_chunk_mut()? = as_small(v).to_le_bytes();
            TEXT_START
        } else {
            let text = heap.flat_text(v)?;
            let [kind, rest @ ..] = &mut short;
            *kind = b't';
            let (size, place) = rest.split_first_chunk_mut()?;
            *size = (text.len() as u64).to_le_bytes();
            place.get_mut(..text.len())?.copy_from_slice(text);
            TEXT_START + text.len()
        };
        let mark = mark(short.get(..length)?);
        Some(Self { mark, short, length, long: Vec::new() })
    }

    fn from(long: Vec<u8>) -> Self {
        Self { mark: mark(&long), short: [0; SHORT], length: 0, long }
    }

    fn bytes(&self) -> &[u8] {
        if self.length > 0 { self.short.get(..self.length).unwrap_or_default() } else { &self.long }
    }

    /// Tells whether a bit is set. Those beyond the last are not.
    fn bit(&self, bit: u64) -> bool {
        let Some(bit) = bit.checked_sub(MARK_BITS) else { return self.mark >> bit & 1 == 1 };
        let byte = usize::try_from(bit / 8).ok().and_then(|at| self.bytes().get(at));
        byte.is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    /// Returns the first bit where the key of a leaf differs.
    fn differs(&self, heap: &Heap, terms: &Terms, leaf: &Leaf) -> Option<u64> {
        if leaf.mark != self.mark {
            return Some(u64::from((leaf.mark ^ self.mark).trailing_zeros()));
        }
        // It is known to have bytes, which are as many unless both keys are very long.
        let (_, other) = Self::of(heap, terms, leaf.key, u64::MAX);
        let other = other.ok()?;
        let pairs = self.bytes().iter().zip(other.bytes()).zip(0_u64..);
        let differing = pairs.map(|((x, y), at)| (x ^ y, at)).find(|(bits, _)| *bits != 0);
        differing.map(|(bits, at)| MARK_BITS + 8 * at + u64::from(bits.trailing_zeros()))
    }
}

/// Returns the mark of canonical bytes.
fn mark(bytes: &[u8]) -> u64 {
    let length = (bytes.len() as u64).min((1 << LENGTH_BITS) - 1);
    length << HASH_BITS | index::hash(bytes) >> (64 - HASH_BITS)
}

/// Where a key is, or where it belongs.
pub(crate) struct Sought {
    leaf: Option<Word>,
    /// The first bit that differs from the nearest key.
    differs: u64,
    /// Branches on the way.
    depth: usize,
}

impl Sought {
    /// Returns the value under the key.
    pub(crate) fn value(&self, heap: &Heap) -> Option<Word> {
        self.leaf.map(|leaf| Leaf::at(heap, leaf).value)
    }

    /// Counts the words that a map with this key has more, or without it.
    pub(crate) fn words(&self) -> usize {
        MAP_WORDS + KEY_WORDS + BRANCH_WORDS * self.depth
    }
}

/// Makes an empty map or set. There must be room for `MAP_WORDS`.
pub(crate) fn empty(heap: &mut Heap, kind: u32) -> Word {
    heap.make_tagged(kind, [UNIT, small(0), small(0)])
}

/// Finds a key.
pub(crate) fn find(heap: &Heap, terms: &Terms, map: Word, key: &Key) -> Sought {
    let [mut at, _, _] = heap.tagged_words(map);
    let mut sought = Sought { leaf: None, differs: 0, depth: 0 };
    if at == UNIT {
        return sought;
    }
    while heap.tagged(at) == BRANCH {
        at = next(heap, at, key).1;
        sought.depth += 1;
    }
    match key.differs(heap, terms, &Leaf::at(heap, at)) {
        Some(bit) => sought.differs = bit,
        None => sought.leaf = Some(at),
    }
    sought
}

/// Returns the side of a branch on which a key is, and what is there.
fn next(heap: &Heap, branch: Word, key: &Key) -> (bool, Word) {
    let [bit, zero, one] = heap.tagged_words(branch);
    let side = key.bit(as_small(bit).cast_unsigned());
    (side, if side { one } else { zero })
}

/// Returns the map with a value under a key, which was sought in it. There must be room for the
/// words of `Sought`. A key that is there keeps its place.
pub(crate) fn insert(
    heap: &mut Heap,
    map: Word,
    (key, sought): (&Key, &Sought),
    words: [Word; 2],
) -> Word {
    put(heap, map, (key, sought), words, usize::MAX)
}

/// Puts a value under a key into a map that was begun at `own` of the heap, or later. There must be
/// room for `KEY_WORDS`.
pub(crate) fn add(
    heap: &mut Heap,
    terms: &Terms,
    (map, own): (Word, usize),
    key: &Key,
    words: [Word; 2],
) {
    let sought = find(heap, terms, map, key);
    put(heap, map, (key, &sought), words, own);
}

/// Does `insert`. Objects from `own` on may be changed.
fn put(
    heap: &mut Heap,
    map: Word,
    (key, sought): (&Key, &Sought),
    [word, value]: [Word; 2],
    own: usize,
) -> Word {
    let [root, count, number] = heap.tagged_words(map);
    let (mut at, mut path) = (root, Vec::with_capacity(sought.depth));
    while heap.tagged(at) == BRANCH {
        let [bit, _, _] = heap.tagged_words(at);
        if sought.leaf.is_none() && as_small(bit).cast_unsigned() > sought.differs {
            break;
        }
        let (side, below) = next(heap, at, key);
        path.push((at, side));
        at = below;
    }
    let (node, more) = match sought.leaf {
        Some(leaf) => {
            let Leaf { number, key: word, .. } = Leaf::at(heap, leaf);
            (make_leaf(heap, key, [number, word, value]), 0)
        }
        None => {
            let leaf = make_leaf(heap, key, [number, word, value]);
            (branch(heap, root, at, (key, sought.differs), leaf), 1)
        }
    };
    let root = above(heap, root, path, node, own);
    let words = [root, small(as_small(count) + more), small(as_small(number) + more)];
    if place(map) >= own {
        heap.put(place(map) + 1, &words);
        return map;
    }
    let kind = heap.tagged(map);
    heap.make_tagged(kind, words)
}

fn make_leaf(heap: &mut Heap, key: &Key, [number, word, value]: [Word; 3]) -> Word {
    heap.make_tagged(LEAF, [small(key.mark.cast_signed()), number, word, value])
}

/// Returns a branch of what is there and a new leaf, or the leaf if nothing is.
fn branch(heap: &mut Heap, root: Word, there: Word, (key, bit): (&Key, u64), leaf: Word) -> Word {
    if root == UNIT {
        return leaf;
    }
    let [zero, one] = if key.bit(bit) { [there, leaf] } else { [leaf, there] };
    heap.make_tagged(BRANCH, [small(bit.cast_signed()), zero, one])
}

/// Returns the root of a tree in which a node stands at the end of a path.
fn above(heap: &mut Heap, root: Word, path: Vec<(Word, bool)>, mut node: Word, own: usize) -> Word {
    for (branch, side) in path.into_iter().rev() {
        if place(branch) >= own {
            heap.put(place(branch) + 2 + usize::from(side), &[node]);
            return root;
        }
        let [bit, zero, one] = heap.tagged_words(branch);
        let sides = if side { [bit, zero, node] } else { [bit, node, one] };
        node = heap.make_tagged(BRANCH, sides);
    }
    node
}

/// Returns the map without a key, which was sought in it. There must be room for the words of
/// `Sought`.
pub(crate) fn remove(heap: &mut Heap, map: Word, (key, sought): (&Key, &Sought)) -> Word {
    if sought.leaf.is_none() {
        return map;
    }
    let [root, count, number] = heap.tagged_words(map);
    let (mut at, mut path) = (root, Vec::with_capacity(sought.depth));
    while heap.tagged(at) == BRANCH {
        let (side, below) = next(heap, at, key);
        path.push((at, side));
        at = below;
    }
    let root = match path.pop() {
        None => UNIT,
        Some((branch, side)) => {
            let [_, zero, one] = heap.tagged_words(branch);
            above(heap, root, path, if side { zero } else { one }, usize::MAX)
        }
    };
    let kind = heap.tagged(map);
    heap.make_tagged(kind, [root, small(as_small(count) - 1), number])
}
