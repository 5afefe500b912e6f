//! Forms that apply a function to the elements of a list, one after another. The function is
//! called like any other; these operations stand before and after the call. From slot `d` on lie:
//! the function, the rest of the list, a further operand or what else is kept, the result so far,
//! the element, and what the function gave. What is kept: by forms that need keys the whole list,
//! the result so far being the keys, and before it the order of a `sort_by` that has one; by `partition` the elements of which the function is false.
//! `update` applies its function once, to the value of a key: from `d` on lie the record, the key,
//! the function, where the value stands among the members, the value, and what the function gave.
//!
//! Fuel: each application is noted as a visit of the form. In units of work `flat_map` pays 1 for each element
//! of what the function gave, before it is copied; for forms that need keys see `keyed`. `update`:
//! also 1 per 8 bytes of the key, and 1 per member when the new record is made.

use super::keyed;
use super::state::{Exit, State};
use crate::code::{Image, Slot};
use crate::form::Form;
use crate::parse::shorten;
use crate::primitive::comparison::TEXT_UNIT;
use crate::primitive::{Trouble, record, type_name};
use crate::value::{
    CONS, FALSE, HOLE, KIND_RECORD, NIL, PAIR, TRUE, UNIT, Word, as_small, is_function, is_list,
    small, tag,
};

pub(super) const LIST: usize = 1;
const KEY: usize = 1;
const FUNCTION: usize = 2;
pub(super) const KEPT: usize = 2;
pub(super) const RESULT: usize = 3;
pub(super) const ELEMENT: usize = 4;
pub(super) const GIVEN: usize = 5;

impl State {
    pub(super) fn part(&self, d: Slot, part: usize) -> Word {
        self.at(self.base + usize::from(d) + part)
    }

    pub(super) fn set_part(&mut self, d: Slot, part: usize, word: Word) {
        self.set(self.base + usize::from(d) + part, word);
    }

    /// Makes room for `n` words, keeping the parts up to this one.
    pub(super) fn part_room(&mut self, d: Slot, part: usize, n: usize) -> Result<(), Exit> {
        self.make_room(n, self.base + usize::from(d) + part + 1)
    }

    /// Takes the next element of the list, if there is one.
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

    /// Goes on with the next element, if there is one.
    fn go_on(&mut self, d: Slot, body: u32) -> bool {
        let is_more = self.take_element(d);
        if is_more {
            self.pc = body as usize;
        }
        is_more
    }

    /// Whether the function gave true.
    fn holds(&self, d: Slot) -> Result<bool, Exit> {
        match self.part(d, GIVEN) {
            TRUE => Ok(true),
            FALSE => Ok(false),
            given => Err(self.mistaken(0, given, "a function that gives a boolean")),
        }
    }

    fn mistaken(&self, operand: usize, v: Word, wanted: &'static str) -> Exit {
        Trouble::Type { operand, wanted, found: type_name(&self.heap, v) }.into()
    }
}

/// Looks at the operands, and takes the first element.
pub(super) fn begin(
    image: &Image,
    s: &mut State,
    at: usize,
    form: Form,
    d: Slot,
    exit: u32,
) -> Result<(), Exit> {
    if form == Form::Update {
        return begin_update(image, s, at, d);
    }
    let (f, list) = (s.part(d, 0), s.part(d, LIST));
    if !is_list(list) {
        return Err(s.mistaken(1, list, "a list"));
    }
    if !is_function(f) && f != HOLE {
        return Err(Trouble::NotAFunction { found: type_name(&s.heap, f) }.into());
    }
    let has_order = form == Form::SortBy && has_order(image, s, at);
    if has_order {
        check_order(s, d)?;
        s.part_room(d, KEPT, 2)?;
        let [list, order] = [LIST, KEPT].map(|part| s.part(d, part));
        let kept = s.heap.two(order, list, CONS);
        s.set_part(d, KEPT, kept);
    } else {
        s.set_part(d, KEPT, if keyed::needs_keys(form) { list } else { NIL });
    }
    s.set_part(d, RESULT, NIL);
    if !s.take_element(d) {
        finish(image, s, at, form, d)?;
        s.pc = exit as usize;
    }
    Ok(())
}

/// Whether a `sort_by` is given an order, which then stands before the elements that are kept.
fn has_order(image: &Image, s: &State, at: usize) -> bool {
    s.terms.operands(image.term(at)).len() > 2
}

/// Takes the order of a `sort_by` from what is kept; gives whether it is the descending one.
pub(super) fn take_order(image: &Image, s: &mut State, at: usize, d: Slot) -> bool {
    if !has_order(image, s, at) {
        return false;
    }
    let [order, elements] = s.heap.next(s.part(d, KEPT));
    s.set_part(d, KEPT, elements);
    s.heap.prefix(order, DESCENDING.len()) == DESCENDING
}

const ASCENDING: &str = "asc";
const DESCENDING: &str = "desc";

fn check_order(s: &State, d: Slot) -> Result<(), Exit> {
    let order = s.part(d, KEPT);
    if !s.heap.is_text(order) {
        return Err(s.mistaken(2, order, "the string \"asc\" or \"desc\""));
    }
    let found = s.heap.prefix(order, 4 * DESCENDING.len());
    if [ASCENDING, DESCENDING].contains(&found.as_str()) {
        return Ok(());
    }
    let found = shorten(&found);
    let message = format!("the order of `sort_by` is \"asc\" or \"desc\", not `{found}`");
    Err(Trouble::OutOfRange(message).into())
}

/// Puts what the function gave before the result so far.
pub(super) fn push_next(s: &mut State, d: Slot, body: u32) -> Result<(), Exit> {
    push(s, d, GIVEN, RESULT)?;
    s.go_on(d, body);
    Ok(())
}

