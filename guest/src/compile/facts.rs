//! What the compiler must know of a term before it reaches it: which functions use their
//! parameter only to take a pair apart, so that the pair need never be built.

use crate::form::{Form, Scope};
use crate::term::{NameId, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the functions of one parameter in a term, with no `eval` in reach.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Those that use it only by `fst` and `snd`.
    apart: BTreeSet<TermId>,
    /// Those of them that use its first half only so, too.
    apart_twice: BTreeSet<TermId>,
}

impl Facts {
    pub(super) fn of(terms: &Terms, root: TermId) -> Self {
        let mut pass = Pass {
            terms,
            binders: BTreeMap::new(),
            whole: BTreeSet::new(),
            half_whole: BTreeSet::new(),
            evals: 0,
        };
        let mut walk = vec![Walk::Enter(root)];
        let mut facts = Self::default();
        while let Some(step) = walk.pop() {
            match step {
                Walk::Value(term) if pass.halved(term).is_some() => {}
                Walk::Enter(term) | Walk::Value(term) => pass.enter(term, &mut walk),
                Walk::Bind(name, term) => pass.bind(name, pass.halved(term).map(Use::Half)),
                Walk::Unbind(name) => pass.unbind(name),
                Walk::Leave(term, evals) => {
                    let names = terms.names(term);
                    for name in names {
                        pass.unbind(*name);
                    }
                    let is_function = terms.form(term) == Form::Lam;
                    let is_apart = evals == pass.evals && !pass.whole.contains(&term);
                    if is_function && names.len() == 1 && is_apart {
                        facts.apart.insert(term);
                        if !pass.half_whole.contains(&term) {
                            facts.apart_twice.insert(term);
                        }
                    }
                }
            }
        }
        facts
    }

    /// Whether a function never uses its argument whole.
    pub(super) fn is_taken_apart(&self, function: TermId) -> bool {
        self.apart.contains(&function)
    }

    /// Whether it never uses the first half of its argument whole, either.
    pub(super) fn is_taken_apart_twice(&self, function: TermId) -> bool {
        self.apart_twice.contains(&function)
    }
}

enum Walk {
    Enter(TermId),
    /// The value of a variable of a `let`.
    Value(TermId),
    /// A term whose names are bound in all of it, and the number of evals seen before it.
    Leave(TermId, u32),
    /// The variables of a `let` end.
    Unbind(NameId),
    /// The variable of a `let` begins, with this value.
    Bind(NameId, TermId),
}

/// What a variable is for.
#[derive(Clone, Copy)]
enum Use {
    /// It is the parameter of a function.
    Parameter(TermId),
    /// It is the first half of that.
    Half(TermId),
}

struct Pass<'t> {
    terms: &'t Terms,
    /// For each name what binds it, the innermost last; `None` for another value of a `let`.
    binders: BTreeMap<NameId, Vec<Option<Use>>>,
    /// Functions whose parameter is used otherwise.
    whole: BTreeSet<TermId>,
    /// Functions of which the first half of the parameter is.
    half_whole: BTreeSet<TermId>,
    evals: u32,
}

impl Pass<'_> {
    fn bind(&mut self, name: NameId, binder: Option<Use>) {
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
            Form::Var => match self.used(term) {
                Some(Use::Parameter(function)) => _ = self.whole.insert(function),
                Some(Use::Half(function)) => _ = self.half_whole.insert(function),
                None => {}
            },
            form @ (Form::Fst | Form::Snd) => match *operands {
                [only] if self.terms.form(only) == Form::Var => {
                    if let (Form::Fst, Some(Use::Parameter(function))) = (form, self.used(only)) {
                        self.half_whole.insert(function);
                    }
                }
                [only] if self.halved(only).is_some() => {}
                _ => walk.extend(operands.iter().map(|t| Walk::Enter(*t))),
            },
            form => match form.scope() {
                Scope::None => {
                    self.evals += u32::from(form == Form::Eval);
                    walk.extend(operands.iter().rev().map(|t| Walk::Enter(*t)));
                }
                Scope::All => {
                    let names = self.terms.names(term);
                    let binder = (form == Form::Lam).then_some(Use::Parameter(term));
                    for name in names {
                        self.bind(*name, binder);
                    }
                    walk.push(Walk::Leave(term, self.evals));
                    walk.extend(operands.iter().rev().map(|t| Walk::Enter(*t)));
                }
                Scope::Later => self.enter_let(term, walk),
            },
        }
    }

    fn enter_let(&mut self, term: TermId, walk: &mut Vec<Walk>) {
        let names = self.terms.names(term);
        let Some((body, bound)) = self.terms.operands(term).split_last() else { return };
        walk.extend(names.iter().map(|name| Walk::Unbind(*name)));
        walk.push(Walk::Enter(*body));
        for (name, term) in names.iter().zip(bound).rev() {
            walk.push(Walk::Bind(*name, *term));
            walk.push(Walk::Value(*term));
        }
    }

    /// What a variable is for.
    fn used(&self, variable: TermId) -> Option<Use> {
        *self.binders.get(&self.terms.only_name(variable))?.last()?
    }

    /// The function of whose parameter a term is the first half.
    fn halved(&self, term: TermId) -> Option<TermId> {
        match (self.terms.form(term), self.terms.evaluated(term)) {
            (Form::Fst, [only]) if self.terms.form(*only) == Form::Var => match self.used(*only) {
                Some(Use::Parameter(function)) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }
}
