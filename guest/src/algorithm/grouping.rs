//! Groups of equal values, as `eq` defines it, in order of first occurrence. A hash table finds
//! them. The hash alone identifies a small integer, or a text of up to eight bytes. Any other value
//! has canonical bytes. An attacker can make known hashes collide, so keys without a near place go
//! into a tree, which bounds the cost of a look-up.

use crate::algorithm::canonical::{Canonical, Failed, text_in};
use crate::algorithm::tree::Tree;
use crate::memory::heap::Heap;
use crate::memory::index;
use crate::memory::index::FACTOR;
use crate::memory::word::{NIL, Word, as_small, aux, fit, is_integer, size};
use pif_core::limits;
use pif_language::term::Terms;

/// Places to try for a key before the tree.
const REACH: usize = 32;
/// Bytes of a group besides its key's: place, hash and share of the table, with the garbage of
/// their growth.
const KEY_BYTES: usize = 40;
/// Those bytes for a key without bytes.
const PLAIN_BYTES: usize = 36;
/// More bytes of a key in the tree.
const FAR_BYTES: usize = 72;
/// Stands for the key of a small integer, which its hash identifies.
const INTEGER: Word = NIL;
/// Places of the first table.
const FIRST: usize = 64;

/// The groups seen so far.
pub(crate) struct Groups<'h> {
    heap: &'h Heap,
    /// The canonical bytes of keys.
    written: Canonical<'h>,
    /// Key and hash of each group. The key is `INTEGER`, the header of a text of up to a word, or
    /// the `span` of its bytes.
    keys: Vec<(Word, u64)>,
    /// The number of groups whose keys have no bytes.
    plain: usize,
    /// A power of two of places. Each holds a group's number, counted from 1, or 0.
    table: Vec<u32>,
    /// The groups whose keys are not in the table, and their number.
    far: Tree,
    far_count: usize,
}

impl<'h> Groups<'h> {
    /// Starts without groups, for `n` values.
    pub(crate) fn new(heap: &'h Heap, terms: &'h Terms, budget: u64, n: usize) -> Self {
        let keys = Vec::with_capacity(n.min(Self::most(heap)));
        Self {
            heap,
            written: Canonical::new(heap, terms, budget),
            keys,
            plain: 0,
            table: vec![0; FIRST],
            far: Tree::default(),
            far_count: 0,
        }
    }

