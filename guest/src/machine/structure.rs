//! Pairs, lists and records that operations make of slots, and take apart.

use crate::code::Slot;
use crate::code::image::Keys;
use crate::memory::heap::Heap;
use crate::memory::word::{CONS, UNIT, Word, is_list, tag};
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use pif_language::kinds;

/// Makes an object of the words in two slots.
pub(super) fn two(s: &mut State, d: Slot, [a, b]: [Slot; 2], tag: u64) -> Result<(), Exit> {
    s.make_room(2, s.live(&[d, a, b]))?;
    let made = s.heap.two(s.slot(a), s.slot(b), tag);
    s.set_slot(d, made);
    Ok(())
}

/// Makes a record of a key list and a reversed list of values.
pub(super) fn record(
    c: &mut Context<'_>,
    keys: u32,
    list: Word,
    live: usize,
) -> Result<Word, Exit> {
    let Some(Keys { constants, shape }) = c.image.keys.get(keys as usize) else {
        return Err(Exit::defect("the keys of a record are lost"));
    };
    let mut rest = [list];
    c.s.make_room_keeping(Heap::record_words(constants.len()), live, &mut rest)?;
    let [mut rest] = rest;
    let mut members = Vec::with_capacity(2 * constants.len());
    for key in constants.iter().rev() {
        let key = c.s.constants.get(*key as usize).copied();
        let (Some(key), CONS) = (key, tag(rest)) else {
            return Err(Exit::defect("a member of a record is lost"));
        };
        let [value, next] = c.s.heap.next(rest);
        members.extend([value, key]);
        rest = next;
    }
    members.reverse();
    Ok(shape.record(&mut c.s.heap, &members)?)
}

/// Puts as many elements of the list after the slot `f` as that function has parameters into the
/// slots from `base` on. Returns how many. Without elements it is a single null.
pub(super) fn spread_arguments(c: &mut Context<'_>, f: Slot, base: Slot) -> Result<u8, Exit> {
    let (function, list) = (c.s.slot(f), c.s.slot(f + 1));
    let Some(missing) = c.s.missing_arguments(c.image, function) else {
        return Err(c.s.not_a_function(function));
    };
    if !is_list(list) {
        return Err(c.refuse(1, list));
    }
    let arguments = c.s.heap.elements_of(list, missing);
    c.bulk(arguments.len() as u64)?;
    if arguments.is_empty() {
        c.s.set_slot(base, UNIT);
        return Ok(1);
    }
    let mut n = 0;
    for argument in arguments {
        c.s.set_slot(base + n, argument);
        n += 1;
    }
    Ok(n)
}

/// Takes half of a list of two.
pub(super) fn half(s: &mut State, d: Slot, a: Slot, which: usize) -> Result<(), Exit> {
    let whole = s.heap.without_match(s.slot(a));
    let halves = s.heap.halves(whole).ok_or_else(|| s.wrong_type(0, whole, kinds::PAIR))?;
    s.set_slot(d, halves[which.min(1)]);
    Ok(())
}
