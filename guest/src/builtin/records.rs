//! Records.
//!
//! Fuel, besides the visits. Text counts 1 per full 8 bytes, so short keys are free:
//!
//! | form | bulk work |
//! |---|---|
//! | `get`, `has` | the text of the key |
//! | `get_in` | 1 per element of the path and its text; 1 per list element passed on the way |
//! | `put`, `remove`, `update` | 1 per member of the record, the text of the key |
//! | `merge` | 1 per member of both, the text of their keys |
//! | `keys`, `values`, `entries` | 1 per member |
//! | `from_entries` | as `sort`: n + n·⌈log2 n⌉; then the text of the keys |
//! | `pick`, `omit` | 1 per member, 4 per key in the list; then the text of those keys |

use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight::text_work;
use crate::builtin::call::Call;

use crate::algorithm::{lexical, record};
use crate::builtin::path;
use crate::memory::heap::Heap;
use crate::memory::word::{KIND_RECORD, NIL, PAIR, ROPE, UNIT, Word, boolean, tag};
use crate::run::state::Exit;
use pif_language::form::Form;

impl Call<'_> {
    /// Returns an operand that must be a record.
    pub(crate) fn record(&self, i: usize) -> Result<Word, Exit> {
        let v = self.operand(i);
        let found = self.s.heap.object_kind(v) == KIND_RECORD;
        if found { Ok(v) } else { Err(self.wrong(i, "a record")) }
    }

    /// Returns the first operand, a record, and the second, a text, which it charges.
    fn member(&mut self) -> Result<(Word, Word), Exit> {
        self.record(0)?;
        let key = self.key()?;
        Ok((self.operand(0), key))
    }

    /// Returns the second operand, a text, which it charges.
    fn key(&mut self) -> Result<Word, Exit> {
        let key = self.operand(1);
        if !self.s.heap.is_text(key) {
            return Err(self.wrong(1, "a string"));
        }
        self.charge(text_work(&self.s.heap, key))?;
        Ok(key)
    }

    /// Returns the first operand, a record, and the bytes of the second, a text, which it charges.
    fn record_and_key(&mut self) -> Result<(Word, Vec<u8>), Exit> {
        let (record, key) = self.member()?;
        Ok((record, self.bytes(key)))
    }

    fn bytes(&self, text: Word) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.s.heap.write_text(text, usize::MAX, &mut bytes);
        bytes
    }

    /// Counts the members of a record operand.
    fn count(&self, i: usize) -> usize {
        self.s.heap.members(self.operand(i)).len() / 2
    }
}

/// Returns the fault of a missing key.
fn missing(key: Vec<u8>, record: Word) -> Trouble {
    Trouble::MissingKey(String::from_utf8(key).unwrap_or_default(), record)
}

pub(crate) fn has(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (record, key) = c.member()?;
    Ok(boolean(record::look_up(&mut c.s.heap, record, key).is_some()))
}

pub(crate) fn get(c: &mut Call<'_>) -> Result<Word, Exit> {
    let has_default = c.len() > 2;
    if has_default && c.operand(0) == UNIT {
        c.key()?;
        return Ok(c.operand(2));
    }
    let (record, key) = c.member()?;
    match record::look_up(&mut c.s.heap, record, key) {
        Some(at) => Ok(value_at(&c.s.heap, record, at)),
        None if has_default => Ok(c.operand(2)),
        None => Err(missing(c.bytes(key), record).into()),
    }
}

fn value_at(heap: &Heap, record: Word, at: usize) -> Word {
    heap.members(record).get(at + 1).copied().unwrap_or_default()
}

pub(crate) fn get_in(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (root, path) = (c.operand(0), c.operand(1));
    let steps = path::steps(&mut c.context(), path)?;
    match path::follow(&mut c.context(), root, &steps) {
        Err(Exit::Trouble(_)) if c.len() > 2 => Ok(c.operand(2)),
        found => found,
    }
}

pub(crate) fn put_in(c: &mut Call<'_>) -> Result<Word, Exit> {
    let path = c.operand(1);
    path::steps(&mut c.context(), path)?;
    let base = c.base;
    path::put(&mut c.context(), [base, base + 1, base + 2], base + 3)
}

pub(crate) fn put(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (_, key) = c.record_and_key()?;
    let n = c.count(0);
    c.charge(n as u64)?;
    let is_rope = tag(c.operand(1)) == ROPE;
    let text = if is_rope { Heap::text_words(key.len()) } else { 0 };
    c.room(3 + 2 * n + text)?;
    let (record, value) = (c.operand(0), c.operand(2));
    let mut members = c.s.heap.members(record).to_vec();
    let place = record::find(&c.s.heap, record, &key);
    let word = c.operand(1);
    let word = flat(&mut c.s.heap, word, &key)?;
    match place {
        Ok(at) => drop(members.splice(at + 1..at + 2, [value])),
        Err(at) => drop(members.splice(at..at, [word, value])),
    }
    Ok(c.s.heap.record(&members)?)
}

pub(crate) fn remove(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (_, key) = c.record_and_key()?;
    let n = c.count(0);
    c.charge(n as u64)?;
    c.room(1 + 2 * n)?;
    let record = c.operand(0);
    let Ok(at) = record::find(&c.s.heap, record, &key) else { return Ok(record) };
    let mut members = c.s.heap.members(record).to_vec();
    members.drain(at..at + 2);
    Ok(c.s.heap.record(&members)?)
}

