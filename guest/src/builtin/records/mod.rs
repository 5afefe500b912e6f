//! Records.

mod describe;
pub(crate) mod maps;
pub(crate) mod path;

use crate::algorithm::member::{self, Found};
use crate::algorithm::number::arithmetic::is_number;
use crate::algorithm::weight::text_work;
use crate::builtin::call::{Call, Function};
use pif_language::kinds::{self, Wanted};
use pif_language::prices::units;

use crate::algorithm::{record, record_tree};
use crate::memory::heap::Heap;
use crate::memory::word::{FALSE, KIND_RECORD, NIL, TRUE, UNIT, Word, boolean, is_list};
use crate::run::state::Exit;
use pif_language::form::Form;

/// The functions of its forms.
pub(super) const FUNCTIONS: &[(Form, Function)] = &[
    (Form::Describe, describe::describe),
    (Form::Get, get),
    (Form::GetIn, get_in),
    (Form::Has, has),
    (Form::Put, put),
    (Form::PutIn, put_in),
    (Form::Remove, remove),
    (Form::Merge, merge),
    (Form::Keys, keys),
    (Form::Values, values),
    (Form::Entries, entries),
    (Form::FromEntries, from_entries),
    (Form::Pick, choose),
    (Form::Omit, choose),
    (Form::ToMap, maps::to_map),
    (Form::ToSet, maps::to_set),
    (Form::Lookup, maps::lookup),
    (Form::Insert, maps::insert),
];

impl Call<'_> {
    /// Returns an operand that must be a record.
    pub(crate) fn record(&self, i: usize) -> Result<Word, Exit> {
        let v = self.operand(i);
        let found = self.s.heap.object_kind(v) == KIND_RECORD;
        if found { Ok(v) } else { Err(self.wrong(i, kinds::RECORD)) }
    }

    /// Charges the second operand, which must be a key.
    fn key(&mut self) -> Result<Word, Exit> {
        let key = self.operand(1);
        if !member::is_key(&self.s.heap, key) {
            return Err(self.wrong(1, kinds::KEY));
        }
        self.charge(member::key_work(&self.s.heap, key))?;
        Ok(key)
    }

    /// Charges what a look-up passes: 1 for an element, whatever a unit of the form's work costs.
    fn charge_passed(&mut self, passed: u64) -> Result<(), Exit> {
        self.charge(passed / self.form.work_price())
    }

    /// Returns an operand that must be a record. Null, booleans, numbers and the empty text have no
    /// members.
    fn merged(&self, i: usize) -> Result<Option<Word>, Exit> {
        let (v, heap) = (self.operand(i), &self.s.heap);
        let is_nothing = matches!(v, UNIT | TRUE | FALSE)
            || heap.text_size(v).is_some_and(|(bytes, _)| bytes == 0)
            || is_number(heap, v)
            || heap.as_no_number(v).is_some();
        if is_nothing { Ok(None) } else { self.record(i).map(Some) }
    }

    /// Counts the members of a record operand.
    fn count(&self, i: usize) -> usize {
        self.s.heap.count_members(self.operand(i))
    }
}

pub(crate) fn has(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.is_map() {
        return maps::has(c);
    }
    let of = c.operand(0);
    if !is_list(of) && c.s.heap.object_kind(of) != KIND_RECORD {
        return Err(c.refuse(0));
    }
    let (key, mut passed) = (c.key()?, 0);
    let found = member::read(&mut c.s.heap, of, key, &mut passed);
    c.charge_passed(passed)?;
    Ok(boolean(!matches!(found, Found::Missing(_))))
}

pub(crate) fn get(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (of, has_default) = (c.operand(0), c.len() > 2);
    let has_members = of == UNIT || member::has_members(&c.s.heap, of);
    if !has_members && !has_default {
        return Err(c.wrong(0, path::WANTED));
    }
    if has_default && c.operand(1) == UNIT {
        return Ok(c.operand(2));
    }
    let key = c.key()?;
    if c.s.heap.object_kind(of) == KIND_RECORD
        && let Some(value) = member::value(&mut c.s.heap, of, key)
    {
        return Ok(value);
    }
    let (base, live) = (c.base, c.base + c.n.max(1));
    let (found, passed) = path::at_key(c.s, [base, base + 1], live)?;
    c.charge_passed(passed)?;
    match found {
        Err(_) if has_default => Ok(c.operand(2)),
        found => Ok(found?),
    }
}

