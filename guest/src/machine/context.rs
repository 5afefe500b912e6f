//! Everything that an operation may use outside the dispatch loop, and the faults that operands of
//! a wrong type make.

use super::state::{Exit, State};
use crate::code::Image;
use crate::form::Form;
use crate::primitive::{Trouble, type_name};
use crate::term::TermId;
use crate::value::Word;

/// An operation that is being done outside the dispatch loop.
pub(super) struct Context<'r> {
    pub(super) image: &'r Image,
    /// The registers, stack and heap.
    pub(super) s: &'r mut State,
    /// The operation.
    pub(super) at: usize,
}

impl Context<'_> {
    /// The term that the operation belongs to.
    pub(super) fn term(&self) -> TermId {
        self.image.term(self.at)
    }

    /// The form of that term.
    pub(super) fn form(&self) -> Form {
        self.s.terms.form(self.term())
    }

    /// Spends fuel on bulk work.
    pub(super) fn bulk(&mut self, work: u64) -> Result<(), Exit> {
        if work > 0 {
            let work = work.saturating_mul(self.form().work_price());
            self.s.meter.bulk(self.image, self.at, self.s.depth, work)?;
        }
        Ok(())
    }

    /// The most work that can be paid.
    pub(super) fn budget(&self) -> u64 {
        self.s.meter.left().max(0).unsigned_abs() / self.form().work_price()
    }
}

impl State {
    /// The fault of a value that is not of the type that a form wants there.
    #[inline(never)]
    pub(super) fn wrong_type(&self, operand: usize, v: Word, wanted: &'static str) -> Exit {
        Trouble::of_type(&self.heap, operand, v, wanted).into()
    }

    /// The fault of a value in an operand that is not of the type that a form wants there.
    #[inline(never)]
    pub(super) fn wrong_element(&self, operand: usize, v: Word, wanted: &'static str) -> Exit {
        Trouble::of_element(&self.heap, operand, v, wanted).into()
    }

    /// The fault of a value that is applied and is no function.
    pub(super) fn not_a_function(&self, f: Word) -> Exit {
        Trouble::NotAFunction { found: type_name(&self.heap, f) }.into()
    }

    /// Makes room for `n` words; slots below `live` are kept.
    #[inline(never)]
    pub(super) fn make_room(&mut self, n: usize, live: usize) -> Result<(), Exit> {
        if !self.heap.has_room(n) {
            self.collect(n, live)?;
        }
        Ok(())
    }

    /// Makes room for `n` words. Some words that are in no slot are followed to where they move.
    pub(super) fn make_room_keeping(
        &mut self,
        n: usize,
        live: usize,
        words: &mut [Word],
    ) -> Result<(), Exit> {
        self.kept.clear();
        self.kept.extend_from_slice(words);
        let room = self.make_room(n, live);
        words.copy_from_slice(&self.kept);
        self.kept.clear();
        room
    }
}
