//! Maps and sets: `to_map`, `to_set`, `lookup`, `insert`; and what other forms do with them.

use crate::algorithm::canonical::Failed;
use crate::algorithm::entries;
use crate::algorithm::mapping::{self, KEY_WORDS, Key, MAP_WORDS};
use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use crate::builtin::keys::{Grouped, grouped};
use crate::builtin::strings::text;
use crate::memory::heap::Sought;
use crate::memory::tagged::{MAP, SET};
use crate::memory::word::{NIL, UNIT, Word, boolean, is_list};
use crate::run::state::{Exit, State};
use pif_core::fault::Code;
use pif_language::form::Form;
use pif_language::kinds::{self, Wanted};
use pif_language::prices::units;
use std::rc::Rc;

const FULL: Trouble = Trouble::Full("the keys would not fit into the memory limit");

pub(crate) fn to_map(c: &mut Call<'_>) -> Result<Word, Exit> {
    let of = c.operand(0);
    if c.s.heap.tagged(of) == MAP {
        return Ok(of);
    }
    if of != UNIT && !is_list(of) && c.s.heap.tagged(of) != SET {
        return Err(c.wrong(0, Wanted::EntriesOrMap));
    }
    make(c, MAP)
}

pub(crate) fn to_set(c: &mut Call<'_>) -> Result<Word, Exit> {
    let of = c.operand(0);
    if c.s.heap.tagged(of) == SET {
        return Ok(of);
    }
    make(c, SET)
}

/// Makes a map or set of all that the only operand holds.
fn make(c: &mut Call<'_>, kind: u32) -> Result<Word, Exit> {
    spread(c, 0)?;
    let elements = c.list(0)?;
    if kind == MAP
        && let Some(odd) = elements.iter().find(|v| c.s.heap.entry(**v).is_none())
    {
        return Err(c.s.wrong_element(0, *odd, Wanted::Entries));
    }
    let key = |v: &Word| entries::entry(&c.s.heap, kind, *v)[0];
    let keys: Vec<Word> = elements.iter().map(key).collect();
    let wrong = |s: &State, key| s.wrong_element(0, key, Wanted::ListOfComparable);
    let Grouped { of_each, firsts } = grouped(&mut c.context(), &keys, wrong)?;
    c.charge(units::MAP_KEY * firsts.len() as u64)?;
    c.room(MAP_WORDS + KEY_WORDS * firsts.len())?;
    let mut lasts = vec![0; firsts.len()];
    for (group, at) in of_each.into_iter().zip(0_usize..) {
        lasts.get_mut(group as usize).into_iter().for_each(|last| *last = at);
    }
    let (elements, terms, own) = (c.list(0)?, Rc::clone(&c.s.terms), c.s.heap.top);
    let map = mapping::empty(&mut c.s.heap, kind);
    let entry = |c: &Call<'_>, at: usize| {
        let element = elements.get(at).copied().unwrap_or_default();
        entries::entry(&c.s.heap, kind, element)
    };
    for (first, last) in firsts.into_iter().zip(lasts) {
        let ([word, _], [_, value]) = (entry(c, first as usize), entry(c, last));
        let (_, key) = Key::of(&c.s.heap, &terms, word, u64::MAX);
        let key = key.map_err(|_| FULL)?;
        mapping::add(&mut c.s.heap, &terms, (map, own), &key, [word, value]);
    }
    Ok(map)
}

/// Counts the bits of the number of keys.
fn bits(c: &Call<'_>) -> u64 {
    u64::from(usize::BITS - entries::count(&c.s.heap, c.operand(0)).leading_zeros())
}

/// Looks for the second operand among the keys of the first, a map or set, after charging for it
/// and for this work.
fn seek(c: &mut Call<'_>, work: u64) -> Result<(Key, Sought), Exit> {
    c.charge(work)?;
    let (map, v, budget, terms) = (c.operand(0), c.operand(1), c.budget(), Rc::clone(&c.s.terms));
    let (work, key) = Key::of(&c.s.heap, &terms, v, budget);
    c.charge(work)?;
    let key = key.map_err(|failed| match failed {
        Failed::Incomparable(odd) => c.s.wrong_type(1, odd, Wanted::Comparable),
        Failed::Budget | Failed::Full => FULL.into(),
    })?;
    let sought = mapping::find(&c.s.heap, &terms, map, &key);
    Ok((key, sought))
}

fn look(c: &mut Call<'_>) -> Result<Option<Word>, Exit> {
    let work = 1 + bits(c) / 8;
    let (_, sought) = seek(c, work)?;
    Ok(sought.value(&c.s.heap))
}

