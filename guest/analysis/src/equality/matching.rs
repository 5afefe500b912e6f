//! Sides of rules are matched with terms here. Whether a match is one, the checker's `instance` decides.

use pif_language::form::Form;
use pif_proof::check::instance;
use pif_proof::rules::Rule;
use pif_proof::term::{Bindings, Name, Term, is_free, is_same, node};
use std::sync::Arc;

/// What the variables of a rule stand for if one of its sides is this term. All must be on that side.
pub(super) fn matched(rule: &Rule, side: &Term, term: &Term) -> Option<Bindings> {
    let mut matcher = Matcher { rule, bindings: Bindings::new(), bound: Vec::new() };
    if !matcher.matches(side, term) || matcher.bindings.len() != rule.variables.len() {
        return None;
    }
    let bindings = matcher.bindings;
    is_same(&instance(side, &bindings, &rule.variables), term).then_some(bindings)
}

struct Matcher<'r> {
    rule: &'r Rule,
    bindings: Bindings,
    /// The names that the rule binds, with those that the term has in their places.
    bound: Vec<(Name, Name)>,
}

impl Matcher<'_> {
    fn is_variable(&self, side: &Term) -> bool {
        side.form == Form::Var && side.name().is_some_and(|it| self.rule.variables.contains(it))
    }

    /// The name in the term of a variable that the rule binds.
    fn own(&self, side: &Term) -> Option<Name> {
        let name = side.name().filter(|_| side.form == Form::Var)?;
        let pair = self.bound.iter().rev().find(|it| it.0 == *name)?;
        Some(Arc::clone(&pair.1))
    }

    /// Binds a variable. A term that takes a name of the rule along is none.
    fn bind(&mut self, name: &Name, term: Term) -> bool {
        if self.bound.iter().any(|it| is_free(&it.1, &term)) {
            return false;
        }
        match self.bindings.get(name) {
            // Whether both are equal is seen in the end.
            Some(_) => true,
            None => {
                self.bindings.insert(Arc::clone(name), term);
                true
            }
        }
    }

    fn matches(&mut self, side: &Term, term: &Term) -> bool {
        if self.is_variable(side) {
            return side.name().is_some_and(|name| self.bind(name, Arc::clone(term)));
        }
        if let Some((function, arguments)) = side.operands.split_first()
            && side.form == Form::App
            && self.is_variable(function)
        {
            let names: Option<Vec<Name>> = arguments.iter().map(|it| self.own(it)).collect();
            if let (Some(names), Some(name)) = (names, function.name()) {
                return self.bind(name, node(Form::Lam, vec![Arc::clone(term)], names));
            }
        }
        if side.form == Form::Var {
            return term.form == Form::Var && self.own(side).as_ref() == term.name();
        }
        let is_alike = side.form == term.form
            && side.literal == term.literal
            && side.operands.len() == term.operands.len()
            && side.names.len() == term.names.len()
            && (side.is_binder() || side.names == term.names);
        if !is_alike {
            return false;
        }
        for (at, (side_inner, inner)) in side.operands.iter().zip(&term.operands).enumerate() {
            let before = self.bound.len();
            let names = side.bound_in(at).iter().cloned().zip(term.bound_in(at).iter().cloned());
            self.bound.extend(names);
            let is_match = self.matches(side_inner, inner);
            self.bound.truncate(before);
            if !is_match {
                return false;
            }
        }
        true
    }
}
