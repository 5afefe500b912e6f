//! Maps and sets: values under keys that are equal as `eq` says, in the order in which the keys
//! came. A changed map shares all but one path with the old one.
//!
//! The keys stand in a crit-bit tree (see `tree`) on the heap. The bits of a key are those of its
//! mark, which is a hash and a length, then those of its canonical bytes. So the tree is about as
//! deep as the number of keys has bits, and no deeper than a key has, whatever the keys are. Each
//! key has a number: the order of the keys.

use crate::algorithm::canonical::{self, Canonical, Failed};
use crate::algorithm::weight;
use crate::memory::heap::{Heap, Sought};
use crate::memory::index;
use crate::memory::tagged::{BRANCH, LEAF};
use crate::memory::tree::Leaf;
use crate::memory::word::{
    KIND_TAGGED, OBJECT, UNIT, Word, as_small, header, index as place, is_integer, pointer, small,
};
use pif_core::limits;
use pif_language::term::Terms;

/// Words of a map, and of each key in it.
pub(crate) const MAP_WORDS: usize = 4;
pub(crate) const KEY_WORDS: usize = LEAF_WORDS + BRANCH_WORDS;
const LEAF_WORDS: usize = 5;
const BRANCH_WORDS: usize = 4;
const BRANCH_HEADER: Word = header(KIND_TAGGED, BRANCH_WORDS, BRANCH);

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

    /// Returns a text as a key.
    pub(crate) fn text(text: &[u8]) -> Self {
        Self::short_text(text).unwrap_or_else(|| Self::from(canonical::of_text(text)))
    }

    /// Returns a small integer or a short text as a key, without asking for memory.
    fn plain(heap: &Heap, v: Word) -> Option<Self> {
        if !is_integer(v) {
            return Self::short_text(heap.flat_text(v)?);
        }
        let mut short = [0; SHORT];
        let [kind, number @ ..] = &mut short;
        *kind = b'i';
        *number.first_chunk_mut()? = as_small(v).to_le_bytes();
        Self::short(short, TEXT_START)
    }

    fn short_text(text: &[u8]) -> Option<Self> {
        let mut short = [0; SHORT];
        let [kind, rest @ ..] = &mut short;
        *kind = b't';
        let (size, place) = rest.split_first_chunk_mut()?;
        *size = (text.len() as u64).to_le_bytes();
        place.get_mut(..text.len())?.copy_from_slice(text);
        Self::short(short, TEXT_START + text.len())
    }

    fn short(short: [u8; SHORT], length: usize) -> Option<Self> {
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

    /// Returns the first bit where the key of a leaf differs, which `read` reads.
    fn differs(&self, leaf: &Leaf, read: impl FnOnce(Word) -> Option<Self>) -> Option<u64> {
        if leaf.mark != self.mark {
            return Some(u64::from((leaf.mark ^ self.mark).trailing_zeros()));
        }
        self.differs_in_bytes(&read(leaf.key)?)
    }

    /// Returns the first bit where a key of the same mark differs.
    // It has as many bytes unless both are very long.
    fn differs_in_bytes(&self, other: &Self) -> Option<u64> {
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
    sought(heap, map, key, |other| Key::of(heap, terms, other, u64::MAX).1.ok())
}

/// Finds a key where all keys are flat texts.
pub(crate) fn find_text(heap: &Heap, map: Word, key: &Key) -> Sought {
    sought(heap, map, key, |other| heap.flat_text(other).map(Key::text))
}

/// Returns a leaf whose key agrees with another one in all bits that tell the keys of the map apart.
pub(crate) fn nearest(heap: &Heap, map: Word, key: &Key) -> Option<Word> {
    let [mut at, _, _] = heap.tagged_words(map);
    if at == UNIT {
        return None;
    }
    while let Some(branch) = branch_at(heap, at) {
        at = next(branch, key).1;
    }
    Some(at)
}

fn sought(heap: &Heap, map: Word, key: &Key, read: impl FnOnce(Word) -> Option<Key>) -> Sought {
    let [mut at, _, _] = heap.tagged_words(map);
    let mut sought = Sought { leaf: None, differs: 0, depth: 0 };
    if at == UNIT {
        return sought;
    }
    while let Some(branch) = branch_at(heap, at) {
        at = next(branch, key).1;
        sought.depth += 1;
    }
    match key.differs(&Leaf::at(heap, at), read) {
        Some(bit) => sought.differs = bit,
        None => sought.leaf = Some(at),
    }
    sought
}

/// Returns the words of a node of a tree, if it is a branch.
#[inline(always)]
fn branch_at(heap: &Heap, node: Word) -> Option<[Word; 3]> {
    match heap.words.get(place(node)..).and_then(<[Word]>::first_chunk::<BRANCH_WORDS>) {
        Some([BRANCH_HEADER, words @ ..]) => Some(*words),
        _ => None,
    }
}

/// Makes a branch: the bit, the side of the keys without it, and that of the others.
#[inline(always)]
fn make_branch(heap: &mut Heap, [bit, zero, one]: [Word; 3]) -> Word {
    let at = heap.claim(BRANCH_WORDS);
    heap.put(at, &[BRANCH_HEADER, bit, zero, one]);
    pointer(at, OBJECT)
}

/// Returns the side of a branch on which a key is, and what is there.
#[inline(always)]
fn next([bit, zero, one]: [Word; 3], key: &Key) -> (bool, Word) {
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

/// Makes the tree of keys and values, of which there are some. The keys are flat texts, each once.
/// Returns its root. There must be room for the `KEY_WORDS` of each.
// The leaves stand in the order of the bits of their keys. Each branch is where two that follow one
// another differ, and one of a lower bit is above those of higher ones.
pub(crate) fn root_of(heap: &mut Heap, members: &[Word]) -> Word {
    let key =
        |heap: &Heap, at: usize| Key::text(heap.flat(members.get(2 * at).copied().unwrap_or(UNIT)));
    let marks = (0..members.len() / 2).map(|at| (key(heap, at).mark.reverse_bits(), at));
    let mut order: Vec<(u64, usize)> = marks.collect();
    let differs = |heap: &Heap, a: (u64, usize), b: (u64, usize)| match a.0 ^ b.0 {
        0 => key(heap, a.1).differs_in_bytes(&key(heap, b.1)),
        bits => Some(u64::from(bits.leading_zeros())),
    };
    order.sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| match differs(heap, *a, *b) {
            Some(bit) => key(heap, a.1).bit(bit).cmp(&key(heap, b.1).bit(bit)),
            None => a.1.cmp(&b.1),
        })
    });
    // The branches whose second side is not complete, with their first sides.
    let mut open: Vec<(u64, Word)> = Vec::new();
    let close = |heap: &mut Heap, open: &mut Vec<(u64, Word)>, mut node: Word, below: u64| {
        while let Some((bit, first)) = open.pop_if(|(bit, _)| *bit >= below) {
            node = make_branch(heap, [small(bit.cast_signed()), first, node]);
        }
        node
    };
    let mut last = None;
    for this in order {
        let at = 2 * this.1;
        let Some([word, value]) = members.get(at..).and_then(<[Word]>::first_chunk).copied() else {
            break;
        };
        if let Some((before, node)) = last {
            let bit = differs(heap, before, this).unwrap_or_default();
            let node = close(heap, &mut open, node, bit);
            open.push((bit, node));
        }
        let name = Key::text(heap.flat(word));
        let number = small(i64::try_from(this.1).unwrap_or_default());
        last = Some((this, make_leaf(heap, &name, [number, word, value])));
    }
    last.map_or(UNIT, |(_, node)| close(heap, &mut open, node, 0))
}

/// Does `insert`. Objects from `own` on may be changed.
pub(crate) fn put(
    heap: &mut Heap,
    map: Word,
    (key, sought): (&Key, &Sought),
    [word, value]: [Word; 2],
    own: usize,
) -> Word {
    let [root, count, number] = heap.tagged_words(map);
    let (mut at, mut path) = (root, Vec::with_capacity(sought.depth));
    while at != UNIT
        && let Some(branch) = branch_at(heap, at)
    {
        if sought.leaf.is_none() && as_small(branch[0]).cast_unsigned() > sought.differs {
            break;
        }
        let (side, below) = next(branch, key);
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
    made(heap, map, words)
}

/// Makes a map or set of these words, of the kind of another.
fn made(heap: &mut Heap, like: Word, words: [Word; 3]) -> Word {
    let at = heap.claim(MAP_WORDS);
    heap.put(at, &[heap.header(like)]);
    heap.put(at + 1, &words);
    pointer(at, OBJECT)
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
    make_branch(heap, [small(bit.cast_signed()), zero, one])
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
        node = make_branch(heap, sides);
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
    while let Some(branch) = branch_at(heap, at) {
        let (side, below) = next(branch, key);
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
    made(heap, map, [root, small(as_small(count) - 1), number])
}