pub(crate) fn lookup(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.s.heap.tagged(c.operand(0)) != MAP {
        return Err(c.wrong(0, kinds::MAP));
    }
    match look(c)? {
        Some(value) => Ok(value),
        None if c.len() > 2 => Ok(c.operand(2)),
        None => {
            let message = format!("the map has no key {}", c.shown(1));
            let hint = "a third operand of `lookup` is its value where the key is missing";
            Err(Trouble::with_hint(Code::MissingKey, message, hint).into())
        }
    }
}

pub(crate) fn insert(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (kind, wanted) = if c.len() > 2 { (MAP, kinds::MAP) } else { (SET, kinds::SET) };
    if c.s.heap.tagged(c.operand(0)) != kind {
        return Err(c.wrong(0, wanted));
    }
    let work = units::MAP_CHANGE + bits(c);
    let (key, sought) = seek(c, work)?;
    let sought = with_room(c, &key, sought)?;
    let (map, word, value) = (c.operand(0), c.operand(1), c.operand(c.len() - 1));
    Ok(mapping::insert(&mut c.s.heap, map, (&key, &sought), [word, value]))
}

/// Makes room for a changed map. Seeks the key again if it has moved.
fn with_room(c: &mut Call<'_>, key: &Key, sought: Sought) -> Result<Sought, Exit> {
    let words = sought.words();
    if c.s.heap.has_room(words) {
        return Ok(sought);
    }
    c.room(words)?;
    let terms = Rc::clone(&c.s.terms);
    Ok(mapping::find(&c.s.heap, &terms, c.operand(0), key))
}

impl Call<'_> {
    /// Tells whether the first operand is a map or set.
    pub(crate) fn is_map(&self) -> bool {
        entries::is_one(&self.s.heap, self.operand(0))
    }
}

/// Does `has` of a map or set, and `contains` of a set.
pub(crate) fn has(c: &mut Call<'_>) -> Result<Word, Exit> {
    Ok(boolean(look(c)?.is_some()))
}

/// Does `remove` of a map or set.
pub(crate) fn remove(c: &mut Call<'_>) -> Result<Word, Exit> {
    let work = units::MAP_CHANGE + bits(c);
    let (key, sought) = seek(c, work)?;
    let sought = with_room(c, &key, sought)?;
    let map = c.operand(0);
    Ok(mapping::remove(&mut c.s.heap, map, (&key, &sought)))
}

/// Does `keys`, `values` and `entries` of a map or set, and `elements`.
pub(crate) fn listed(c: &mut Call<'_>, form: Form) -> Result<Word, Exit> {
    let n = entries::count(&c.s.heap, c.operand(0));
    c.charge(units::MAP_KEY * n as u64)?;
    let is_set = c.s.heap.tagged(c.operand(0)) == SET;
    let of_two = form == Form::Entries || form == Form::Elements && !is_set;
    c.room(if of_two { 6 * n } else { 2 * n })?;
    let entries = entries::of(&c.s.heap, c.operand(0));
    let parts = entries.into_iter().map(|[key, value]| match form {
        _ if of_two => c.s.heap.list_of_two(key, if is_set { key } else { value }),
        Form::Values if !is_set => value,
        _ => key,
    });
    let parts: Vec<Word> = parts.collect();
    Ok(c.make_list(&parts))
}

pub(crate) fn elements(c: &mut Call<'_>) -> Result<Word, Exit> {
    spread(c, 0)?;
    Ok(c.operand(0))
}

/// Puts the list of all that an operand holds into its place.
pub(crate) fn spread(c: &mut Call<'_>, i: usize) -> Result<(), Exit> {
    let of = c.operand(i);
    let list = match of {
        _ if is_list(of) => return Ok(()),
        UNIT => NIL,
        _ if c.s.heap.is_text(of) => c.at_operand(i, text::chars)?,
        _ if entries::is_one(&c.s.heap, of) => c.at_operand(i, |c| listed(c, Form::Elements))?,
        _ => return Err(c.wrong(i, Wanted::Iterable)),
    };
    c.set_operand(i, list);
    Ok(())
}

/// Faults unless an operand can be gone through.
pub(crate) fn must_be_iterable(c: &Call<'_>, i: usize) -> Result<(), Exit> {
    let (of, heap) = (c.operand(i), &c.s.heap);
    let is_one = is_list(of) || of == UNIT || heap.is_text(of) || entries::is_one(heap, of);
    if is_one { Ok(()) } else { Err(c.wrong(i, Wanted::Iterable)) }
}
