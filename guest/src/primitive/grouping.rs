//! Groups of values that are equal as `eq` says, in order of first sight, looked up in a hash table.
//! The hash of an integer of a word, or of a text of up to eight bytes, tells which it is. Any other
//! value is written in a canonical way, so that equal values are equal bytes. Known
//! hashes can be made to collide; keys that would be looked for too far are kept in a tree, so
//! nobody can make a look-up cost more than that.

use super::arithmetic::{Number, length_work, limbs};
use super::comparison::TEXT_UNIT;
use super::weight;
use crate::heap::{self, Heap};
use crate::limits;
use crate::print;
use crate::term::Terms;
use crate::value::{
    CONS, FALSE, IMMEDIATE, KIND_CONTINUATION, KIND_QUOTED, KIND_RECORD, NIL, PAIR, TRUE, UNIT,
    Word, as_small, aux, fit, index, is_function, is_integer, kind, size, tag,
};
use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};
use std::collections::BTreeMap;

/// Why the keys cannot be told apart.
#[derive(Debug)]
pub(crate) enum Failed {
    /// This value cannot be compared.
    Incomparable(Word),
    /// It is more work than the budget.
    Budget,
    /// The keys do not fit into memory.
    Full,
}

/// Places that are looked at for a key before it is looked for in the tree.
const REACH: usize = 32;
/// Bytes of a group besides those of its key: where that is, its hash, its share of the table, and
/// of what all of these leave behind when they grow.
const KEY_BYTES: usize = 40;
/// The same of a group whose key has no bytes.
const PLAIN_BYTES: usize = 36;
/// Bytes of a key in the tree besides its own.
const FAR_BYTES: usize = 64;
/// Instead of the key of an integer of a word, which its hash tells.
const INTEGER: Word = NIL;
/// Places of the table at first.
const FIRST: usize = 64;

/// The groups seen so far.
pub(crate) struct Groups<'h> {
    heap: &'h Heap,
    terms: &'h Terms,
    budget: u64,
    /// The work of looking at all keys so far.
    pub(crate) work: u64,
    /// The keys that are written, one after another.
    bytes: Vec<u8>,
    /// For each group its key and the hash of that. The key is `INTEGER`, or the header of a text of
    /// up to a word, which the hash tells too, or the `span` of its bytes.
    keys: Vec<(Word, u64)>,
    /// How many of the groups have keys without bytes.
    plain: usize,
    /// A power of two of places: the number of the group whose key is there, counted from 1, or 0.
    table: Vec<u32>,
    far: BTreeMap<Vec<u8>, u32>,
    /// Bytes that those in the tree take.
    far_bytes: usize,
    open: Vec<Item>,
}

/// Something to write.
enum Item {
    Value(Word),
    /// The rest of a list.
    Rest(Word),
    /// A member of a record.
    Member(Word, Word),
}

impl<'h> Groups<'h> {
    /// No groups yet of `n` values that may come.
    pub(crate) fn new(heap: &'h Heap, terms: &'h Terms, budget: u64, n: usize) -> Self {
        let keys = Vec::with_capacity(n.min(Self::most(heap)));
        Self {
            heap,
            terms,
            budget,
            work: 0,
            bytes: Vec::new(),
            keys,
            plain: 0,
            table: vec![0; FIRST],
            far: BTreeMap::new(),
            far_bytes: 0,
            open: Vec::new(),
        }
    }