    /// Returns a number of groups that cannot fit. To reserve that many costs nothing until use,
    /// but a growing table leaves garbage that nothing else fits into.
    pub(crate) fn most(heap: &Heap) -> usize {
        let most = limits::aside(heap.limit) / PLAIN_BYTES as u64 + 1;
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// Counts the groups.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the work on all keys so far.
    pub(crate) fn work(&self) -> u64 {
        self.written.work
    }

    /// Returns the group of a value: a new one if no earlier value equals it.
    #[inline(always)]
    pub(crate) fn group(&mut self, v: Word) -> Result<u32, Failed> {
        if is_integer(v) {
            self.group_small(as_small(v))
        } else if self.heap.is_flat(v) {
            self.group_text(v)
        } else {
            self.group_other(v)
        }
    }

    /// Returns the group of a flat text. Only a long, new text is copied.
    fn group_text(&mut self, v: Word) -> Result<u32, Failed> {
        let (heap, head) = (self.heap, self.heap.header(v));
        self.written.pay_text(aux(head).into())?;
        let hash = heap.hash(v);
        if size(head) <= Heap::text_words(8) {
            return self.group_told(head, hash);
        }
        let is_this = |known| {
            let known = text_in(self.bytes_of(known));
            known.is_some_and(|known| same(known, heap.flat(v)))
        };
        match self.look_up(hash, is_this) {
            Ok(group) => Ok(group),
            Err(place) => {
                let start = self.written.bytes.len();
                self.written.append_text(v, aux(head).into())?;
                self.add_written(start, hash, place)
            }
        }
    }

    /// Returns the group of a small integer.
    fn group_small(&mut self, n: i64) -> Result<u32, Failed> {
        self.group_told(INTEGER, mixed(n.cast_unsigned()))
    }

    /// Returns the group of a key that its hash identifies.
    #[inline(always)]
    fn group_told(&mut self, key: Word, hash: u64) -> Result<u32, Failed> {
        match self.look_up(hash, |known| known == key) {
            Ok(group) => Ok(group),
            Err(place) => self.find_far(key, hash, place),
        }
    }

    /// Returns the group of any other value, by its canonical bytes.
    #[inline(never)]
    fn group_other(&mut self, v: Word) -> Result<u32, Failed> {
        let start = self.written.bytes.len();
        let others = self.taken() - start as u64;
        self.written.write(v, limits::aside(self.heap.limit).saturating_sub(others))?;
        let key = self.written.bytes.get(start..).unwrap_or_default();
        if let [b'i', n @ ..] = key
            && let Ok(n) = n.try_into()
        {
            // A whole float equals an integer.
            self.written.bytes.truncate(start);
            return self.group_small(i64::from_le_bytes(n));
        }
        let text = text_in(key);
        let hash = index::hash(text.unwrap_or(key));
        if let Some(text) = text
            && text.len() <= 8
        {
            let head = Heap::text_header(text.len());
            self.written.bytes.truncate(start);
            return self.group_told(head, hash);
        }
        match self.look_up(hash, |known| same(self.bytes_of(known), key)) {
            Ok(group) => {
                self.written.bytes.truncate(start);
                Ok(group)
            }
            Err(place) => self.add_written(start, hash, place),
        }
    }

    /// Returns the group of a key whose bytes begin at `start` and which is not in the table.
    fn add_written(
        &mut self,
        start: usize,
        hash: u64,
        place: Option<usize>,
    ) -> Result<u32, Failed> {
        let key = span(start, self.written.bytes.len() - start).ok_or(Failed::Full)?;
        let groups = self.keys.len();
        let group = self.find_far(key, hash, place)?;
        if self.keys.len() == groups {
            // The group existed.
            self.written.bytes.truncate(start);
        }
        Ok(group)
    }

    /// Returns the group of a key that is not in the table: a new one if it is not in the tree
    /// either.
    #[inline(always)]
    fn find_far(&mut self, key: Word, hash: u64, place: Option<usize>) -> Result<u32, Failed> {
        let place = match place {
            Some(place) if self.far_count == 0 => Place::Table(place),
            _ => match (self.in_tree(key, hash), place) {
                (Ok(group), _) => return Ok(group),
                (Err(_), Some(place)) => Place::Table(place),
                (Err(differs), None) => Place::Tree(differs),
            },
        };
        self.add(key, hash, place)
    }

    /// Returns the group of a key in the tree, or the first bit where it differs from the nearest
    /// key.
    #[inline(never)]
    fn in_tree(&self, key: Word, hash: u64) -> Result<u32, Option<u64>> {
        let this = self.key(key, hash);
        let Some(nearest) = self.far.nearest(this.bits(), |bit| this.bit(bit)) else {
            return Err(None);
        };
        let (key, hash) = self.keys.get(nearest as usize).copied().unwrap_or_default();
        match this.differs(&self.key(key, hash)) {
            None => Ok(nearest),
            bit => Err(bit),
        }
    }

    /// Adds a group.
    fn add(&mut self, key: Word, hash: u64, place: Place) -> Result<u32, Failed> {
        let group = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        if 2 * self.keys.len() + 2 > self.table.len() {
            self.enlarge();
            self.put(group, key, hash, self.free(key, hash));
        } else {
            self.put(group, key, hash, place);
        }
        self.keys.push((key, hash));
        self.plain += usize::from(!is_integer(key));
        if self.taken() > limits::aside(self.heap.limit) { Err(Failed::Full) } else { Ok(group) }
    }

    /// Returns the group of a matching key, or the free place for it, if one is in reach.
    #[inline(always)]
    fn look_up(&self, hash: u64, is_key: impl Fn(Word) -> bool) -> Result<u32, Option<usize>> {
        for place in self.places(hash) {
            let found = self.table.get(place).copied().unwrap_or_default();
            let Some(group) = found.checked_sub(1) else { return Err(Some(place)) };
            let known = self.keys.get(group as usize);
            if known.is_some_and(|(key, known)| *known == hash && is_key(*key)) {
                return Ok(group);
            }
        }
        Err(None)
    }

    /// Returns the bytes of a key. A key that its hash identifies has none.
    fn bytes_of(&self, key: Word) -> &[u8] {
        let span = if is_integer(key) { as_small(key) } else { 0 };
        let [start, len] = [span & i64::from(u32::MAX), span >> u32::BITS]
            .map(|n| usize::try_from(n).unwrap_or_default());
        self.written.bytes.get(start..start + len).unwrap_or_default()
    }

    fn key(&self, key: Word, hash: u64) -> Key<'_> {
        let first = if is_integer(key) { 0 } else { key };
        Key { first: [hash, first], bytes: self.bytes_of(key) }
    }

