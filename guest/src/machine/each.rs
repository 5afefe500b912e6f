//! Forms that apply a function to the elements of a list, one by one. The function is called like
//! any other; these operations are before and after the call. Their slots are in `slots::each` and
//! `slots::update`. Forms that need keys keep the whole list, and their result so far is the keys.
//! A `sort_by` with an order keeps the order before the list. `partition` keeps the elements for
//! which the function is false.
//!
//! Fuel: each application counts as a visit of the form. In units of work, `flat_map` pays 1 for
//! each element of the function's value before copying it. `keyed` lists the work of forms that
//! need keys. `update` also pays 1 per 8 bytes of the key, and 1 per member when the new record is
//! made.

use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight::TEXT_UNIT;
use crate::builtin::path;
use crate::code::Slot;
use crate::code::slots::each::{ELEMENT, GIVEN, KEPT, LIST, RESULT};
use crate::code::slots::update;
use crate::machine::keyed;
use crate::machine::keyed::{check_order, has_order};
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use pif_language::form::{Evaluation, Form};
use pif_language::table::Table;

use crate::algorithm::record;
use crate::memory::word::{
    CONS, FALSE, HOLE, KIND_RECORD, NIL, PAIR, TRUE, UNIT, Word, as_small, is_function, is_list,
    small, tag,
};
use std::cmp::Ordering;