    /// More groups than fit. Room for as many costs nothing before it is used, while a table that
    /// grows leaves behind what nothing else fits into.
    pub(crate) fn most(heap: &Heap) -> usize {
        let most = limits::aside(heap.limit) / PLAIN_BYTES as u64 + 1;
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The group of a value, a new one if it equals none of those before it.
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

    /// The same for a text in one piece, which is written only if it is long and new.
    fn group_text(&mut self, v: Word) -> Result<u32, Failed> {
        let (heap, head) = (self.heap, self.heap.header(v));
        self.pay_text(aux(head).into())?;
        let hash = heap.hash(v);
        if size(head) <= Heap::text_words(8) {
            return self.group_told(head, hash);
        }
        let is_this = |known| {
            let known = text_in(self.written(known));
            known.is_some_and(|known| same(known, heap.flat(v)))
        };
        match self.look_up(hash, is_this) {
            Ok(group) => Ok(group),
            Err(place) => {
                let start = self.bytes.len();
                self.append_text(v, aux(head).into())?;
                self.add_written(start, hash, place)
            }
        }
    }

    /// The same for an integer of a word.
    fn group_small(&mut self, n: i64) -> Result<u32, Failed> {
        self.group_told(INTEGER, mixed(n.cast_unsigned()))
    }

    /// The same for a key that its hash tells.
    #[inline(always)]
    fn group_told(&mut self, key: Word, hash: u64) -> Result<u32, Failed> {
        match self.look_up(hash, |known| known == key) {
            Ok(group) => Ok(group),
            Err(Some(place)) => self.add(key, hash, Some(place)),
            Err(None) => self.find_far(key, hash),
        }
    }

    /// The same for any other value, which is written.
    #[inline(never)]
    fn group_other(&mut self, v: Word) -> Result<u32, Failed> {
        let start = self.bytes.len();
        self.write(v)?;
        let key = self.bytes.get(start..).unwrap_or_default();
        if let [b'i', n @ ..] = key
            && let Ok(n) = n.try_into()
        {
            // A whole float.
            self.bytes.truncate(start);
            return self.group_small(i64::from_le_bytes(n));
        }
        let text = text_in(key);
        let hash = heap::hash(text.unwrap_or(key));
        if let Some(text) = text
            && text.len() <= 8
        {
            let head = Heap::text_header(text.len());
            self.bytes.truncate(start);
            return self.group_told(head, hash);
        }
        match self.look_up(hash, |known| same(self.written(known), key)) {
            Ok(group) => {
                self.bytes.truncate(start);
                Ok(group)
            }
            Err(place) => self.add_written(start, hash, place),
        }
    }

    /// The group of a key that has been written from a place on and is not in reach.
    fn add_written(
        &mut self,
        start: usize,
        hash: u64,
        place: Option<usize>,
    ) -> Result<u32, Failed> {
        let key = span(start, self.bytes.len() - start).ok_or(Failed::Full)?;
        if place.is_some() {
            return self.add(key, hash, place);
        }
        let groups = self.keys.len();
        let group = self.find_far(key, hash)?;
        if self.keys.len() == groups {
            // It was there.
            self.bytes.truncate(start);
        }
        Ok(group)
    }

    /// The group of a key that is too far from its place, a new one if there is none.
    #[cold]
    fn find_far(&mut self, key: Word, hash: u64) -> Result<u32, Failed> {
        match self.far.get(&self.far_key(key, hash)) {
            Some(group) => Ok(*group),
            None => self.add(key, hash, None),
        }
    }

    /// A new group.
    fn add(&mut self, key: Word, hash: u64, place: Option<usize>) -> Result<u32, Failed> {
        let group = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        self.keys.push((key, hash));
        self.plain += usize::from(!is_integer(key));
        if 2 * self.keys.len() > self.table.len() {
            self.enlarge();
        } else {
            self.put(group, place);
        }
        self.see_room()?;
        Ok(group)
    }

    /// The group with such a key, or the free place where it could be, if one is in reach.
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

    /// The bytes of a key that is written, none of another.
    fn written(&self, key: Word) -> &[u8] {
        let span = if is_integer(key) { as_small(key) } else { 0 };
        let [start, len] = [span & i64::from(u32::MAX), span >> u32::BITS]
            .map(|n| usize::try_from(n).unwrap_or_default());
        self.bytes.get(start..start + len).unwrap_or_default()
    }

    /// A key as the tree has it: one that its hash tells has other bytes than any that is written.
    fn far_key(&self, key: Word, hash: u64) -> Vec<u8> {
        if is_integer(key) {
            return self.written(key).to_vec();
        }
        [0, key, hash].iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Bytes taken by the groups, the same on every platform.
    fn taken(&self) -> u64 {
        let others = self.keys.len() - self.plain;
        let keys = KEY_BYTES * others + PLAIN_BYTES * self.plain;
        (self.bytes.len() + keys + self.far_bytes) as u64
    }

    /// Where a key with this hash may be.
    fn places(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.table.len() - 1;
        let first = (hash >> 32) as usize;
        (0..REACH).map(move |i| first.wrapping_add(i) & mask)
    }

    fn put(&mut self, group: u32, place: Option<usize>) {
        if let Some(place) = place.and_then(|place| self.table.get_mut(place)) {
            *place = group + 1;
        } else if let Some((key, hash)) = self.keys.get(group as usize) {
            let key = self.far_key(*key, *hash);
            self.far_bytes += FAR_BYTES + key.len();
            self.far.insert(key, group);
        }
    }

    /// Puts all groups into a table twice as large.
    fn enlarge(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        (self.far, self.far_bytes) = (BTreeMap::new(), 0);
        for group in 0..self.keys.len() {
            let hash = self.keys.get(group).map_or(0, |(_, hash)| *hash);
            let free = |place: &usize| self.table.get(*place) == Some(&0);
            let place = self.places(hash).find(free);
            self.put(u32::try_from(group).unwrap_or(u32::MAX), place);
        }
    }

    /// Appends the canonical bytes of a value: no value's are the beginning of another's.
    fn write(&mut self, v: Word) -> Result<(), Failed> {
        self.open.clear();
        self.open.push(Item::Value(v));
        while let Some(item) = self.open.pop() {
            match item {
                Item::Value(v) => self.write_value(v)?,
                Item::Rest(list) if tag(list) == CONS => {
                    let [first, rest] = self.heap.cell(index(list));
                    self.work += 1;
                    self.open.extend([Item::Rest(rest), Item::Value(first)]);
                }
                Item::Rest(_) => self.bytes.push(b'.'),
                Item::Member(key, value) => {
                    self.work += 1;
                    self.write_text(key)?;
                    self.open.push(Item::Value(value));
                }
            }
            if self.work > self.budget {
                return Err(Failed::Budget);
            }
            self.see_room()?;
        }
        Ok(())
    }

    fn see_room(&self) -> Result<(), Failed> {
        if self.taken() > limits::aside(self.heap.limit) { Err(Failed::Full) } else { Ok(()) }
    }

    fn write_value(&mut self, v: Word) -> Result<(), Failed> {
        let heap = self.heap;
        if let Some(number) = Number::of(heap, v) {
            self.work += length_work(limbs(heap, v));
            self.write_number(number);
            return Ok(());
        }
        match v {
            UNIT => self.bytes.push(b'u'),
            TRUE => self.bytes.push(b'y'),
            FALSE => self.bytes.push(b'n'),
            NIL => self.bytes.extend(*b"l."),
            _ if is_function(v) || heap.object_kind(v) == KIND_CONTINUATION => {
                return Err(Failed::Incomparable(v));
            }
            _ if tag(v) == CONS => {
                self.bytes.push(b'l');
                self.open.push(Item::Rest(v));
            }
            _ if tag(v) == PAIR => {
                let [first, second] = heap.cell(index(v));
                self.work += 1;
                self.bytes.push(b'p');
                self.open.extend([Item::Value(second), Item::Value(first)]);
            }
            _ if heap.is_text(v) => self.write_text(v)?,
            _ if heap.object_kind(v) == KIND_RECORD => {
                let members = heap.members(v);
                self.bytes.push(b'r');
                self.bytes.extend((members.len() as u64).to_le_bytes());
                let members = members.chunks_exact(2).rev();
                self.open.extend(members.map(|member| match member {
                    [key, value] => Item::Member(*key, *value),
                    _ => Item::Value(UNIT),
                }));
            }
            _ if tag(v) == IMMEDIATE && kind(v) == KIND_QUOTED => {
                let left = self.budget.saturating_sub(self.work);
                self.work += weight::of_term(self.terms, aux(v), left);
                if self.work > self.budget {
                    return Err(Failed::Budget);
                }
                let text = print::term(self.terms, aux(v));
                self.bytes.push(b'q');
                self.bytes.extend((text.len() as u64).to_le_bytes());
                self.bytes.extend(text.into_bytes());
            }
            _ => return Err(Failed::Incomparable(v)),
        }
        Ok(())
    }

    fn pay_text(&mut self, bytes: u64) -> Result<(), Failed> {
        self.work += bytes / TEXT_UNIT;
        if self.work > self.budget { Err(Failed::Budget) } else { Ok(()) }
    }

    fn write_text(&mut self, v: Word) -> Result<(), Failed> {
        let (bytes, _) = self.heap.text_size(v).unwrap_or_default();
        self.pay_text(bytes)?;
        self.append_text(v, bytes)
    }

    fn append_text(&mut self, v: Word, bytes: u64) -> Result<(), Failed> {
        let end = self.bytes.len() as u64 + bytes;
        if end / 8 > self.heap.limit as u64 {
            return Err(Failed::Full);
        }
        self.bytes.push(b't');
        self.bytes.extend(bytes.to_le_bytes());
        self.heap.write_text(v, usize::MAX, &mut self.bytes);
        Ok(())
    }

    /// A whole number in the same way whether it is an integer or a float.
    fn write_number(&mut self, number: Number) {
        let big = match number {
            Number::Small(n) => return self.write_small(n),
            Number::Big(n) => n,
            Number::Float(n) if n.floor() < n => {
                self.bytes.push(b'f');
                return self.bytes.extend(n.to_bits().to_le_bytes());
            }
            Number::Float(n) => BigInt::from_f64(n).unwrap_or_default(),
        };
        if let Some(n) = big.to_i64() {
            return self.write_small(n);
        }
        self.bytes.push(if big.sign() == Sign::Minus { b'm' } else { b'b' });
        self.bytes.extend((big.iter_u64_digits().len() as u64).to_le_bytes());
        self.bytes.extend(big.iter_u64_digits().flat_map(u64::to_le_bytes));
    }

    fn write_small(&mut self, n: i64) {
        self.bytes.push(b'i');
        self.bytes.extend(n.to_le_bytes());
    }
}

/// The key whose bytes begin at a place and are so many, if these can be told in a word.
fn span(start: usize, len: usize) -> Option<Word> {
    let [start, len] = [start, len].map(|n| u32::try_from(n).map(u64::from).ok());
    fit(i64::try_from(len? << u32::BITS | start?).ok()?)
}

/// The text in the bytes of a key that is one.
fn text_in(key: &[u8]) -> Option<&[u8]> {
    key.strip_prefix(b"t").and_then(|rest| rest.get(8..))
}

/// Spreads a number over 64 bits; the upper half is the better one.
// INVARIANT: no two numbers become the same one, since each of the steps can be undone.
fn mixed(n: u64) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let hash = n.wrapping_mul(FACTOR);
    (hash ^ hash >> 32).wrapping_mul(FACTOR)
}

/// Whether two keys are the same, a word at a time; the last word may lie over the one before it.
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
