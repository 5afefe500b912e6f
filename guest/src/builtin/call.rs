//! A form with its operands, and what all builtins do with them.
//!
//! The methods that all builtins use are calls (`inline(never)`): copied into each of them they would
//! take 40 kB of the component and save nothing that counts.

use crate::algorithm::number::value::Number;
use crate::code::Image;
use crate::data::show;
use crate::language::form::Form;
use crate::limits;
use crate::memory::heap::{Full, Heap};
use crate::memory::word::{Word, as_small, is_integer, is_list};
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use std::cell::Cell;

/// A form with its operands, being evaluated.
pub(crate) struct Call<'a> {
    pub(crate) image: &'a Image,
    pub(crate) s: &'a mut State,
    /// The operation.
    pub(super) at: usize,
    pub(crate) form: Form,
    /// Where the operands begin on the stack.
    pub(super) base: usize,
    /// How many there are; none: they are in the list at `base`.
    pub(super) n: usize,
    /// Bytes that are taken beside the heap.
    pub(super) aside: Cell<u64>,
}

impl Call<'_> {
    /// The operation, for whatever is not done by builtins alone.
    pub(crate) fn context(&mut self) -> Context<'_> {
        Context { image: self.image, s: self.s, at: self.at }
    }

    /// How many operands there are.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// An operand. Read it again after making room.
    pub(crate) fn operand(&self, i: usize) -> Word {
        self.s.at(self.base + i)
    }

    /// An operand as messages show it.
    #[inline(never)]
    pub(crate) fn shown(&self, i: usize) -> String {
        let State { heap, terms, .. } = &*self.s;
        show::excerpt(heap, terms, &self.s.names(), self.operand(i), show::OPERAND_BYTES)
    }

    /// Spends fuel on bulk work.
    #[inline(never)]
    pub(crate) fn charge(&mut self, work: u64) -> Result<(), Exit> {
        self.context().bulk(work)
    }

    /// Warns of the form: a message, and what to write instead. One warning of each code shows.
    pub(crate) fn warn(&mut self, code: &'static str, tell: impl FnOnce() -> (String, String)) {
        self.s.warn(self.image, self.at, code, tell);
    }

    /// The most work that can be paid.
    pub(crate) fn budget(&mut self) -> u64 {
        self.context().budget()
    }

    /// Makes room for `n` words. Values that are on no stack move.
    #[inline(never)]
    pub(crate) fn room(&mut self, n: usize) -> Result<(), Exit> {
        let live = self.base + self.n.max(1);
        self.s.make_room(n, live)
    }

    /// Makes room for `n` words, and follows these to where they move.
    pub(crate) fn room_keeping(&mut self, n: usize, words: &mut [Word]) -> Result<(), Exit> {
        let live = self.base + self.n.max(1);
        self.s.make_room_keeping(n, live, words)
    }

    /// Makes room for lists that take as many words at most. How many they really take, since integers
    /// take fewer, is only asked where that matters.
    pub(crate) fn list_room(
        &mut self,
        most: usize,
        exact: impl FnOnce(&Self) -> usize,
    ) -> Result<(), Exit> {
        let words = if self.s.heap.could_have(most) { most } else { exact(self) };
        self.room(words)
    }

    /// The fault of an operand of the wrong type.
    #[inline(never)]
    pub(crate) fn wrong(&self, i: usize, wanted: &'static str) -> Exit {
        self.s.wrong_type(i, self.operand(i), wanted)
    }

    /// Faults unless an operand is a list.
    pub(crate) fn must_be_list(&self, i: usize) -> Result<(), Exit> {
        if is_list(self.operand(i)) { Ok(()) } else { Err(self.wrong(i, "a list")) }
    }

    /// The elements of an operand that must be a list; nothing is charged for it.
    #[inline(never)]
    pub(crate) fn list(&self, i: usize) -> Result<Vec<Word>, Exit> {
        self.must_be_list(i)?;
        Ok(self.elements(self.operand(i)))
    }

    /// The elements of a list.
    #[inline(never)]
    pub(crate) fn elements(&self, list: Word) -> Vec<Word> {
        self.s.heap.elements(list)
    }

    /// A list of these elements, which lie on the heap as they are now: there must be room for two
    /// words each.
    #[inline(never)]
    pub(crate) fn make_list(&mut self, elements: &[Word]) -> Word {
        self.s.heap.list(elements.iter().copied())
    }

    /// An operand that must be an integer: the number, if it is one of a word, else whether it is
    /// negative.
    #[inline(never)]
    pub(crate) fn integer(&self, i: usize) -> Result<Result<i64, bool>, Exit> {
        let v = self.operand(i);
        match self.s.heap.limbs(v) {
            Some((_, negative)) => Ok(Err(negative)),
            None if is_integer(v) => Ok(Ok(as_small(v))),
            None => Err(self.wrong(i, "an integer")),
        }
    }

    /// The characters of an operand that must be a text; nothing is charged for it.
    #[inline(never)]
    pub(crate) fn text(&self, i: usize) -> Result<String, Exit> {
        let v = self.operand(i);
        let Some((bytes, _)) = self.s.heap.text_size(v) else {
            return Err(self.wrong(i, "a string"));
        };
        self.set_aside(bytes)?;
        Ok(self.s.heap.string(v))
    }

    /// Notes so many bytes taken beside the heap until the form has its value. They are within
    /// the memory limit too, which hosts set twice as high for it, with some to spare.
    pub(crate) fn set_aside(&self, bytes: u64) -> Result<(), Full> {
        let all = self.aside.get().saturating_add(bytes);
        self.aside.set(all);
        if all > limits::aside(self.s.heap.limit) { Err(Full) } else { Ok(()) }
    }

    /// An operand that must be a number.
    #[inline(never)]
    pub(crate) fn number(&self, i: usize) -> Result<Number, Exit> {
        Number::of(&self.s.heap, self.operand(i)).ok_or_else(|| self.wrong(i, "a number"))
    }

    /// A new number.
    #[inline(never)]
    pub(crate) fn make_number(&mut self, n: &Number) -> Result<Word, Exit> {
        self.room(n.words())?;
        Ok(n.put(&mut self.s.heap))
    }

    /// A new text.
    pub(crate) fn make_text(&mut self, text: &str) -> Result<Word, Exit> {
        self.make_text_of(text.as_bytes())
    }

    /// The same of bytes that are a text.
    #[inline(never)]
    pub(crate) fn make_text_of(&mut self, bytes: &[u8]) -> Result<Word, Exit> {
        self.room(Heap::text_words(bytes.len()))?;
        Ok(self.s.heap.text_of(bytes)?)
    }
}
