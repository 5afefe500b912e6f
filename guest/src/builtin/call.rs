//! A form with its operands, and methods for all builtins.
//!
//! The common methods are calls (`inline(never)`). Inlined, they would add 40 kB to the component
//! without a measurable gain.

use crate::algorithm::number::value::Number;
use crate::code::Image;
use crate::data::show;
use crate::memory::heap::{Full, Heap};
use crate::memory::word::{Word, as_small, is_integer, is_list};
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use num_traits::ToPrimitive;
use pif_core::hint::Hint;
use pif_core::limits;
use pif_language::form::Form;
use pif_language::kinds::{self, Wanted};
use std::cell::Cell;

/// Evaluates a form. The collector may move all values that are not on the stack.
pub(super) type Function = fn(&mut Call<'_>) -> Result<Word, Exit>;

/// A form with its operands during its evaluation.
pub(crate) struct Call<'a> {
    pub(crate) image: &'a Image,
    pub(crate) s: &'a mut State,
    /// The operation.
    pub(super) at: usize,
    pub(crate) form: Form,
    /// First operand on the stack.
    pub(super) base: usize,
    /// The number of operands. If it is 0, they are in the list at `base`.
    pub(super) n: usize,
    /// Bytes taken outside the heap.
    pub(super) aside: Cell<u64>,
}