    /// Counts the bytes of all groups. The count is equal on every platform.
    fn taken(&self) -> u64 {
        let others = self.keys.len() - self.plain;
        let keys = KEY_BYTES * others + PLAIN_BYTES * self.plain;
        (self.written.bytes.len() + keys + FAR_BYTES * self.far_count) as u64
    }

    /// Iterates over the places for a hash.
    fn places(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.table.len() - 1;
        let first = (hash >> 32) as usize;
        (0..REACH).map(move |i| first.wrapping_add(i) & mask)
    }

    /// Returns the place for a new key.
    fn free(&self, key: Word, hash: u64) -> Place {
        match self.places(hash).find(|place| self.table.get(*place) == Some(&0)) {
            Some(place) => Place::Table(place),
            None => Place::Tree(self.in_tree(key, hash).err().flatten()),
        }
    }

    /// Puts a new group into its place.
    fn put(&mut self, group: u32, key: Word, hash: u64, place: Place) {
        match place {
            Place::Table(place) => {
                if let Some(place) = self.table.get_mut(place) {
                    *place = group + 1;
                }
            }
            Place::Tree(differs) => {
                let mut far = std::mem::take(&mut self.far);
                let key = self.key(key, hash);
                far.add(group, differs, |bit| key.bit(bit));
                (self.far, self.far_count) = (far, self.far_count + 1);
            }
        }
    }

    /// Moves the groups of the table into one of twice the size.
    fn enlarge(&mut self) {
        let larger = vec![0; 2 * self.table.len()];
        for number in std::mem::replace(&mut self.table, larger) {
            if let Some(group) = number.checked_sub(1)
                && let Some((key, hash)) = self.keys.get(group as usize).copied()
            {
                self.put(group, key, hash, self.free(key, hash));
            }
        }
    }
}

/// The place of a group: in the table, or in the tree, with the first bit where its key differs
/// from the nearest one.
#[derive(Clone, Copy)]
enum Place {
    Table(usize),
    Tree(Option<u64>),
}

/// A key for the tree. A key that its hash identifies differs from all keys with bytes in the
/// second word.
struct Key<'k> {
    first: [u64; 2],
    bytes: &'k [u8],
}

impl Key<'_> {
    fn word(&self, at: usize) -> u64 {
        let from = |at: usize| self.bytes.get(8 * (at - 2)..).unwrap_or_default();
        match self.first.get(at) {
            Some(word) => *word,
            None => match from(at).first_chunk() {
                Some(word) => u64::from_le_bytes(*word),
                None => from(at).iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            },
        }
    }

    fn words(&self) -> usize {
        2 + self.bytes.len().div_ceil(8)
    }

    fn bits(&self) -> u64 {
        64 * self.words() as u64
    }

    /// Tells whether a bit is set, counted from the lowest bit of the first word.
    fn bit(&self, bit: u64) -> bool {
        let at = usize::try_from(bit / 64).unwrap_or(usize::MAX);
        self.word(at) >> (bit % 64) & 1 == 1
    }

    /// Returns the first bit where two keys differ.
    fn differs(&self, other: &Key<'_>) -> Option<u64> {
        let words = self.words().max(other.words());
        let bits = (0..words).zip(0..).map(|(at, i)| (self.word(at) ^ other.word(at), 64 * i));
        let mut bits = bits.filter(|(word, _)| *word != 0);
        bits.next().map(|(word, first)| first + u64::from(word.trailing_zeros()))
    }
}

/// Returns the key for `len` bytes at `start`, if a word can hold both.
fn span(start: usize, len: usize) -> Option<Word> {
    let [start, len] = [start, len].map(|n| u32::try_from(n).map(u64::from).ok());
    fit(i64::try_from(len? << u32::BITS | start?).ok()?)
}

/// Hashes a number to 64 bits. The upper half is better.
// INVARIANT: different numbers have different hashes, since each step is reversible.
fn mixed(n: u64) -> u64 {
    let hash = n.wrapping_mul(FACTOR);
    (hash ^ hash >> 32).wrapping_mul(FACTOR)
}

/// Tells whether two keys are equal, a word at a time. The last word may overlap the one before it.
fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    match (a.last_chunk(), b.last_chunk()) {
        (Some(x), Some(y)) => {
            let words = a.as_chunks().0.iter().zip(b.as_chunks().0);
            word(x) == word(y) && words.into_iter().all(|(x, y)| word(x) == word(y))
        }
        _ => a.iter().zip(b).all(|(x, y)| x == y),
    }
}
