//! The machine's parts for an operation outside the dispatch loop, and the faults of operands of a
//! wrong type.

use crate::algorithm::trouble::Trouble;
use crate::code::Image;
use crate::memory::types::kind_of;
use crate::run::state::{Exit, State};
use pif_language::form::Form;
use pif_language::kinds::Wanted;

use crate::memory::word::Word;
use pif_language::term::TermId;

/// An operation outside the dispatch loop.
pub(crate) struct Context<'r> {
    pub(crate) image: &'r Image,
    /// The registers, stack and heap.
    pub(crate) s: &'r mut State,
    /// The operation.
    pub(crate) at: usize,
}

impl Context<'_> {
    /// Returns the term of the operation.
    pub(crate) fn term(&self) -> TermId {
        self.image.term(self.at)
    }

    /// Returns the form of that term.
    pub(crate) fn form(&self) -> Form {
        self.s.terms.form(self.term())
    }

    /// Spends fuel on bulk work.
    pub(crate) fn bulk(&mut self, work: u64) -> Result<(), Exit> {
        if work > 0 {
            let work = work.saturating_mul(self.form().work_price());
            self.s.meter.bulk(self.image, self.at, self.s.depth, work)?;
        }
        Ok(())
    }

    /// Returns the most work that the fuel left can pay.
    pub(crate) fn budget(&self) -> u64 {
        self.s.meter.left().max(0).unsigned_abs() / self.form().work_price()
    }

    /// Returns the fault of an operand of a type that the form's row does not accept.
    pub(crate) fn refuse(&self, operand: usize, v: Word) -> Exit {
        self.s.wrong_type(operand, v, Wanted::accepted(self.form().accepted(operand)))
    }
}

impl State {
    /// Returns the fault of a value of the wrong type. The machine makes all such faults here.
    #[inline(never)]
    pub(crate) fn wrong_type(&self, operand: usize, v: Word, wanted: impl Into<Wanted>) -> Exit {
        Trouble::of_type(&self.heap, operand, v, wanted.into()).into()
    }

    /// Makes the fault of a value within an operand that is not of the type that a form wants there.
    #[inline(never)]
    pub(crate) fn wrong_element(&self, operand: usize, v: Word, wanted: Wanted) -> Exit {
        Trouble::of_element(&self.heap, operand, v, wanted).into()
    }

    /// Returns the fault of an applied value that is not a function.
    pub(crate) fn not_a_function(&self, f: Word) -> Exit {
        Trouble::NotAFunction { found: kind_of(&self.heap, f) }.into()
    }

    /// Makes room for `n` words. Slots below `live` are kept.
    #[inline(never)]
    pub(crate) fn make_room(&mut self, n: usize, live: usize) -> Result<(), Exit> {
        if !self.heap.has_room(n) {
            self.collect(n, live)?;
        }
        Ok(())
    }

    /// Makes room for `n` words. Updates `words`, which are in no slot, if they move.
    pub(crate) fn make_room_keeping(
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