pub(crate) fn get_in(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (path, has_default) = (c.operand(1), c.len() > 2);
    path::steps(&mut c.context(), path, has_default)?;
    let (base, live) = (c.base, c.base + c.n.max(1));
    match path::follow(&mut c.context(), [base, base + 1], live) {
        Err(Exit::Trouble(_)) if has_default => Ok(c.operand(2)),
        found => found,
    }
}

pub(crate) fn put_in(c: &mut Call<'_>) -> Result<Word, Exit> {
    let path = c.operand(1);
    path::steps(&mut c.context(), path, false)?;
    let base = c.base;
    path::put(&mut c.context(), [base, base + 1, base + 2], base + 3)
}

pub(crate) fn put(c: &mut Call<'_>) -> Result<Word, Exit> {
    let of = c.operand(0);
    if is_list(of) {
        return put_element(c);
    }
    if c.s.heap.object_kind(of) != KIND_RECORD {
        return Err(c.refuse(0));
    }
    c.key()?;
    c.charge(record::change_work(c.count(0)))?;
    let (base, live) = (c.base, c.base + c.n.max(1));
    path::with_member(c.s, [base, base + 1, base + 2], live)
}

/// Puts an element into a list, or behind its last one.
fn put_element(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (list, key) = (c.operand(0), c.key()?);
    let n = path::place_in(c.s, 1, key)?;
    let (_, passed) = c.s.heap.after(list, n);
    c.charge(path::put_work(passed))?;
    if passed < n {
        return Err(path::beyond(&n.to_string()).into());
    }
    c.room(2 * passed + 2)?;
    let (list, value) = (c.operand(0), c.operand(2));
    Ok(path::with_element(&mut c.s.heap, list, n, value))
}

pub(crate) fn remove(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.is_map() {
        return maps::remove(c);
    }
    c.record(0)?;
    c.key()?;
    c.charge(record::change_work(c.count(0)))?;
    let (base, live) = (c.base, c.base + c.n.max(1));
    path::plant(c.s, base, live)?;
    let heap = &c.s.heap;
    c.room(member::changed_words(heap, c.operand(0), c.operand(1)))?;
    let (record, key) = (c.operand(0), c.operand(1));
    let key = member::key_bytes(&c.s.heap, key).into_owned();
    Ok(record::without(&mut c.s.heap, record, &key)?)
}

pub(crate) fn merge(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (a, b) = (c.merged(0)?, c.merged(1)?);
    let (Some(a), Some(b)) = (a, b) else {
        c.charge(a.or(b).map_or(0, |record| record::all_work(&c.s.heap, record)))?;
        c.room(Heap::record_words(0))?;
        // Nothing has moved, or the operand would be read again.
        let record = if a.is_some() { c.operand(0) } else { c.operand(1) };
        return if a.or(b).is_some() { Ok(record) } else { Ok(c.s.heap.record(&[], &[])?) };
    };
    if record::is_put(c.count(0), c.count(1)) {
        return put_all(c, b);
    }
    let members = c.count(0) + c.count(1);
    let keys = record::key_work(&c.s.heap, a) + record::key_work(&c.s.heap, b);
    c.charge(members as u64 + keys)?;
    c.room(Heap::record_words(members))?;
    let (a, b) = (c.operand(0), c.operand(1));
    Ok(record::merge(&mut c.s.heap, a, b)?)
}

/// Puts the members of the second operand into the first, which is large.
fn put_all(c: &mut Call<'_>, b: Word) -> Result<Word, Exit> {
    let work = c.count(1) as u64 * record::change_work(c.count(0));
    c.charge(work + record::key_work(&c.s.heap, b))?;
    let (base, live) = (c.base, c.base + c.n.max(1));
    path::plant(c.s, base, live)?;
    let (heap, a) = (&c.s.heap, c.operand(0));
    let members = heap.members(c.operand(1));
    let keys = members.iter().step_by(2);
    c.room(keys.map(|key| member::changed_words(heap, a, *key)).sum())?;
    let members = c.s.heap.members(c.operand(1)).into_owned();
    let record = c.operand(0);
    Ok(record_tree::put_all(&mut c.s.heap, record, &members))
}