/// Puts the element before the result so far, if the function says so.
pub(super) fn select_next(s: &mut State, d: Slot, body: u32) -> Result<(), Exit> {
    if s.holds(d)? {
        push(s, d, ELEMENT, RESULT)?;
    }
    s.go_on(d, body);
    Ok(())
}

/// Takes what the function gave in any other way.
pub(super) fn next(
    image: &Image,
    s: &mut State,
    at: usize,
    form: Form,
    d: Slot,
    body: u32,
) -> Result<(), Exit> {
    if form == Form::Update {
        return end_update(image, s, at, d);
    }
    if form == Form::FlatMap {
        push_all(image, s, at, d)?;
    } else {
        let holds = s.holds(d)?;
        match form {
            Form::Partition => push(s, d, ELEMENT, if holds { RESULT } else { KEPT })?,
            Form::Find if holds => {
                s.set_part(d, 0, s.part(d, ELEMENT));
                return Ok(());
            }
            Form::Any if holds => {
                s.set_part(d, 0, TRUE);
                return Ok(());
            }
            Form::All if !holds => {
                s.set_part(d, 0, FALSE);
                return Ok(());
            }
            _ => {}
        }
    }
    if !s.go_on(d, body) {
        finish(image, s, at, form, d)?;
    }
    Ok(())
}

/// Puts a part before a list that is another part.
fn push(s: &mut State, d: Slot, part: usize, onto: usize) -> Result<(), Exit> {
    if !s.heap.has_room_within(2) {
        // If there has to be a collection, one for all of the result is better than several. The
        // rest of the list is no more than what is collected.
        let words = 2 + 2 * s.heap.length(s.part(d, LIST));
        let words = if s.heap.could_have(words) { words } else { 2 };
        s.part_room(d, GIVEN, words)?;
    }
    let (first, rest) = (s.part(d, part), s.part(d, onto));
    let list = s.heap.two(first, rest, CONS);
    s.set_part(d, onto, list);
    Ok(())
}

/// Puts the elements of what the function gave before the result so far, one after another.
fn push_all(image: &Image, s: &mut State, at: usize, d: Slot) -> Result<(), Exit> {
    let given = s.part(d, GIVEN);
    if !is_list(given) {
        return Err(s.mistaken(0, given, "a function that gives a list"));
    }
    let n = s.heap.length(given);
    s.bulk(image, at, n as u64)?;
    s.part_room(d, GIVEN, 2 * n)?;
    let (mut rest, mut result) = (s.part(d, GIVEN), s.part(d, RESULT));
    while tag(rest) == CONS {
        let [first, next] = s.heap.next(rest);
        result = s.heap.two(first, result, CONS);
        rest = next;
    }
    s.set_part(d, RESULT, result);
    Ok(())
}

/// The value, when there are no more elements.
pub(super) fn finish(
    image: &Image,
    s: &mut State,
    at: usize,
    form: Form,
    d: Slot,
) -> Result<(), Exit> {
    let value = match form {
        Form::Find => UNIT,
        Form::Any => FALSE,
        Form::All => TRUE,
        Form::Partition => {
            s.part_room(d, RESULT, 2)?;
            let (others, these) = (s.part(d, KEPT), s.part(d, RESULT));
            let (others, these) = (s.heap.reverse(others), s.heap.reverse(these));
            s.heap.two(these, others, PAIR)
        }
        _ => {
            let result = s.part(d, RESULT);
            let result = s.heap.reverse(result);
            if keyed::needs_keys(form) {
                s.set_part(d, RESULT, result);
                keyed::finish(image, s, at, form, d)?
            } else {
                result
            }
        }
    };
    s.set_part(d, 0, value);
    Ok(())
}

/// Looks at the operands of `update`, and takes the value of the key.
fn begin_update(image: &Image, s: &mut State, at: usize, d: Slot) -> Result<(), Exit> {
    let (members, key, f) = (s.part(d, 0), s.part(d, KEY), s.part(d, FUNCTION));
    if s.heap.object_kind(members) != KIND_RECORD {
        return Err(s.mistaken(0, members, "a record"));
    }
    let Some((bytes, _)) = s.heap.text_size(key) else {
        return Err(s.mistaken(1, key, "a string"));
    };
    if !is_function(f) {
        return Err(Trouble::NotAFunction { found: type_name(&s.heap, f) }.into());
    }
    s.bulk(image, at, bytes / TEXT_UNIT)?;
    let key = s.heap.string(key);
    let Ok(place) = record::find(&s.heap, members, key.as_bytes()) else {
        return Err(Trouble::MissingKey(key, members).into());
    };
    let value = s.heap.members(members).get(place + 1).copied().unwrap_or(UNIT);
    s.set_part(d, RESULT, small(i64::try_from(place).unwrap_or_default()));
    s.set_part(d, ELEMENT, value);
    Ok(())
}

/// Makes the record with what the function gave.
fn end_update(image: &Image, s: &mut State, at: usize, d: Slot) -> Result<(), Exit> {
    let words = s.heap.members(s.part(d, 0)).len();
    s.bulk(image, at, words as u64 / 2)?;
    s.make_room(1 + words, s.base + usize::from(d) + GIVEN + 1)?;
    let mut members = s.heap.members(s.part(d, 0)).to_vec();
    let place = usize::try_from(as_small(s.part(d, RESULT))).unwrap_or_default();
    if let Some(value) = members.get_mut(place + 1) {
        *value = s.part(d, GIVEN);
    }
    let updated = s.heap.record(&members)?;
    s.set_part(d, 0, updated);
    Ok(())
}
