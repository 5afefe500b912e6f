//! The pair that a `fold` gives its function, where the function only takes it apart: then its halves
//! stay in their slots, under names of their own, and no pair is made (scalar replacement of
//! aggregates). Any other function gets a pair.

use crate::code::{Place, Slot};
use crate::compile::compiler::{Compiler, Failed};
use crate::compile::task::Task;
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::term::{NameId, TermId};

/// Nodes of a function to look at. The functions of folds within each other are looked at again and
/// again.
const MOST_NODES: usize = 256;

impl Compiler<'_> {
    /// Tells whether a function only takes its parameter apart, and leaves that to no function within it
    /// that could be a value. A debug run shows the pair, and an `eval` may ask for it.
    pub(super) fn takes_apart(&self, function: TermId) -> bool {
        let ([name], terms) = (self.terms.names(function), self.terms) else { return false };
        if self.debug {
            return false;
        }
        let mut left = MOST_NODES;
        let mut open = vec![(terms.operand(function, 0), false)];
        while let Some((t, is_closed)) = open.pop() {
            let form = terms.form(t);
            let is_half = matches!(form, Form::Fst | Form::Snd) && self.is_variable(t, *name);
            let is_whole = form == Form::Var && terms.only_name(t) == *name;
            if left == 0 || form == Form::Eval || is_whole || is_half && is_closed {
                return false;
            }
            left -= 1;
            if is_half {
                continue;
            }
            let is_closed = is_closed || form == Form::Lam;
            let operands = terms.operands(t).iter().map(|operand| {
                // The function of a fold within it is a loop, too.
                let is_loop = self.is_loop(t) && *operand == terms.operand(t, 0);
                if is_loop { terms.operand(*operand, 0) } else { *operand }
            });
            open.extend(operands.map(|operand| (operand, is_closed)));
        }
        true
    }

    /// Tells whether a term is a fold that is compiled as a loop: over a literal function with the
    /// parameters that it gives.
    pub(super) fn is_loop(&self, t: TermId) -> bool {
        let parameters = match self.terms.form(t) {
            Form::Fold => 1,
            Form::Reduce => 2,
            _ => return false,
        };
        let function = self.terms.operand(t, 0);
        self.terms.form(function) == Form::Lam && self.terms.names(function).len() == parameters
    }

    /// Tells whether the only operand of a term is this variable.
    fn is_variable(&self, t: TermId, name: NameId) -> bool {
        match *self.terms.operands(t) {
            [of] => self.terms.form(of) == Form::Var && self.terms.only_name(of) == name,
            _ => false,
        }
    }

    /// Returns the tasks that bind the halves of a parameter to slots.
    pub(super) fn bind_halves(&self, name: NameId, slots: [Slot; 2]) -> [Task; 2] {
        let names = self.halves_of(name);
        [0, 1].map(|at| Task::Bind { name: names[at], place: Place::Slot(slots[at]) })
    }

    /// Returns the names of the halves of a variable, which no term has.
    fn halves_of(&self, name: NameId) -> [NameId; 2] {
        let first = to_u32(self.terms.name_count()) + 2 * name;
        [first, first + 1]
    }

    /// Returns where a half of a pair is that is not made.
    pub(super) fn half(&mut self, t: TermId) -> Result<Option<Place>, Failed> {
        let form = self.terms.form(t);
        let ([of], Form::Fst | Form::Snd) = (self.terms.operands(t), form) else { return Ok(None) };
        if self.terms.form(*of) != Form::Var {
            return Ok(None);
        }
        let name = self.terms.only_name(*of);
        let half = self.halves_of(name)[usize::from(form == Form::Snd)];
        if self.bindings.is_within(name, half) { self.look_up(half) } else { Ok(None) }
    }
}
