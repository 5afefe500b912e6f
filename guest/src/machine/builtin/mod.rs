//! Strict forms beyond the original calculus. Their operands lie on the stack, where the collector
//! finds them: whoever makes room reads them again. What a form costs is charged before the work
//! is done, and stands at the head of its group's module.

mod general;
mod pattern;
mod reading;
mod text;

use super::state::{Exit, State};
use crate::code::{Image, Slot};
use crate::form::Form;
use crate::heap::Full;
use crate::primitive::{Trouble, type_name};
use crate::value::{CONS, NIL, Word, index, is_list, tag};
use std::cell::Cell;

/// Bytes that a form may take beside the heap, besides half the memory limit.
const ASIDE: u64 = 32 << 20;

/// A form with its operands, being evaluated.
pub(super) struct Call<'a> {
    pub(super) image: &'a Image,
    pub(super) s: &'a mut State,
    /// The operation.
    at: usize,
    pub(super) form: Form,
    /// Where the operands begin on the stack.
    base: usize,
    /// How many there are; none: they are in the list at `base`.
    n: usize,
    /// Bytes that are taken beside the heap.
    aside: Cell<u64>,
}

/// Evaluates a form of the `n` operands from slot `d` on; the value goes to `d`.
pub(super) fn call(
    image: &Image,
    s: &mut State,
    at: usize,
    form: Form,
    [d, n]: [Slot; 2],
) -> Result<(), Exit> {
    let base = s.base + usize::from(d);
    let mut call = Call { image, s, at, form, base, n: usize::from(n), aside: Cell::new(0) };
    let value = call.evaluate()?;
    s.set(base, value);
    Ok(())
}

impl Call<'_> {
    fn evaluate(&mut self) -> Result<Word, Exit> {
        match self.form {
            Form::Fail | Form::TypeOf => general::call(self),
            form if Form::Upper <= form && form <= Form::RegexReplace => text::call(self),
            _ => Err(Trouble::TooLarge("this form is not there yet").into()),
        }
    }

    /// How many operands there are.
    pub(super) fn len(&self) -> usize {
        self.n
    }

    /// An operand. Read it again after making room.
    pub(super) fn operand(&self, i: usize) -> Word {
        self.s.at(self.base + i)
    }

    /// Spends fuel on bulk work.
    pub(super) fn charge(&mut self, work: u64) -> Result<(), Exit> {
        self.s.bulk(self.image, self.at, work)
    }

    /// Makes room for `n` words. Values that are on no stack move.
    pub(super) fn room(&mut self, n: usize) -> Result<(), Exit> {
        let live = self.base + self.n.max(1);
        self.s.make_room(n, live)
    }

    /// The fault of an operand of the wrong type.
    pub(super) fn wrong(&self, i: usize, wanted: &'static str) -> Exit {
        let found = type_name(&self.s.heap, self.operand(i));
        Trouble::Type { operand: i, wanted, found }.into()
    }

    /// The elements of an operand that must be a list; nothing is charged for it.
    pub(super) fn list(&self, i: usize) -> Result<Vec<Word>, Exit> {
        let list = self.operand(i);
        if is_list(list) { Ok(self.elements(list)) } else { Err(self.wrong(i, "a list")) }
    }

    /// The elements of a list.
    pub(super) fn elements(&self, list: Word) -> Vec<Word> {
        let (mut rest, mut elements) = (list, Vec::new());
        while tag(rest) == CONS {
            let [first, next] = self.s.heap.cell(index(rest));
            elements.push(first);
            rest = next;
        }
        elements
    }

    /// A list of these elements, which lie on the heap as they are now: there must be room for two
    /// words each.
    pub(super) fn make_list(&mut self, elements: &[Word]) -> Word {
        let list = elements.iter().rev();
        list.fold(NIL, |rest, first| self.s.heap.two(*first, rest, CONS))
    }

    /// The characters of an operand that must be a text; nothing is charged for it.
    pub(super) fn text(&self, i: usize) -> Result<String, Exit> {
        let v = self.operand(i);
        let Some((bytes, _)) = self.s.heap.text_size(v) else {
            return Err(self.wrong(i, "a string"));
        };
        self.set_aside(bytes)?;
        Ok(self.s.heap.string(v))
    }

    /// Notes so many bytes taken beside the heap until the form has its value. They are within
    /// the memory limit too, which hosts set twice as high for it, with some to spare.
    pub(super) fn set_aside(&self, bytes: u64) -> Result<(), Full> {
        let all = self.aside.get().saturating_add(bytes);
        self.aside.set(all);
        if all > ASIDE + 4 * self.s.heap.limit as u64 { Err(Full) } else { Ok(()) }
    }

    /// A new text.
    pub(super) fn make_text(&mut self, text: &str) -> Result<Word, Exit> {
        self.room(crate::heap::Heap::text_words(text.len()))?;
        Ok(self.s.heap.text(text)?)
    }
}