/// Returns the members of the only operand, with room for `words` words for each. The keys of a list
/// are the texts of its indices.
fn members(c: &mut Call<'_>, words: usize) -> Result<Vec<Word>, Exit> {
    if is_list(c.operand(0)) {
        return elements(c, words);
    }
    if c.s.heap.object_kind(c.operand(0)) != KIND_RECORD {
        return Err(c.wrong(0, kinds::RECORD_OR_LIST | kinds::MAP));
    }
    let n = c.count(0);
    c.charge(n as u64)?;
    c.room(words * n)?;
    Ok(c.s.heap.members(c.operand(0)).into_owned())
}

/// Does `members` of a list.
fn elements(c: &mut Call<'_>, words: usize) -> Result<Vec<Word>, Exit> {
    let n = c.list(0)?.len();
    c.charge(n as u64)?;
    c.room((words + Heap::text_words(LONGEST_INDEX)) * n)?;
    let mut members = Vec::with_capacity(2 * n);
    for (at, element) in c.list(0)?.into_iter().enumerate() {
        members.extend([c.s.heap.text(&at.to_string())?, element]);
    }
    Ok(members)
}

/// Digits of the largest index that a list can have.
const LONGEST_INDEX: usize = 10;

pub(crate) fn keys(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.is_map() {
        return maps::listed(c, Form::Keys);
    }
    let members = members(c, 2)?;
    let keys: Vec<Word> = members.into_iter().step_by(2).collect();
    Ok(c.make_list(&keys))
}

pub(crate) fn values(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.is_map() {
        return maps::listed(c, Form::Values);
    }
    let members = members(c, 2)?;
    let values: Vec<Word> = members.into_iter().skip(1).step_by(2).collect();
    Ok(c.make_list(&values))
}

pub(crate) fn entries(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.is_map() {
        return maps::listed(c, Form::Entries);
    }
    let members = members(c, 6)?;
    let entry = |member: &[Word]| match *member {
        [key, value] => c.s.heap.list_of_two(key, value),
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
    if let Some(odd) = entries.iter().find(|v| heap.entry(**v).is_none()) {
        return Err(c.s.wrong_element(0, *odd, Wanted::Entries));
    }
    let keys = || entries.iter().filter_map(|entry| heap.entry(*entry)).map(|entry| entry[0]);
    if let Some(odd) = keys().find(|key| !member::is_key(heap, *key)) {
        return Err(c.s.wrong_element(0, odd, Wanted::Entries));
    }
    let work = keys().map(|key| member::key_work(heap, key)).sum();
    c.charge(work)?;
    let heap = &c.s.heap;
    let keys = entries.iter().filter_map(|entry| heap.entry(*entry)).map(|entry| entry[0]);
    let words: usize = keys.map(|key| path::text_room(heap, key)).sum();
    c.room(Heap::record_words(entries.len()).saturating_add(words))?;
    let (mut keys, mut values) = (Vec::with_capacity(entries.len()), Vec::new());
    for entry in c.list(0)? {
        let Some([key, value]) = c.s.heap.entry(entry) else { continue };
        keys.push(path::written(&mut c.s.heap, key)?);
        values.push(value);
    }
    Ok(record::of_entries(&mut c.s.heap, &keys, &values)?)
}

/// Does `pick` and `omit`.
pub(crate) fn choose(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.record(0)?;
    let (keys, n) = (c.list(1)?, c.count(0));
    c.charge(units::CHOSEN_KEY * keys.len() as u64 + n as u64)?;
    if let Some(odd) = keys.iter().find(|key| !c.s.heap.is_text(**key)) {
        return Err(c.s.wrong_element(1, *odd, Wanted::ListOf(kinds::STRING)));
    }
    c.charge(keys.iter().map(|key| text_work(&c.s.heap, *key)).sum())?;
    c.room(Heap::record_words(n))?;
    let (record, keys) = (c.operand(0), c.list(1)?);
    let mut named = vec![false; n];
    let listed = record::Listed::of(&c.s.heap, record);
    for key in keys {
        if let Some(at) = listed.place(&c.s.heap, key)
            && let Some(named) = named.get_mut(at / 2)
        {
            *named = true;
        }
    }
    if c.form == Form::Omit {
        named.iter_mut().for_each(|named| *named = !*named);
    }
    Ok(record::choose(&mut c.s.heap, record, &named)?)
}