impl Call<'_> {
    /// Returns the operation's context, for functions that are not only for builtins.
    pub(crate) fn context(&mut self) -> Context<'_> {
        Context { image: self.image, s: self.s, at: self.at }
    }

    /// Counts the operands.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Returns an operand. Read it again after making room.
    pub(crate) fn operand(&self, i: usize) -> Word {
        self.s.at(self.base + i)
    }

    /// Replaces an operand.
    pub(super) fn set_operand(&mut self, i: usize, word: Word) {
        self.s.set(self.base + i, word);
    }

    /// Does something that takes its operands from this one on.
    pub(super) fn at_operand(
        &mut self,
        i: usize,
        action: impl FnOnce(&mut Self) -> Result<Word, Exit>,
    ) -> Result<Word, Exit> {
        (self.base, self.n) = (self.base + i, self.n - i);
        let done = action(self);
        (self.base, self.n) = (self.base - i, self.n + i);
        done
    }

    /// Puts the list of a match in place of each operand that is one, where the form takes lists.
    pub(super) fn take_lists_of_matches(&mut self) {
        for i in 0..self.n {
            if let Some(list) = self.s.heap.list_of_match(self.operand(i))
                && self.form.takes_list(i)
            {
                self.s.set(self.base + i, list);
            }
        }
    }

    /// Returns an operand's text for a message.
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

    /// Warns of the form with a message and a hint. Only one warning of each code appears.
    pub(crate) fn warn(&mut self, code: &'static str, tell: impl FnOnce() -> (String, Hint)) {
        self.s.warn(self.image, self.at, code, tell);
    }

    /// Returns the most work that the fuel left can pay.
    pub(crate) fn budget(&mut self) -> u64 {
        self.context().budget()
    }

    /// Makes room for `n` words. Values that are not on the stack may move.
    #[inline(never)]
    pub(crate) fn room(&mut self, n: usize) -> Result<(), Exit> {
        let live = self.base + self.n.max(1);
        self.s.make_room(n, live)
    }

    /// Makes room for `n` words. Updates `words` if they move.
    pub(crate) fn room_keeping(&mut self, n: usize, words: &mut [Word]) -> Result<(), Exit> {
        let live = self.base + self.n.max(1);
        self.s.make_room_keeping(n, live, words)
    }

    /// Makes room for lists of at most `most` words. Calls `exact` for the real number, which
    /// integers reduce, only if it matters.
    pub(crate) fn list_room(
        &mut self,
        most: usize,
        exact: impl FnOnce(&Self) -> usize,
    ) -> Result<(), Exit> {
        let words = if self.s.heap.could_have(most) { most } else { exact(self) };
        self.room(words)
    }

    /// Returns the fault of an operand of the wrong type.
    #[inline(never)]
    pub(crate) fn wrong(&self, i: usize, wanted: impl Into<Wanted>) -> Exit {
        self.s.wrong_type(i, self.operand(i), wanted.into())
    }

    /// Returns the fault of an operand of a type that the form's row does not accept.
    #[inline(never)]
    pub(crate) fn refuse(&self, i: usize) -> Exit {
        self.wrong(i, Wanted::accepted(self.form.accepted(i)))
    }

    /// Faults unless an operand is a list.
    pub(crate) fn must_be_list(&self, i: usize) -> Result<(), Exit> {
        if is_list(self.operand(i)) { Ok(()) } else { Err(self.wrong(i, kinds::LIST)) }
    }

    /// Returns the elements of an operand that must be a list. It charges nothing.
    #[inline(never)]
    pub(crate) fn list(&self, i: usize) -> Result<Vec<Word>, Exit> {
        self.must_be_list(i)?;
        Ok(self.elements(self.operand(i)))
    }

    /// Returns the elements of a list.
    #[inline(never)]
    pub(crate) fn elements(&self, list: Word) -> Vec<Word> {
        self.s.heap.elements(list)
    }

    /// Makes a list of these elements, which are on the heap. There must be room for two words for
    /// each.
    #[inline(never)]
    pub(crate) fn make_list(&mut self, elements: &[Word]) -> Word {
        self.s.heap.list(elements.iter().copied())
    }

    /// Returns an operand that must be an integer, or a float without a fraction: its value if it
    /// is small, otherwise whether it is negative.
    #[inline(never)]
    pub(crate) fn integer(&self, i: usize) -> Result<Result<i64, bool>, Exit> {
        let v = self.operand(i);
        if is_integer(v) {
            return Ok(Ok(as_small(v)));
        }
        if let Some((_, negative)) = self.s.heap.limbs(v) {
            return Ok(Err(negative));
        }
        match self.s.heap.as_float(v) {
            Some(n) if n.is_infinite() => Ok(Err(n < 0.0)),
            Some(n) if n.fract() == 0.0 => Ok(n.to_i64().ok_or(n < 0.0)),
            _ => Err(self.wrong(i, kinds::INTEGER)),
        }
    }

    /// Returns the characters of an operand that must be a text. It charges nothing.
    #[inline(never)]
    pub(crate) fn text(&self, i: usize) -> Result<String, Exit> {
        let v = self.operand(i);
        let Some((bytes, _)) = self.s.heap.text_size(v) else {
            return Err(self.wrong(i, kinds::STRING));
        };
        self.set_aside(bytes)?;
        Ok(self.s.heap.string(v))
    }

    /// Counts bytes taken outside the heap until the form has its value. They count against the
    /// memory limit. Hosts set the real limit twice as high, and more, to allow for them.
    pub(crate) fn set_aside(&self, bytes: u64) -> Result<(), Full> {
        let all = self.aside.get().saturating_add(bytes);
        self.aside.set(all);
        if all > limits::aside(self.s.heap.limit) { Err(Full) } else { Ok(()) }
    }

    /// Returns an operand that must be a number, and not infinite.
    #[inline(never)]
    pub(crate) fn number(&self, i: usize) -> Result<Number, Exit> {
        let n = self.any_number(i)?;
        n.must_be_finite()?;
        Ok(n)
    }

    /// Returns an operand that must be a number.
    pub(crate) fn any_number(&self, i: usize) -> Result<Number, Exit> {
        Number::of(&self.s.heap, self.operand(i)).ok_or_else(|| self.wrong(i, kinds::NUMBER))
    }

    /// Makes a number.
    #[inline(never)]
    pub(crate) fn make_number(&mut self, n: &Number) -> Result<Word, Exit> {
        self.room(n.words())?;
        Ok(n.put(&mut self.s.heap))
    }

    /// Makes a text.
    pub(crate) fn make_text(&mut self, text: &str) -> Result<Word, Exit> {
        self.make_text_of(text.as_bytes())
    }

    /// Makes a text from valid UTF-8.
    #[inline(never)]
    pub(crate) fn make_text_of(&mut self, bytes: &[u8]) -> Result<Word, Exit> {
        self.room(Heap::text_words(bytes.len()))?;
        Ok(self.s.heap.text_of(bytes)?)
    }
}
