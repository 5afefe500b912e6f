//! What the compiler must know of a term before it reaches it: which functions use their
//! parameter only to take a pair apart, so that the pair need never be built.

use crate::form::Form;
use crate::term::{NameId, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};

enum Walk {
    Enter(TermId),
    /// The function and the number of evals seen before it.
    Leave(TermId, u32),
    /// The variables of a `let` end.
    Unbind(NameId),
    /// The variable of a `let` begins.
    Bind(NameId),
}

/// Functions of one parameter that is used only by `fst` and `snd`, with no `eval` in reach.
pub(super) fn splittable(terms: &Terms, root: TermId) -> BTreeSet<TermId> {
    let mut pass = Pass { terms, binders: BTreeMap::new(), whole: BTreeSet::new(), evals: 0 };
    let mut walk = vec![Walk::Enter(root)];
    let mut found = BTreeSet::new();
    while let Some(step) = walk.pop() {
        match step {
            Walk::Enter(term) => pass.enter(term, &mut walk),
            Walk::Bind(name) => pass.bind(name, None),
            Walk::Unbind(name) => pass.unbind(name),
            Walk::Leave(term, evals) => {
                let names = terms.names(term);
                for name in names {
                    pass.unbind(*name);
                }
                if names.len() == 1 && evals == pass.evals && !pass.whole.contains(&term) {
                    found.insert(term);
                }
            }
        }
    }
    found
}

struct Pass<'t> {
    terms: &'t Terms,
    /// For each name the functions that bind it, the innermost last; `None` for a `let`.
    binders: BTreeMap<NameId, Vec<Option<TermId>>>,
    /// Functions whose parameter is used otherwise.
    whole: BTreeSet<TermId>,
    evals: u32,
}

impl Pass<'_> {
    fn bind(&mut self, name: NameId, binder: Option<TermId>) {
        self.binders.entry(name).or_default().push(binder);
    }

    fn unbind(&mut self, name: NameId) {
        if let Some(binders) = self.binders.get_mut(&name) {
            binders.pop();
        }
    }

    fn enter(&mut self, term: TermId, walk: &mut Vec<Walk>) {
        let operands = self.terms.evaluated(term);
        match self.terms.form(term) {
            Form::Var => {
                let top = self.binders.get(&self.terms.only_name(term)).and_then(|b| b.last());
                if let Some(Some(binder)) = top {
                    self.whole.insert(*binder);
                }
            }
            Form::Fst | Form::Snd if self.is_variable(operands) => {}
            Form::Lam => {
                for name in self.terms.names(term) {
                    self.bind(*name, Some(term));
                }
                walk.push(Walk::Leave(term, self.evals));
                walk.extend(operands.iter().map(|t| Walk::Enter(*t)));
            }
            Form::Let => self.enter_let(term, walk),
            form => {
                self.evals += u32::from(form == Form::Eval);
                walk.extend(operands.iter().rev().map(|t| Walk::Enter(*t)));
            }
        }
    }

    fn enter_let(&mut self, term: TermId, walk: &mut Vec<Walk>) {
        let names = self.terms.names(term);
        let Some((body, bound)) = self.terms.operands(term).split_last() else { return };
        walk.extend(names.iter().map(|name| Walk::Unbind(*name)));
        walk.push(Walk::Enter(*body));
        for (name, term) in names.iter().zip(bound).rev() {
            walk.push(Walk::Bind(*name));
            walk.push(Walk::Enter(*term));
        }
    }

    fn is_variable(&self, operands: &[TermId]) -> bool {
        matches!(operands, [only] if self.terms.form(*only) == Form::Var)
    }
}
