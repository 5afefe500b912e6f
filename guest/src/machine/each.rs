//! Forms that apply a function to the elements of a list, one after another. The function is
//! called like any other; these operations stand before and after the call. From slot `d` on lie:
//! the function, the rest of the list, a further operand, the result so far, the element, and what
//! the function gave.
//!
//! Fuel: 1 for each application, noted as a visit of the form.

use super::state::{Exit, State};
use crate::code::{Image, Slot};
use crate::form::Form;
use crate::primitive::{Trouble, type_name};
use crate::value::{CONS, FALSE, NIL, TRUE, UNIT, Word, index, is_function, is_list, tag};

const LIST: usize = 1;
const RESULT: usize = 3;
const ELEMENT: usize = 4;
const GIVEN: usize = 5;

impl State {
    fn part(&self, d: Slot, part: usize) -> Word {
        self.at(self.base + usize::from(d) + part)
    }

    fn set_part(&mut self, d: Slot, part: usize, word: Word) {
        self.set(self.base + usize::from(d) + part, word);
    }

    /// Takes the next element of the list, if there is one.
    fn take_element(&mut self, d: Slot) -> bool {
        let list = self.part(d, LIST);
        if tag(list) != CONS {
            return false;
        }
        let [element, rest] = self.heap.cell(index(list));
        self.set_part(d, ELEMENT, element);
        self.set_part(d, LIST, rest);
        true
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
    let (f, list) = (s.part(d, 0), s.part(d, LIST));
    if !is_list(list) {
        return Err(s.mistaken(1, list, "a list"));
    }
    if !is_function(f) {
        return Err(Trouble::NotAFunction { found: type_name(&s.heap, f) }.into());
    }
    s.set_part(d, RESULT, NIL);
    if !s.take_element(d) {
        finish(image, s, at, form, d)?;
        s.pc = exit as usize;
    }
    Ok(())
}

/// Takes what the function gave.
pub(super) fn next(
    image: &Image,
    s: &mut State,
    at: usize,
    form: Form,
    d: Slot,
    body: u32,
) -> Result<(), Exit> {
    let given = s.part(d, GIVEN);
    let needs_boolean = matches!(form, Form::Filter | Form::Find | Form::Any | Form::All);
    if needs_boolean && !matches!(given, TRUE | FALSE) {
        return Err(s.mistaken(0, given, "a function that gives a boolean"));
    }
    match (form, given) {
        (Form::Map, _) => push(s, d, GIVEN)?,
        (Form::Filter, TRUE) => push(s, d, ELEMENT)?,
        (Form::Find, TRUE) => {
            s.set_part(d, 0, s.part(d, ELEMENT));
            return Ok(());
        }
        (Form::Any, TRUE) | (Form::All, FALSE) => {
            s.set_part(d, 0, given);
            return Ok(());
        }
        _ => {}
    }
    if s.take_element(d) {
        s.pc = body as usize;
        return Ok(());
    }
    finish(image, s, at, form, d)
}

/// Puts a part before the result so far.
fn push(s: &mut State, d: Slot, part: usize) -> Result<(), Exit> {
    s.make_room(2, s.base + usize::from(d) + GIVEN + 1)?;
    let (first, rest) = (s.part(d, part), s.part(d, RESULT));
    let list = s.heap.two(first, rest, CONS);
    s.set_part(d, RESULT, list);
    Ok(())
}

/// The value, when there are no more elements.
fn finish(_image: &Image, s: &mut State, _at: usize, form: Form, d: Slot) -> Result<(), Exit> {
    let value = match form {
        Form::Find => UNIT,
        Form::Any => FALSE,
        Form::All => TRUE,
        _ => {
            let result = s.part(d, RESULT);
            s.heap.reverse(result)
        }
    };
    s.set_part(d, 0, value);
    Ok(())
}