/// How a form handles the elements, in slots from the given one on.
#[derive(Clone, Copy)]
struct Each {
    /// Whether all elements are kept beside the values of the function.
    keeps: bool,
    /// Takes the value of the function. Returns the value of the form, if it is there already.
    next: fn(&mut Context<'_>, Slot) -> Result<Option<Word>, Exit>,
    /// The value of the form after the last element.
    finish: fn(&mut Context<'_>, Slot) -> Result<Word, Exit>,
}

/// A form whose value is made of the keys that its function gives.
const fn keyed(finish: fn(&mut Context<'_>, Slot) -> Result<Word, Exit>) -> Each {
    Each { keeps: true, next: gathered, finish }
}

/// The handlers of each form. `EachPush` and `EachSelect` do the `next` of theirs.
static EACH: Table<Each> = Table::of(
    Evaluation::Elementwise,
    &[
        (Form::Map, Each { keeps: false, next: gathered, finish: |c, d| Ok(list(c, d)) }),
        (Form::Filter, Each { keeps: false, next: gathered, finish: |c, d| Ok(list(c, d)) }),
        (Form::FlatMap, Each { keeps: false, next: push_all, finish: |c, d| Ok(list(c, d)) }),
        (Form::Find, Each { keeps: false, next: find, finish: |_, _| Ok(UNIT) }),
        (Form::Any, Each { keeps: false, next: any, finish: |_, _| Ok(FALSE) }),
        (Form::All, Each { keeps: false, next: all, finish: |_, _| Ok(TRUE) }),
        (Form::Partition, Each { keeps: false, next: partition, finish: parts }),
        (Form::SortBy, keyed(keyed::sort)),
        (Form::GroupBy, keyed(keyed::gather)),
        (Form::CountBy, keyed(keyed::count)),
        (Form::DistinctBy, keyed(keyed::distinct)),
        (Form::MaxBy, keyed(|c, d| keyed::best(c, d, Ordering::Greater))),
        (Form::MinBy, keyed(|c, d| keyed::best(c, d, Ordering::Less))),
        (Form::Update, Each { keeps: false, next: end_update, finish: |c, d| Ok(c.s.part(d, 0)) }),
        (
            Form::UpdateIn,
            Each { keeps: false, next: end_update_in, finish: |c, d| Ok(c.s.part(d, 0)) },
        ),
    ],
);

impl State {
    pub(super) fn part(&self, d: Slot, part: Slot) -> Word {
        self.at(self.base + usize::from(d) + usize::from(part))
    }

    pub(super) fn set_part(&mut self, d: Slot, part: Slot, word: Word) {
        self.set(self.base + usize::from(d) + usize::from(part), word);
    }

    /// Makes room for `n` words. Keeps the parts up to this one.
    pub(super) fn part_room(&mut self, d: Slot, part: Slot, n: usize) -> Result<(), Exit> {
        self.make_room(n, self.base + usize::from(d) + usize::from(part) + 1)
    }

    /// Takes the next element of the list. Returns whether there is one.
    #[inline]
    pub(super) fn take_element(&mut self, d: Slot) -> bool {
        let list = self.part(d, LIST);
        if tag(list) != CONS {
            return false;
        }
        let [element, rest] = self.heap.next(list);
        self.set_part(d, ELEMENT, element);
        self.set_part(d, LIST, rest);
        true
    }

    /// Continues with the next element. Returns whether there is one.
    fn go_on(&mut self, d: Slot, body: u32) -> bool {
        let is_more = self.take_element(d);
        if is_more {
            self.pc = body as usize;
        }
        is_more
    }

    /// Returns the function's value, which must be a boolean.
    fn holds(&self, d: Slot) -> Result<bool, Exit> {
        match self.part(d, GIVEN) {
            TRUE => Ok(true),
            FALSE => Ok(false),
            given => Err(self.wrong_type(0, given, "a function that gives a boolean")),
        }
    }
}

/// Checks the operands, and takes the first element.
pub(super) fn begin(c: &mut Context<'_>, form: Form, d: Slot, exit: u32) -> Result<(), Exit> {
    if form == Form::Update {
        return begin_update(c, d);
    }
    if form == Form::UpdateIn {
        return begin_update_in(c, d);
    }
    let (f, list) = (c.s.part(d, 0), c.s.part(d, LIST));
    if !is_list(list) {
        return Err(c.s.wrong_type(1, list, "a list"));
    }
    if !is_function(f) && f != HOLE {
        return Err(c.s.not_a_function(f));
    }
    let has_order = form == Form::SortBy && has_order(c);
    if has_order {
        check_order(c.s, d)?;
        c.s.part_room(d, KEPT, 2)?;
        let [list, order] = [LIST, KEPT].map(|part| c.s.part(d, part));
        let kept = c.s.heap.two(order, list, CONS);
        c.s.set_part(d, KEPT, kept);
    } else {
        let keeps = EACH.get(form).is_some_and(|each| each.keeps);
        c.s.set_part(d, KEPT, if keeps { list } else { NIL });
    }
    c.s.set_part(d, RESULT, NIL);
    if !c.s.take_element(d) {
        finish(c, form, d)?;
        c.s.pc = exit as usize;
    }
    Ok(())
}

/// Puts the function's value before the result so far.
pub(super) fn push_next(s: &mut State, d: Slot, body: u32) -> Result<(), Exit> {
    push(s, d, GIVEN, RESULT)?;
    s.go_on(d, body);
    Ok(())
}

/// Puts the element before the result so far, if the function's value is true.
pub(super) fn select_next(s: &mut State, d: Slot, body: u32) -> Result<(), Exit> {
    if s.holds(d)? {
        push(s, d, ELEMENT, RESULT)?;
    }
    s.go_on(d, body);
    Ok(())
}

/// Takes the function's value for all other forms.
pub(super) fn next(c: &mut Context<'_>, form: Form, d: Slot, body: u32) -> Result<(), Exit> {
    let Some(each) = EACH.get(form) else { return Ok(()) };
    if let Some(value) = (each.next)(c, d)? {
        c.s.set_part(d, 0, value);
    } else if !c.s.go_on(d, body) {
        finish(c, form, d)?;
    }
    Ok(())
}

fn gathered(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    push(c.s, d, GIVEN, RESULT)?;
    Ok(None)
}

fn find(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    Ok(c.s.holds(d)?.then(|| c.s.part(d, ELEMENT)))
}

fn any(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    Ok(c.s.holds(d)?.then_some(TRUE))
}

fn all(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    Ok((!c.s.holds(d)?).then_some(FALSE))
}

fn partition(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    let onto = if c.s.holds(d)? { RESULT } else { KEPT };
    push(c.s, d, ELEMENT, onto)?;
    Ok(None)
}

/// Puts a part before a list that is another part.
fn push(s: &mut State, d: Slot, part: Slot, onto: Slot) -> Result<(), Exit> {
    if !s.heap.has_room_within(2) {
        // If a collection is needed, a single one for the whole result is better than several. The
        // rest of the list is no longer than the words that the collection frees.
        let words = 2 + 2 * s.heap.length(s.part(d, LIST));
        let words = if s.heap.could_have(words) { words } else { 2 };
        s.part_room(d, GIVEN, words)?;
    }
    let (first, rest) = (s.part(d, part), s.part(d, onto));
    let list = s.heap.two(first, rest, CONS);
    s.set_part(d, onto, list);
    Ok(())
}

/// Puts the elements of the list that the function gave before the result so far, one after
/// another.
fn push_all(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    let given = c.s.part(d, GIVEN);
    if !is_list(given) {
        return Err(c.s.wrong_type(0, given, "a function that gives a list"));
    }
    let n = c.s.heap.length(given);
    c.bulk(n as u64)?;
    c.s.part_room(d, GIVEN, 2 * n)?;
    let (mut rest, mut result) = (c.s.part(d, GIVEN), c.s.part(d, RESULT));
    while tag(rest) == CONS {
        let [first, next] = c.s.heap.next(rest);
        result = c.s.heap.two(first, result, CONS);
        rest = next;
    }
    c.s.set_part(d, RESULT, result);
    Ok(None)
}

/// Makes the value when there are no more elements.
pub(super) fn finish(c: &mut Context<'_>, form: Form, d: Slot) -> Result<(), Exit> {
    let Some(each) = EACH.get(form) else { return Ok(()) };
    let value = (each.finish)(c, d)?;
    c.s.set_part(d, 0, value);
    Ok(())
}

fn list(c: &mut Context<'_>, d: Slot) -> Word {
    c.s.heap.reverse(c.s.part(d, RESULT))
}

fn parts(c: &mut Context<'_>, d: Slot) -> Result<Word, Exit> {
    c.s.part_room(d, RESULT, 2)?;
    let (others, these) = (c.s.part(d, KEPT), c.s.part(d, RESULT));
    let (others, these) = (c.s.heap.reverse(others), c.s.heap.reverse(these));
    Ok(c.s.heap.two(these, others, PAIR))
}

/// Looks at the operands of `update`, and takes the value of the key.
fn begin_update(c: &mut Context<'_>, d: Slot) -> Result<(), Exit> {
    let (members, key, f) =
        (c.s.part(d, 0), c.s.part(d, update::KEY), c.s.part(d, update::FUNCTION));
    if c.s.heap.object_kind(members) != KIND_RECORD {
        return Err(c.s.wrong_type(0, members, "a record"));
    }
    let Some((bytes, _)) = c.s.heap.text_size(key) else {
        return Err(c.s.wrong_type(1, key, "a string"));
    };
    if !is_function(f) {
        return Err(c.s.not_a_function(f));
    }
    c.bulk(bytes / TEXT_UNIT)?;
    let key = c.s.heap.string(key);
    let Ok(place) = record::find(&c.s.heap, members, key.as_bytes()) else {
        return Err(Trouble::MissingKey(key, members).into());
    };
    let value = c.s.heap.members(members).get(place + 1).copied().unwrap_or(UNIT);
    c.s.set_part(d, update::PLACE, small(i64::try_from(place).unwrap_or_default()));
    c.s.set_part(d, update::VALUE, value);
    Ok(())
}

/// Makes the record with the value that the function gave.
fn end_update(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    let words = c.s.heap.members(c.s.part(d, 0)).len();
    c.bulk(words as u64 / 2)?;
    c.s.part_room(d, update::GIVEN, 1 + words)?;
    let mut members = c.s.heap.members(c.s.part(d, 0)).to_vec();
    let place = usize::try_from(as_small(c.s.part(d, update::PLACE))).unwrap_or_default();
    if let Some(value) = members.get_mut(place + 1) {
        *value = c.s.part(d, update::GIVEN);
    }
    Ok(Some(c.s.heap.record(&members)?))
}

/// Checks the operands of `update_in`, and takes the value at the end of the path.
fn begin_update_in(c: &mut Context<'_>, d: Slot) -> Result<(), Exit> {
    let f = c.s.part(d, update::FUNCTION);
    let steps = path::steps(c, c.s.part(d, update::KEY))?;
    if !is_function(f) {
        return Err(c.s.not_a_function(f));
    }
    let value = path::follow(c, c.s.part(d, 0), &steps)?;
    c.s.set_part(d, update::VALUE, value);
    Ok(())
}

/// Puts the value that the function gave at the end of the path.
fn end_update_in(c: &mut Context<'_>, d: Slot) -> Result<Option<Word>, Exit> {
    let parts = [0, update::KEY, update::GIVEN].map(|part| c.s.base + usize::from(d + part));
    let live = c.s.base + usize::from(d + update::GIVEN) + 1;
    path::put(c, parts, live).map(Some)
}
