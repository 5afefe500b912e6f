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
use crate::form::Form;
use crate::primitive::canonical::Failed;
use crate::primitive::grouping::Groups;
use crate::primitive::keys::{Weighed, empty, weigh};
use crate::primitive::sorting::{extreme, sorted, sorting_work};
use crate::primitive::{Trouble, type_name};
use crate::value::{CONS, NIL, PAIR, Word, small, tag};
use std::cmp::Ordering;
use std::rc::Rc;

/// Whether a form gathers what the function gives as keys of the elements.
pub(super) fn needs_keys(form: Form) -> bool {
    matches!(
        form,
        Form::SortBy | Form::GroupBy | Form::CountBy | Form::DistinctBy | Form::MaxBy | Form::MinBy
    )
}

/// The value of a form when all keys are known: they are the result so far, in order.
pub(super) fn finish(c: &mut Context<'_>, form: Form, d: Slot) -> Result<Word, Exit> {
    let keys = c.s.heap.elements(c.s.part(d, RESULT));
    let sorts = |found| Trouble::Type {
        operand: 0,
        wanted: "a function that gives only numbers, only strings, only booleans, or only lists of these",
        found,
    };
    let groups = |found| Trouble::Type {
        operand: 0,
        wanted: "a function that gives values that can be compared",
        found,
    };
    match form {
        Form::SortBy => {
            let weight = pay_keys(c, &keys, sorts)?;
            c.bulk(sorting_work(keys.len(), weight))?;
            let is_descending = take_order(c, d);
            let order = sorted(&c.s.heap, &keys, is_descending)?;
            // The keys have done their work.
            c.s.set_part(d, RESULT, NIL);
            select(c.s, d, &order)
        }
        Form::MaxBy | Form::MinBy => {
            let sought = if form == Form::MaxBy { Ordering::Greater } else { Ordering::Less };
            pay_keys(c, &keys, sorts)?;
            let best = extreme(&c.s.heap, &keys, sought)?.ok_or_else(|| empty(&keys))?;
            let elements = c.s.heap.elements(c.s.part(d, KEPT));
            Ok(elements.get(best).copied().unwrap_or_default())
        }
        Form::DistinctBy => {
            let Grouped { firsts, .. } = grouped(c, &keys, groups)?;
            select(c.s, d, &firsts)
        }
        Form::CountBy => {
            let Grouped { of_each, firsts } = grouped(c, &keys, groups)?;
            count(c.s, d, &of_each, &firsts)
        }
        _ => {
            let Grouped { of_each, firsts } = grouped(c, &keys, groups)?;
            gather(c.s, d, &of_each, &firsts)
        }
    }
}

/// Pays for looking at the keys of a sort; gives their weight.
pub(super) fn pay_keys(
    c: &mut Context<'_>,
    keys: &[Word],
    wrong: impl Fn(&'static str) -> Trouble,
) -> Result<u64, Exit> {
    c.bulk(keys.len() as u64)?;
    let Weighed { work, wrong: found } = weigh(&c.s.heap, keys, c.budget())?;
    c.bulk(work)?;
    match found {
        Some(key) => Err(wrong(type_name(&c.s.heap, key)).into()),
        None => Ok(work),
    }
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
    wrong: impl Fn(&'static str) -> Trouble,
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
        Some(Failed::Incomparable(key)) => Err(wrong(type_name(&c.s.heap, key)).into()),
        Some(_) => Err(Trouble::Full("the keys would not fit into the memory limit").into()),
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
fn count(s: &mut State, d: Slot, of_each: &[u32], firsts: &[u32]) -> Result<Word, Exit> {
    let mut counts = vec![0_i64; firsts.len()];
    for group in of_each {
        if let Some(count) = counts.get_mut(*group as usize) {
            *count += 1;
        }
    }
    let counts: Vec<Word> = counts.into_iter().map(small).collect();
    s.part_room(d, RESULT, 4 * firsts.len())?;
    Ok(pairs(s, d, firsts, &counts))
}

/// Pairs of each key and the elements that have it.
fn gather(s: &mut State, d: Slot, of_each: &[u32], firsts: &[u32]) -> Result<Word, Exit> {
    s.part_room(d, RESULT, 2 * of_each.len() + 4 * firsts.len())?;
    let elements = s.heap.elements_of(s.part(d, KEPT), of_each.len());
    let mut lists = vec![NIL; firsts.len()];
    for (group, element) in of_each.iter().zip(elements).rev() {
        if let Some(list) = lists.get_mut(*group as usize) {
            *list = s.heap.two(element, *list, CONS);
        }
    }
    Ok(pairs(s, d, firsts, &lists))
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
