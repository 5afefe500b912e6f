//! Canonical bytes of values: they are equal if `eq` calls the values equal.

use crate::algorithm::entries;
use crate::algorithm::number::arithmetic::{length_work, limbs};
use crate::algorithm::number::value::Number;
use crate::algorithm::weight::TEXT_UNIT;
use crate::memory::tagged::MAP;

use crate::algorithm::{lexical, weight};
use crate::memory::heap::Heap;
use crate::memory::tagged::{DATE, REGEX};
use crate::memory::word::{
    CONS, FALSE, IMMEDIATE, KIND_CONTINUATION, KIND_QUOTED, KIND_RECORD, NIL, PAIR, TRUE, UNIT,
    Word, aux, index, is_function, kind, tag,
};
use num_bigint::{BigInt, Sign};
use num_traits::{FromPrimitive, ToPrimitive};
use pif_language::print;
use pif_language::term::Terms;

/// The reason why a key has no canonical bytes.
#[derive(Debug)]
pub(crate) enum Failed {
    /// This value cannot be compared.
    Incomparable(Word),
    /// The work exceeds the budget.
    Budget,
    /// The keys do not fit into memory.
    Full,
}

/// A piece to write.
enum Item {
    Value(Word),
    /// The rest of a list.
    Rest(Word),
    /// A member of a record.
    Member(Word, Word),
    /// A key of a map or set, and the value of a map's.
    Entry(Word, Option<Word>),
    /// Puts the entries from this one on into an order that does not depend on that of the keys.
    Order(usize),
}

/// The canonical bytes of values, one after another.
pub(crate) struct Canonical<'h> {
    heap: &'h Heap,
    terms: &'h Terms,
    budget: u64,
    /// The work on all values so far.
    pub(crate) work: u64,
    pub(crate) bytes: Vec<u8>,
    /// Where the entries of unfinished maps begin.
    starts: Vec<usize>,
    open: Vec<Item>,
    /// The keys of the last record, and their places in order. Many records may have these keys.
    keys: Vec<Word>,
    places: Vec<u32>,
}

impl<'h> Canonical<'h> {
    pub(crate) fn new(heap: &'h Heap, terms: &'h Terms, budget: u64) -> Self {
        let (bytes, open, keys, places) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { heap, terms, budget, work: 0, bytes, starts: Vec::new(), open, keys, places }
    }

    /// Appends the canonical bytes of a value, up to `most` bytes in all. No value's bytes begin
    /// another's.
    pub(crate) fn write(&mut self, v: Word, most: u64) -> Result<(), Failed> {
        self.starts.clear();
        self.open.clear();
        self.open.push(Item::Value(v));
        while let Some(item) = self.open.pop() {
            match item {
                Item::Value(v) => self.write_value(v)?,
                Item::Rest(list) if tag(list) == CONS => {
                    let [first, rest] = self.heap.next(list);
                    self.work += 1;
                    self.open.extend([Item::Rest(rest), Item::Value(first)]);
                }
                Item::Rest(_) => self.bytes.push(b'.'),
                Item::Member(key, value) => {
                    self.work += 1;
                    self.write_text(key)?;
                    self.open.push(Item::Value(value));
                }
                Item::Entry(key, value) => {
                    self.work += 1;
                    self.starts.push(self.bytes.len());
                    self.open.extend(value.map(Item::Value));
                    self.open.push(Item::Value(key));
                }
                Item::Order(from) => self.order(from),
            }
            if self.work > self.budget {
                return Err(Failed::Budget);
            }
            if self.bytes.len() as u64 > most {
                return Err(Failed::Full);
            }
        }
        Ok(())
    }

    fn write_value(&mut self, v: Word) -> Result<(), Failed> {
        let heap = self.heap;
        let v = heap.without_match(v);
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
                let keys = members.iter().step_by(2);
                if keys.len() != self.keys.len() || !keys.clone().eq(&self.keys) {
                    self.places = lexical::places(heap, v, &members);
                    self.keys = keys.copied().collect();
                }
                let member = |place: &u32| match members.get(*place as usize..) {
                    Some([key, value, ..]) => Item::Member(*key, *value),
                    _ => Item::Value(UNIT),
                };
                self.open.extend(self.places.iter().rev().map(member));
            }
            _ if entries::is_one(heap, v) => self.write_map(v),
            _ if heap.tagged(v) == DATE => {
                self.bytes.push(b'd');
                self.bytes.extend(heap.date(v).unwrap_or_default().to_le_bytes());
            }
            _ if heap.tagged(v) == REGEX => {
                let [pattern, flags] = heap.tagged_words(v);
                self.bytes.push(b'x');
                self.write_text(pattern)?;
                self.write_text(flags)?;
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

    fn write_map(&mut self, map: Word) {
        let (is_map, entries) = (self.heap.tagged(map) == MAP, entries::of(self.heap, map));
        self.bytes.push(if is_map { b'M' } else { b'S' });
        self.bytes.extend((entries.len() as u64).to_le_bytes());
        self.open.push(Item::Order(self.starts.len()));
        let entry = |[key, value]: [Word; 2]| Item::Entry(key, is_map.then_some(value));
        self.open.extend(entries.into_iter().rev().map(entry));
    }

    /// Orders the bytes of entries, the last of which end here.
    fn order(&mut self, from: usize) {
        let starts = self.starts.split_off(from);
        let Some(first) = starts.first().copied() else { return };
        let ends = starts.iter().skip(1).copied().chain([self.bytes.len()]);
        let entry = |(from, to): (&usize, usize)| self.bytes.get(*from..to).unwrap_or_default();
        let mut entries: Vec<&[u8]> = starts.iter().zip(ends).map(entry).collect();
        entries.sort_unstable();
        let ordered = entries.concat();
        self.bytes.truncate(first);
        self.bytes.extend(ordered);
    }

    /// Spends the work of reading so many bytes of text.
    pub(crate) fn pay_text(&mut self, bytes: u64) -> Result<(), Failed> {
        self.work += bytes / TEXT_UNIT;
        if self.work > self.budget { Err(Failed::Budget) } else { Ok(()) }
    }

    fn write_text(&mut self, v: Word) -> Result<(), Failed> {
        let (bytes, _) = self.heap.text_size(v).unwrap_or_default();
        self.pay_text(bytes)?;
        self.append_text(v, bytes)
    }

    /// Appends the canonical bytes of a text whose work is paid.
    pub(crate) fn append_text(&mut self, v: Word, bytes: u64) -> Result<(), Failed> {
        let end = self.bytes.len() as u64 + bytes;
        if end / 8 > self.heap.limit as u64 {
            return Err(Failed::Full);
        }
        self.bytes.push(b't');
        self.bytes.extend(bytes.to_le_bytes());
        self.heap.write_text(v, usize::MAX, &mut self.bytes);
        Ok(())
    }

    /// Writes a number. A whole float is written as an integer.
    fn write_number(&mut self, number: Number) {
        let big = match number {
            Number::Small(n) => return self.write_small(n),
            Number::Big(n) => n,
            Number::Float(n) if n.floor() < n || n.is_infinite() => {
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

/// Returns the canonical bytes of a text.
pub(crate) fn of_text(text: &[u8]) -> Vec<u8> {
    [b"t", (text.len() as u64).to_le_bytes().as_slice(), text].concat()
}

/// Returns the text in a text's canonical bytes.
pub(crate) fn text_in(key: &[u8]) -> Option<&[u8]> {
    key.strip_prefix(b"t").and_then(|rest| rest.get(8..))
}
