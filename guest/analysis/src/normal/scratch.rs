//! The terms that a normal form is made of, and the steps that are left to make it.

use super::observed::Observed;
use pif_core::json::number::Integer;
use pif_language::form::Form;
use pif_language::kinds::Kinds;
use pif_language::term::{NameId, TermId, Terms};
use pif_language::walk::rebuild;
use std::collections::{BTreeMap, HashMap};

/// What is known of an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// The kinds that the value may have.
    pub(super) kinds: Kinds,
    /// Whether it may end in a fault other than that of a limit.
    pub(super) faults: bool,
    /// Whether it may call somebody.
    pub(super) calls: bool,
    /// How many nodes the term has.
    pub(super) size: u32,
}

/// What is known of terms in this pass.
pub(super) type Memo = HashMap<TermId, Facts>;

/// Terms under change. A binder has a name of its own, which no other binder has.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) terms: Terms,
    pub(super) observed: Observed,
    pub(super) memo: Memo,
    /// What variables are bound to in this pass.
    pub(super) bound: BTreeMap<NameId, TermId>,
    /// A term of which nothing is known: what a parameter is bound to.
    pub(super) unknown: TermId,
    steps: u64,
    next: u32,
}

impl Scratch {
    pub(super) fn new(terms: Terms, observed: Observed, steps: u64) -> Self {
        let (memo, bound) = (Memo::default(), BTreeMap::new());
        let unknown = TermId::MAX;
        Self { terms, observed, memo, bound, unknown, steps, next: 0 }
    }

    /// Takes a step. Without any left it says so.
    pub(super) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    pub(super) fn is_over(&self) -> bool {
        self.steps == 0
    }

    /// A name that nothing has.
    pub(super) fn fresh(&mut self) -> NameId {
        loop {
            let name = format!("#{}", self.next);
            self.next += 1;
            if self.terms.name_id(&name).is_none() {
                return self.terms.intern(&name);
            }
        }
    }

    pub(super) fn form(&self, term: TermId) -> Form {
        self.terms.form(term)
    }

    /// The operands of a term of this form, which has so many.
    pub(super) fn parts<const N: usize>(&self, form: Form, term: TermId) -> Option<[TermId; N]> {
        if self.form(term) != form {
            return None;
        }
        self.terms.operands(term).try_into().ok()
    }

    /// A new term at the place of another.
    pub(super) fn make(&mut self, form: Form, at: TermId, operands: &[TermId]) -> TermId {
        let token = self.terms.node(at).token;
        self.terms.add(form, token, operands, &[])
    }

    /// A new term that binds names.
    pub(super) fn bind(
        &mut self,
        form: Form,
        at: TermId,
        operands: &[TermId],
        names: &[NameId],
    ) -> TermId {
        let token = self.terms.node(at).token;
        self.terms.add(form, token, operands, names)
    }

    pub(super) fn variable(&mut self, at: TermId, name: NameId) -> TermId {
        self.bind(Form::Var, at, &[], &[name])
    }

    pub(super) fn boolean(&mut self, at: TermId, value: bool) -> TermId {
        let token = self.terms.node(at).token;
        self.terms.add_boolean(token, value)
    }

    pub(super) fn integer(&mut self, at: TermId, value: Integer) -> TermId {
        let token = self.terms.node(at).token;
        self.terms.add_integer(token, value)
    }

    pub(super) fn float(&mut self, at: TermId, value: f64) -> TermId {
        let token = self.terms.node(at).token;
        self.terms.add_float(token, value)
    }

    pub(super) fn text(&mut self, at: TermId, value: &str) -> Option<TermId> {
        let token = self.terms.node(at).token;
        self.terms.add_new_text(token, value)
    }

    /// `let name = value in body`
    pub(super) fn let_one(&mut self, name: NameId, value: TermId, body: TermId) -> TermId {
        self.bind(Form::Let, value, &[value, body], &[name])
    }

    /// The terms one after another, each bound to a new name, around what the names make.
    pub(super) fn let_all(
        &mut self,
        values: &[TermId],
        body: impl FnOnce(&mut Self, &[NameId]) -> TermId,
    ) -> TermId {
        let names: Vec<NameId> = values.iter().map(|_| self.fresh()).collect();
        let body = body(self, &names);
        let pairs = names.iter().zip(values).rev();
        pairs.fold(body, |body, (name, value)| self.let_one(*name, *value, body))
    }

    /// The term with another in the place of a variable. What that binds gets new names each time.
    pub(super) fn substitute(&mut self, body: TermId, name: NameId, value: TermId) -> TermId {
        let places = self.variables(body, name);
        let mut copies = BTreeMap::new();
        for place in places {
            let copy = self.renamed(value);
            copies.insert(place, copy);
        }
        // A term may stand at several places, and then its copy does, too.
        self.replace(body, &copies)
    }

    /// The nodes that are this variable.
    fn variables(&mut self, body: TermId, name: NameId) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut left = vec![body];
        while let Some(term) = left.pop() {
            self.step();
            match self.form(term) {
                Form::Var if self.terms.only_name(term) == name => found.push(term),
                Form::Quote => {}
                _ => left.extend(self.terms.operands(term)),
            }
        }
        found
    }

    fn replace(&mut self, body: TermId, others: &BTreeMap<TermId, TermId>) -> TermId {
        let mut steps = 0;
        let made = rebuild(&mut self.terms, body, |_, term, _| {
            steps += 1;
            others.get(&term).copied()
        });
        self.steps = self.steps.saturating_sub(steps);
        made
    }

    /// A copy of a term whose binders have new names.
    pub(super) fn renamed(&mut self, root: TermId) -> TermId {
        enum Work {
            Enter(TermId),
            Leave(TermId),
        }
        let mut names: BTreeMap<NameId, NameId> = BTreeMap::new();
        let (mut work, mut done) = (vec![Work::Enter(root)], Vec::new());
        while let Some(step) = work.pop() {
            match step {
                Work::Enter(term) => {
                    self.step();
                    if binds(self.form(term)) {
                        for name in self.terms.names(term).to_vec() {
                            let fresh = self.fresh();
                            names.insert(name, fresh);
                        }
                    }
                    if self.form(term) == Form::Quote || self.form(term).is_literal() {
                        done.push(term);
                        continue;
                    }
                    work.push(Work::Leave(term));
                    work.extend(self.terms.operands(term).iter().rev().map(|it| Work::Enter(*it)));
                }
                Work::Leave(term) => {
                    let count = self.terms.operands(term).len();
                    let operands: Vec<TermId> = done.split_off(done.len().saturating_sub(count));
                    let form = self.form(term);
                    let old = self.terms.names(term).to_vec();
                    let is_variable = form == Form::Var || binds(form);
                    let new = |name: &NameId| names.get(name).copied().unwrap_or(*name);
                    let names: Vec<NameId> =
                        if is_variable { old.iter().map(new).collect() } else { old.clone() };
                    let is_same = names == old && operands == self.terms.operands(term);
                    done.push(if is_same {
                        term
                    } else {
                        self.bind(form, term, &operands, &names)
                    });
                }
            }
        }
        done.pop().unwrap_or(root)
    }
}

/// Whether the names of a form are variables that it binds.
pub(super) fn binds(form: Form) -> bool {
    matches!(form, Form::Lam | Form::Let | Form::Letrec)
}
