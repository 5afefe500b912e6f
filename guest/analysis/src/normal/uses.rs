//! Where a variable is used, and what is evaluated before.

use super::scratch::{Facts, Scratch};
use pif_language::form::Form;
use pif_language::term::{NameId, TermId};

/// How a term uses a variable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    pub(super) count: u32,
    /// Whether each evaluation of the term comes to the first use.
    pub(super) is_sure: bool,
    /// Whether a use is in a function, which may be applied more than once, or never.
    pub(super) in_function: bool,
    /// Whether what is evaluated before the first use may fault, or call somebody.
    pub(super) before: Before,
}

/// What is evaluated before a use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub(super) faults: bool,
    pub(super) calls: bool,
}

/// Where the walk is.
#[derive(Clone, Copy)]
struct Place {
    is_sure: bool,
    in_function: bool,
}

enum Work {
    Enter(TermId, Place),
    Leave(TermId, Place),
}

impl Scratch {
    pub(super) fn uses(&mut self, root: TermId, name: NameId) -> Uses {
        self.facts(root);
        let mut uses = Uses::default();
        let mut work = vec![Work::Enter(root, Place { is_sure: true, in_function: false })];
        while let Some(step) = work.pop() {
            match step {
                Work::Enter(term, place) => {
                    self.step();
                    if self.form(term) == Form::Var && self.terms.only_name(term) == name {
                        uses.is_sure |= uses.count == 0 && place.is_sure;
                        uses.count += 1;
                        uses.in_function |= place.in_function;
                        continue;
                    }
                    work.push(Work::Leave(term, place));
                    self.enter(term, place, &mut work);
                }
                Work::Leave(term, place) if uses.count == 0 && !place.in_function => {
                    let own = self.own(term);
                    // Functions that are written out are applied here.
                    let applied = self.form(term).application_price() > 0;
                    let inner = if applied { self.facts(term) } else { Facts::default() };
                    uses.before.faults |= own.faults || inner.faults;
                    uses.before.calls |= own.calls || inner.calls;
                }
                Work::Leave(..) => {}
            }
        }
        uses
    }

    fn enter(&self, term: TermId, place: Place, work: &mut Vec<Work>) {
        let form = self.form(term);
        let unsure = Place { is_sure: false, ..place };
        let inner = Place { is_sure: false, in_function: true };
        for (at, operand) in self.terms.operands(term).iter().enumerate().rev() {
            let place = match form {
                Form::Quote => return,
                Form::Lam => inner,
                Form::Letrec if at + 1 < self.terms.operands(term).len() => inner,
                // What is caught is no fault of the whole.
                Form::Try => inner,
                Form::If | Form::Cond | Form::And | Form::Or if at > 0 => unsure,
                Form::Either | Form::Both | Form::Coalesce if at > 0 => unsure,
                _ => place,
            };
            work.push(Work::Enter(*operand, place));
        }
    }

    /// Whether a term may be evaluated at the first use of a variable that is bound to it.
    pub(super) fn may_move(&self, facts: Facts, uses: Uses) -> bool {
        if !facts.faults && !facts.calls {
            return true;
        }
        let Before { faults, calls } = uses.before;
        let in_order = !self.observed.order || !faults;
        uses.is_sure && !calls && in_order && (!facts.calls || !faults)
    }

    /// Whether two evaluations may change places.
    pub(super) fn may_swap(&mut self, first: TermId, second: TermId) -> bool {
        let (a, b) = (self.facts(first), self.facts(second));
        let is_free = |it: Facts| !it.faults && !it.calls;
        is_free(a) || is_free(b) || !a.calls && !b.calls && !self.observed.order
    }
}
