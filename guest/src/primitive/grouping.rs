//! Groups of values that are equal as `eq` says, in order of first sight. Each value is written
//! in a canonical way, so that equal values are equal bytes, and looked up in a hash table. Known
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
    Word, as_small, aux, index, is_function, is_integer, kind, tag,
};
use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};
use std::collections::BTreeMap;
use std::ops::Range;

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
/// Bytes of a group besides its key: its range, its hash, its share of the table, and of what all
/// of these leave behind when they grow.
const KEY_BYTES: usize = 40;
/// The same of a group whose key is an integer of a word.
const INTEGER_BYTES: usize = 36;
/// Bytes before the text of a key that is a text: its letter and its length.
const TEXT_HEAD: usize = 9;
/// Places of the table at first.
const FIRST: usize = 64;

/// The groups seen so far.
pub(crate) struct Groups<'h> {
    heap: &'h Heap,
    terms: &'h Terms,
    budget: u64,
    /// The work of looking at all keys so far.
    pub(crate) work: u64,
    /// The keys of all groups, one after another.
    bytes: Vec<u8>,
    keys: Vec<(Range<usize>, u64)>,
    /// How many of the groups are those of integers of a word, whose keys have no bytes.
    integers: usize,
    /// A power of two of places: the number of the group whose key is there, counted from 1, or 0.
    table: Vec<u32>,
    far: BTreeMap<Vec<u8>, u32>,
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
            integers: 0,
            table: vec![0; FIRST],
            far: BTreeMap::new(),
            open: Vec::new(),
        }
    }

    /// More groups than fit. Room for as many costs nothing before it is used, while a table that
    /// grows leaves behind what nothing else fits into.
    pub(crate) fn most(heap: &Heap) -> usize {
        let most = limits::aside(heap.limit) / INTEGER_BYTES as u64 + 1;
        usize::try_from(most).unwrap_or(usize::MAX)
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The group of a value, a new one if it equals none of those before it.
    pub(crate) fn group(&mut self, v: Word) -> Result<u32, Failed> {
        let start = self.bytes.len();
        if is_integer(v) {
            return self.group_small(as_small(v));
        }
        if let Some(text) = self.heap.flat_text(v) {
            return self.group_text(v, text);
        }
        self.write(v)?;
        let key = self.bytes.get(start..).unwrap_or_default();
        if let [b'i', n @ ..] = key
            && let Ok(n) = n.try_into()
        {
            // A whole float.
            self.bytes.truncate(start);
            return self.group_small(i64::from_le_bytes(n));
        }
        let hash = match key.split_at_checked(TEXT_HEAD) {
            Some(([b't', ..], text)) => heap::hash(text),
            _ => heap::hash(key),
        };
        let group = match self.look_up(hash, |known| same(known, key)) {
            Ok(group) => Some(group),
            Err(None) => self.far.get(key).copied(),
            Err(place) => return self.add(start, hash, place),
        };
        match group {
            Some(group) => {
                self.bytes.truncate(start);
                Ok(group)
            }
            None => self.add(start, hash, None),
        }
    }

    /// The same for an integer of a word. Its hash says which it is, and nothing is written.
    fn group_small(&mut self, n: i64) -> Result<u32, Failed> {
        let hash = mixed(n.cast_unsigned());
        let place = match self.look_up(hash, <[u8]>::is_empty) {
            Ok(group) => return Ok(group),
            Err(place) => place,
        };
        if place.is_none()
            && let Some(group) = self.far.get(&far_key(&[], hash))
        {
            return Ok(*group);
        }
        self.integers += 1;
        self.add(self.bytes.len(), hash, place)
    }

    /// The same for a text in one piece, which is written only if it is new.
    fn group_text(&mut self, v: Word, text: &[u8]) -> Result<u32, Failed> {
        self.pay_text(text.len() as u64)?;
        let hash = self.heap.hash(v);
        let is_this = |known: &[u8]| match known.split_at_checked(TEXT_HEAD) {
            Some(([b't', ..], known)) => same(known, text),
            _ => false,
        };
        let place = match self.look_up(hash, is_this) {
            Ok(group) => return Ok(group),
            Err(place) => place,
        };
        let start = self.bytes.len();
        self.append_text(v, text.len() as u64)?;
        if place.is_none() {
            let key = self.bytes.get(start..).unwrap_or_default();
            if let Some(group) = self.far.get(key).copied() {
                self.bytes.truncate(start);
                return Ok(group);
            }
        }
        self.add(start, hash, place)
    }

    /// A new group, whose key has been written from a place on.
    fn add(&mut self, start: usize, hash: u64, place: Option<usize>) -> Result<u32, Failed> {
        let group = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        self.keys.push((start..self.bytes.len(), hash));
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
    fn look_up(&self, hash: u64, is_key: impl Fn(&[u8]) -> bool) -> Result<u32, Option<usize>> {
        for place in self.places(hash) {
            let found = self.table.get(place).copied().unwrap_or_default();
            let Some(group) = found.checked_sub(1) else { return Err(Some(place)) };
            let known = self.keys.get(group as usize);
            if let Some((range, known)) = known
                && *known == hash
                && self.bytes.get(range.clone()).is_some_and(&is_key)
            {
                return Ok(group);
            }
        }
        Err(None)
    }

    /// Bytes taken by the groups, the same on every platform.
    fn taken(&self) -> u64 {
        let others = self.keys.len() - self.integers;
        (self.bytes.len() + KEY_BYTES * others + INTEGER_BYTES * self.integers) as u64
    }

    /// Where a key with this hash may be.
    fn places(&self, hash: u64) -> impl Iterator<Item = usize> + use<> {
        let mask = self.table.len() - 1;
        let first = (hash >> 32) as usize;
        (first..first + REACH).map(move |place| place & mask)
    }

    fn put(&mut self, group: u32, place: Option<usize>) {
        if let Some(place) = place.and_then(|place| self.table.get_mut(place)) {
            *place = group + 1;
        } else if let Some((range, hash)) = self.keys.get(group as usize) {
            let key = self.bytes.get(range.clone()).unwrap_or_default();
            self.far.insert(far_key(key, *hash), group);
        }
    }

    /// Puts all groups into a table twice as large.
    fn enlarge(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        self.far = BTreeMap::new();
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

/// The key of a group as the tree has it.
fn far_key(key: &[u8], hash: u64) -> Vec<u8> {
    if key.is_empty() { hash.to_le_bytes().to_vec() } else { key.to_vec() }
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
