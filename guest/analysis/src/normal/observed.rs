//! What a program observes of itself and of its faults: this limits the rules.

use pif_language::form::Form;
use pif_language::term::{NameId, TermId, Terms};
use pif_language::walk::nodes;
use std::collections::BTreeSet;

/// What a program observes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Observed {
    /// Its own names, by `eval`, by a hole in a quote, or by its own source.
    pub(super) names: bool,
    /// Where a fault is, or what its message says.
    pub(super) places: bool,
    /// Which fault comes first.
    pub(super) order: bool,
    /// Whether it may call somebody, so that the order of applications counts.
    pub(super) calls: bool,
}

/// Members of a fault that say nothing of the program's form.
const PLAIN: [&str; 4] = ["code", "value", "reason", "tool"];

impl Observed {
    pub(super) fn of(terms: &Terms, root: TermId) -> Self {
        let mut observed = Self::default();
        let mut bound = BTreeSet::new();
        let mut used = BTreeSet::new();
        for term in nodes(terms, root) {
            match terms.form(term) {
                Form::Eval | Form::Unquote => observed.names = true,
                Form::CodeOf => observed.names |= means_itself(terms, term),
                Form::Try => observed.attempt(terms, term),
                Form::Call | Form::Calls | Form::Perform | Form::Trace | Form::Tool => {
                    observed.calls = true;
                }
                Form::Lam | Form::Let | Form::Letrec => bound.extend(terms.names(term)),
                Form::Var => _ = used.insert(terms.only_name(term)),
                _ => {}
            }
        }
        let is_given = |name: &NameId| !matches!(terms.name(*name), "data" | "input");
        observed.calls |= used.difference(&bound).any(is_given);
        observed
    }

    fn attempt(&mut self, terms: &Terms, term: TermId) {
        self.order |= !terms.names(term).is_empty();
        let handler = terms.operand(term, 1);
        if terms.form(handler) != Form::Lam {
            self.places = true;
            return;
        }
        let [fault] = *terms.names(handler) else {
            self.places = true;
            return;
        };
        let body = terms.operand(handler, 0);
        let is_fault = |it: TermId| terms.form(it) == Form::Var && terms.only_name(it) == fault;
        let count = nodes(terms, body).filter(|it| is_fault(*it)).count();
        let plain = nodes(terms, body).filter(|it| {
            let [subject, key] = *terms.operands(*it) else { return false };
            let is_read = terms.form(*it) == Form::Get && is_fault(subject);
            is_read && terms.form(key) == Form::Text && PLAIN.contains(&terms.text(key))
        });
        self.places |= plain.count() < count;
        self.order |= count > 0;
    }
}

/// Whether a `code_of` may mean the program that it stands in.
fn means_itself(terms: &Terms, term: TermId) -> bool {
    let name = terms.operand(term, 0);
    terms.form(name) != Form::Text || terms.text(name) == "self"
}
