//! What is done with keys: sorting by them, grouping by them, finding the greatest. The keys are
//! there when this begins; it is done in one go.
//!
//! Fuel, with n keys: sorting pays n, then the weight of the keys, then ⌈log2 n⌉·(n + weight). A
//! key's weight is bytes/8 of a text, 8 and the limbs of an integer of two or more; of a list 1 for
//! each element and their weights. The greatest and the least pay n and the weight. Grouping pays
//! 4·n, and for each key what `eq` pays for a value equal to it; besides, bytes/8 of each key of a
//! record. Nothing more is paid for the result.

use super::context::Context;
use super::each::take_order;
use super::state::{Exit, State};
use crate::code::Slot;
use crate::code::slots::each::{KEPT, RESULT};
use crate::primitive::Trouble;
use crate::primitive::canonical::Failed;
use crate::primitive::grouping::Groups;
use crate::primitive::keys::{Weighed, empty, weigh};
use crate::primitive::sorting::{extreme, sorted, sorting_work};
use crate::value::{CONS, NIL, PAIR, Word, small, tag};
use std::cmp::Ordering;
use std::rc::Rc;

/// The fault of a key that cannot be sorted by.
fn unsorted(s: &State, key: Word) -> Exit {
    const WANTED: &str =
        "a function that gives only numbers, only strings, only booleans, or only lists of these";
    s.wrong_type(0, key, WANTED)
}

/// The keys, which are the result so far; puts them into their order.
fn keys(c: &mut Context<'_>, d: Slot) -> Vec<Word> {
    let keys = c.s.heap.reverse(c.s.part(d, RESULT));
    c.s.set_part(d, RESULT, keys);
    c.s.heap.elements(keys)
}

/// The elements in the order of their keys, or of those downward.
pub(super) fn sort(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let keys = keys(c, d);
    let weight = pay_keys(c, &keys, unsorted)?;
    c.bulk(sorting_work(keys.len(), weight))?;
    let is_descending = take_order(c, d);
    let order = sorted(&c.s.heap, &keys, is_descending)?;
    // The keys have done their work.
    c.s.set_part(d, RESULT, NIL);
    select(c.s, d, &order)
}

/// The element whose key is the first of the greatest, or of the least.
pub(super) fn best(c: &mut Context<'_>, d: Slot, sought: Ordering) -> Result<Word, Exit> {
    let keys = keys(c, d);
    pay_keys(c, &keys, unsorted)?;
    let best = extreme(&c.s.heap, &keys, sought)?.ok_or_else(|| empty(&keys))?;
    let elements = c.s.heap.elements(c.s.part(d, KEPT));
    Ok(elements.get(best).copied().unwrap_or_default())
}

/// The elements by equal keys.
fn groups(c: &mut Context<'_>, d: Slot) -> Result<Grouped, Exit> {
    let keys = keys(c, d);
    grouped(c, &keys, |s, key| {
        s.wrong_type(0, key, "a function that gives values that can be compared")
    })
}

/// The first element of each key.
pub(super) fn distinct(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let Grouped { firsts, .. } = groups(c, d)?;
    select(c.s, d, &firsts)
}

/// Pays for looking at the keys of a sort; gives their weight.
pub(super) fn pay_keys(
    c: &mut Context<'_>,
    keys: &[Word],
    wrong: impl Fn(&State, Word) -> Exit,
) -> Result<u64, Exit> {
    c.bulk(keys.len() as u64)?;
    let Weighed { work, wrong: found } = weigh(&c.s.heap, keys, c.budget())?;
    c.bulk(work)?;
    found.map_or(Ok(work), |key| Err(wrong(c.s, key)))
}

/// Which keys are equal.
pub(super) struct Grouped {
    /// The group of each key.
    pub(super) of_each: Vec<u32>,
    /// The first key of each group.
    pub(super) firsts: Vec<u32>,
}

/// Fuel of a key that is looked up.
const GROUPED: u64 = 4;

/// Pays for grouping keys, and groups them.
pub(super) fn grouped(
    c: &mut Context<'_>,
    keys: &[Word],
    wrong: impl Fn(&State, Word) -> Exit,
) -> Result<Grouped, Exit> {
    c.bulk(GROUPED * keys.len() as u64)?;
    let terms = Rc::clone(&c.s.terms);
    let n = keys.len();
    let mut groups = Groups::new(&c.s.heap, &terms, c.budget(), n);
    let firsts = Vec::with_capacity(n.min(Groups::most(&c.s.heap)));
    let mut grouped = Grouped { of_each: Vec::with_capacity(n), firsts };
    let mut failed = None;
    for (i, key) in (0..).zip(keys) {
        match groups.group(*key) {
            Ok(group) => grouped.of_each.push(group),
            Err(why) => {
                failed = Some(why);
                break;
            }
        }
        if groups.len() > grouped.firsts.len() {
            grouped.firsts.push(i);
        }
    }
    let work = groups.work();
    c.bulk(work)?;
    match failed {
        Some(Failed::Incomparable(key)) => Err(wrong(c.s, key)),
        Some(_) => Err(Trouble::TooLarge("the keys would not fit into the memory limit").into()),
        None => Ok(grouped),
    }
}

/// The elements of the list with these indices, in this order.
fn select(s: &mut State, d: Slot, indices: &[u32]) -> Result<Word, Exit> {
    s.part_room(d, RESULT, 2 * indices.len())?;
    let elements = s.heap.elements(s.part(d, KEPT));
    let element = |i: &u32| elements.get(*i as usize).copied().unwrap_or_default();
    Ok(s.heap.list(indices.iter().map(element)))
}

/// Pairs of each key and how often it occurs.
pub(super) fn count(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let Grouped { of_each, firsts } = groups(c, d)?;
    let s = &mut *c.s;
    let mut counts = vec![0_i64; firsts.len()];
    for group in of_each {
        if let Some(count) = counts.get_mut(group as usize) {
            *count += 1;
        }
    }
    let counts: Vec<Word> = counts.into_iter().map(small).collect();
    s.part_room(d, RESULT, 4 * firsts.len())?;
    Ok(pairs(s, d, &firsts, &counts))
}

/// Pairs of each key and the elements that have it.
pub(super) fn gather(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let Grouped { of_each, firsts } = groups(c, d)?;
    let s = &mut *c.s;
    s.part_room(d, RESULT, 2 * of_each.len() + 4 * firsts.len())?;
    let elements = s.heap.elements_of(s.part(d, KEPT), of_each.len());
    let mut lists = vec![NIL; firsts.len()];
    for (group, element) in of_each.iter().zip(elements).rev() {
        if let Some(list) = lists.get_mut(*group as usize) {
            *list = s.heap.two(element, *list, CONS);
        }
    }
    Ok(pairs(s, d, &firsts, &lists))
}

/// Pairs of the keys with these indices and these values, for which there is room.
fn pairs(s: &mut State, d: Slot, firsts: &[u32], values: &[Word]) -> Word {
    let (mut rest, mut at) = (s.part(d, RESULT), 0);
    let mut keys = Vec::with_capacity(firsts.len());
    for first in firsts {
        while at < *first && tag(rest) == CONS {
            (rest, at) = (s.heap.next(rest)[1], at + 1);
        }
        keys.push(s.heap.next(rest)[0]);
    }
    let pairs = keys.into_iter().zip(values).rev();
    pairs.fold(NIL, |rest, (key, value)| {
        let pair = s.heap.two(key, *value, PAIR);
        s.heap.two(pair, rest, CONS)
    })
}