pub(crate) fn merge(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (a, b) = (c.record(0)?, c.record(1)?);
    let members = c.count(0) + c.count(1);
    let keys = record::key_work(&c.s.heap, a) + record::key_work(&c.s.heap, b);
    c.charge(members as u64 + keys)?;
    c.room(1 + 2 * members)?;
    let members = record::merge(&c.s.heap, c.operand(0), c.operand(1));
    Ok(c.s.heap.record(&members)?)
}

/// Returns the members of the only operand, with room for `words` words for each.
fn members(c: &mut Call<'_>, words: usize) -> Result<Vec<Word>, Exit> {
    c.record(0)?;
    let n = c.count(0);
    c.charge(n as u64)?;
    c.room(words * n)?;
    Ok(c.s.heap.members(c.operand(0)).to_vec())
}

pub(crate) fn keys(c: &mut Call<'_>) -> Result<Word, Exit> {
    let members = members(c, 2)?;
    let keys: Vec<Word> = members.into_iter().step_by(2).collect();
    Ok(c.make_list(&keys))
}

pub(crate) fn values(c: &mut Call<'_>) -> Result<Word, Exit> {
    let members = members(c, 2)?;
    let values: Vec<Word> = members.into_iter().skip(1).step_by(2).collect();
    Ok(c.make_list(&values))
}

pub(crate) fn entries(c: &mut Call<'_>) -> Result<Word, Exit> {
    let members = members(c, 4)?;
    let entry = |member: &[Word]| match *member {
        [key, value] => c.s.heap.two(key, value, PAIR),
        _ => NIL,
    };
    let entries: Vec<Word> = members.chunks_exact(2).map(entry).collect();
    Ok(c.make_list(&entries))
}

pub(crate) fn from_entries(c: &mut Call<'_>) -> Result<Word, Exit> {
    let entries = c.list(0)?;
    let n = entries.len() as u64;
    c.charge(n + n * u64::from(n.max(1).next_power_of_two().ilog2()))?;
    let heap = &c.s.heap;
    if let Some(odd) = entries.iter().find(|v| heap.halves(**v).is_none()) {
        return Err(c.s.wrong_element(0, *odd, "a list of pairs (key, value)"));
    }
    let keys = || entries.iter().filter_map(|entry| heap.halves(*entry)).map(|halves| halves[0]);
    if let Some(odd) = keys().find(|key| !heap.is_text(*key)) {
        return Err(c.s.wrong_element(0, odd, "a list of pairs whose first halves are strings"));
    }
    let work = keys().map(|key| text_work(heap, key)).sum();
    let ropes = keys().filter(|key| tag(*key) == ROPE);
    let sizes = ropes.filter_map(|key| heap.text_size(key));
    let words = sizes.map(|(bytes, _)| 2 + bytes.div_ceil(8)).sum::<u64>();
    c.charge(work)?;
    c.room(1 + 2 * entries.len() + usize::try_from(words).unwrap_or(usize::MAX / 2))?;
    let (mut keys, mut values) = (Vec::with_capacity(entries.len()), Vec::new());
    for entry in c.list(0)? {
        let Some([key, value]) = c.s.heap.halves(entry) else { continue };
        let bytes = if tag(key) == ROPE { c.bytes(key) } else { Vec::new() };
        keys.push(flat(&mut c.s.heap, key, &bytes)?);
        values.push(value);
    }
    let heap = &c.s.heap;
    let mut record: Vec<Word> = Vec::with_capacity(2 * keys.len());
    for at in lexical::order(heap, &keys, false) {
        let at = at as usize;
        let (Some(key), Some(value)) = (keys.get(at), values.get(at)) else { continue };
        // Equal keys stand in the order of the list. The last one wins.
        if let [.., last, old] = record.as_mut_slice()
            && heap.compare_flat(*last, *key).is_eq()
        {
            *old = *value;
        } else {
            record.extend([*key, *value]);
        }
    }
    Ok(c.s.heap.record(&record)?)
}

/// Returns the text as a flat text. `bytes` are those of a rope; there must be room for them.
fn flat(heap: &mut Heap, text: Word, bytes: &[u8]) -> Result<Word, Exit> {
    if tag(text) != ROPE {
        return Ok(text);
    }
    Ok(heap.text(std::str::from_utf8(bytes).unwrap_or_default())?)
}

/// Work of looking up a key in a record of any size.
const LOOK_UP: u64 = 4;

/// Does `pick` and `omit`.
pub(crate) fn choose(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.record(0)?;
    let (keys, n) = (c.list(1)?, c.count(0));
    c.charge(LOOK_UP * keys.len() as u64 + n as u64)?;
    if let Some(odd) = keys.iter().find(|key| !c.s.heap.is_text(**key)) {
        return Err(c.s.wrong_element(1, *odd, "a list of strings"));
    }
    c.charge(keys.iter().map(|key| text_work(&c.s.heap, *key)).sum())?;
    c.room(1 + 2 * n)?;
    let (record, keys) = (c.operand(0), c.list(1)?);
    let mut named = vec![false; n];
    for key in keys {
        if let Ok(at) = record::find_text(&c.s.heap, record, key)
            && let Some(named) = named.get_mut(at / 2)
        {
            *named = true;
        }
    }
    let picks = c.form == Form::Pick;
    let members = c.s.heap.members(record).chunks_exact(2).zip(named);
    let chosen = members.filter(|(_, named)| *named == picks);
    let members: Vec<Word> = chosen.flat_map(|(member, _)| member).copied().collect();
    Ok(c.s.heap.record(&members)?)
}
