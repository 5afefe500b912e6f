//! Forms that use keys: sorting, grouping, finding the greatest. All keys exist when these begin.
//! They do their work in one operation.

use crate::algorithm::keys::empty;
use crate::algorithm::sorting::{extreme, sorted, sorting_work};
use crate::algorithm::trouble::Trouble;
use crate::builtin::keys::{Grouped, grouped, pay_keys};
use crate::check::doubt;
use crate::code::Slot;
use crate::code::slots::each::{KEPT, RESULT};
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use pif_core::text::quote::shorten;
use pif_language::form::Form;
use pif_language::kinds::Wanted;

use crate::memory::word::{CONS, NIL, Word, small, tag};
use std::cmp::Ordering;

/// Tells whether a `sort_by` has an order, which is then before the kept elements.
pub(super) fn has_order(c: &Context<'_>) -> bool {
    c.s.terms.operands(c.term()).len() > 2
}

/// Removes the order of a `sort_by` from the kept list. Returns whether it is descending.
pub(super) fn take_order(c: &mut Context<'_>, d: Slot) -> bool {
    if !has_order(c) {
        return false;
    }
    let [order, elements] = c.s.heap.next(c.s.part(d, KEPT));
    c.s.set_part(d, KEPT, elements);
    c.s.heap.prefix(order, DESCENDING.len()) == DESCENDING
}

const ASCENDING: &str = "asc";

const DESCENDING: &str = "desc";

/// Checks that `sort_by` knows the order.
pub(super) fn check_order(s: &State, d: Slot) -> Result<(), Exit> {
    let order = s.part(d, KEPT);
    if !s.heap.is_text(order) {
        return Err(s.wrong_type(2, order, Wanted::Texts(&[ASCENDING, DESCENDING])));
    }
    let found = s.heap.prefix(order, 4 * DESCENDING.len());
    if [ASCENDING, DESCENDING].contains(&found.as_str()) {
        return Ok(());
    }
    let found = shorten(&found);
    let message = format!("the order of `sort_by` is \"asc\" or \"desc\", not `{found}`");
    Err(Trouble::OutOfRange(message).into())
}

/// The fault of a key that cannot be sorted by.
fn unsorted(s: &State, key: Word) -> Exit {
    s.wrong_type(0, key, Wanted::FunctionToSortable)
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
    let texts = order.iter().filter_map(|i| keys.get(*i as usize).copied());
    let is_misordered = if is_descending {
        doubt::is_misordered(&c.s.heap, texts.rev())
    } else {
        doubt::is_misordered(&c.s.heap, texts)
    };
    if is_misordered {
        c.s.warn(c.image, c.at, "likely-mistake", || doubt::sort_of_numbers(Form::SortBy));
    }
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
    elements.get(best).copied().ok_or_else(|| Exit::defect("a key has no element"))
}

/// The elements by equal keys.
fn groups(c: &mut Context<'_>, d: Slot) -> Result<Grouped, Exit> {
    let keys = keys(c, d);
    grouped(c, &keys, |s, key| s.wrong_type(0, key, Wanted::FunctionToComparable))
}

/// The first element of each key.
pub(super) fn distinct(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let Grouped { firsts, .. } = groups(c, d)?;
    select(c.s, d, &firsts)
}

/// Makes a list of the elements with these indices, in this order.
fn select(s: &mut State, d: Slot, indices: &[u32]) -> Result<Word, Exit> {
    s.part_room(d, RESULT, 2 * indices.len())?;
    let list = s.part(d, KEPT);
    Ok(s.heap.select(list, indices))
}

/// Makes lists of two: each key and its number of elements.
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
    s.part_room(d, RESULT, 6 * firsts.len())?;
    Ok(pairs(s, d, &firsts, &counts))
}

/// Makes lists of two: each key and its elements.
pub(super) fn gather(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    let Grouped { of_each, firsts } = groups(c, d)?;
    let s = &mut *c.s;
    s.part_room(d, RESULT, 2 * of_each.len() + 6 * firsts.len())?;
    let elements = s.heap.elements_of(s.part(d, KEPT), of_each.len());
    let mut lists = vec![NIL; firsts.len()];
    for (group, element) in of_each.iter().zip(elements).rev() {
        if let Some(list) = lists.get_mut(*group as usize) {
            *list = s.heap.two(element, *list, CONS);
        }
    }
    Ok(pairs(s, d, &firsts, &lists))
}

/// Makes lists of two of the keys with these indices and these values. There must be room.
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
        let pair = s.heap.list_of_two(key, *value);
        s.heap.two(pair, rest, CONS)
    })
}
