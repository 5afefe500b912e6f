//! Facts about a term that the compiler needs in advance: functions that only take their parameter
//! apart as a pair. Then the pair need not be built.

use pif_core::limits::to_u32;
use pif_core::numbers::Numbers;
use pif_language::form::Form;
use pif_language::scope::Scope;
use pif_language::term::{NameId, TermId, Terms};

/// Facts about the functions of one parameter in a term. Functions around an `eval` are left out.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Functions that use their parameter only in `fst` and `snd`.
    apart: Numbers,
    /// Those of them that use its first half only in `fst` and `snd`, too.
    apart_twice: Numbers,
}

impl Facts {
    pub(super) fn of(terms: &Terms, root: TermId) -> Self {
        let mut pass = Pass {
            terms,
            names: Numbers::default(),
            binders: vec![(None, 0)],
            whole: Numbers::default(),
            half_whole: Numbers::default(),
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
                    let is_apart = evals == pass.evals && !pass.whole.has(term);
                    if is_function && names.len() == 1 && is_apart {
                        facts.apart.add(term);
                        if !pass.half_whole.has(term) {
                            facts.apart_twice.add(term);
                        }
                    }
                }
            }
        }
        facts
    }

    /// Tells whether a function never uses its argument as a whole.
    pub(super) fn is_taken_apart(&self, function: TermId) -> bool {
        self.apart.has(function)
    }

    /// Tells whether a function never uses its argument's first half as a whole.
    pub(super) fn is_taken_apart_twice(&self, function: TermId) -> bool {
        self.apart_twice.has(function)
    }
}

enum Walk {
    Enter(TermId),
    /// The value of a `let`'s variable.
    Value(TermId),
    /// A term whose names are bound in all of it, and the number of evals seen before it.
    Leave(TermId, u32),
    /// The end of a `let`'s variable.
    Unbind(NameId),
    /// The beginning of a `let`'s variable, with its value.
    Bind(NameId, TermId),
}

/// The meaning of a variable.
#[derive(Clone, Copy)]
enum Use {
    /// The parameter of a function.
    Parameter(TermId),
    /// The first half of a function's parameter.
    Half(TermId),
}

struct Pass<'t> {
    terms: &'t Terms,
    /// The place of each name's innermost binding in `binders`.
    names: Numbers,
    /// The bindings, each with the name's binding around it. `None` is another value of a `let`, and
    /// the first stands for no binding.
    binders: Vec<(Option<Use>, u32)>,
    /// Functions that use their parameter as a whole.
    whole: Numbers,
    /// Functions that use their parameter's first half as a whole.
    half_whole: Numbers,
    evals: u32,
}

impl Pass<'_> {
    fn bind(&mut self, name: NameId, binder: Option<Use>) {
        let before = self.names.insert(name, to_u32(self.binders.len())).unwrap_or_default();
        self.binders.push((binder, before));
    }

    fn unbind(&mut self, name: NameId) {
        let innermost = self.names.get(name).and_then(|at| self.binders.get(at as usize));
        if let Some((_, before)) = innermost {
            self.names.insert(name, *before);
        }
    }

    fn enter(&mut self, term: TermId, walk: &mut Vec<Walk>) {
        let operands = self.terms.evaluated(term);
        match self.terms.form(term) {
            Form::Var => match self.used(term) {
                Some(Use::Parameter(function)) => _ = self.whole.add(function),
                Some(Use::Half(function)) => _ = self.half_whole.add(function),
                None => {}
            },
            form @ (Form::Fst | Form::Snd) => match *operands {
                [only] if self.terms.form(only) == Form::Var => {
                    if let (Form::Fst, Some(Use::Parameter(function))) = (form, self.used(only)) {
                        self.half_whole.add(function);
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

    /// Returns the meaning of a variable.
    fn used(&self, variable: TermId) -> Option<Use> {
        let at = self.names.get(self.terms.only_name(variable))?;
        self.binders.get(at as usize)?.0
    }

    /// Returns the function, if a term is the first half of its parameter.
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
