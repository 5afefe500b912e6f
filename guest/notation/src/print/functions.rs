//! Functions that are bound to names. The notation reads a `const` of functions that use themselves
//! as `letrec`, and others as `let`: here the printer learns which they are.

use pif_language::form::Form;
use pif_language::term::{NameId, TermId, Terms};

/// Where the names of functions stand in a term.
#[derive(Debug, Default)]
pub(super) struct Functions {
    /// The least id in each term; the ids from there to the term are its own.
    first: Vec<TermId>,
    /// For each name, if it is a function's, the terms that use it, and those that bind it.
    places: Vec<Option<[Vec<TermId>; 2]>>,
}

impl Functions {
    pub(super) fn of(terms: &Terms, root: TermId) -> Self {
        let mut functions = Self::default();
        for id in (0..=root).filter(|id| is_binding(terms, *id)) {
            functions.places.resize_with(terms.count_names(), || None);
            for name in terms.names(id) {
                if let Some(places) = functions.places.get_mut(*name as usize) {
                    *places = Some(Default::default());
                }
            }
        }
        if functions.places.is_empty() {
            return functions;
        }
        for id in 0..=root {
            let of = |at: &TermId| functions.first.get(*at as usize).copied().unwrap_or(id);
            functions.first.push(terms.operands(id).iter().map(of).min().unwrap_or(id));
            let form = terms.form(id);
            if let Some(name) = form.row().and_then(|row| terms.name_id(row.name)) {
                functions.note(name, id, 0);
            }
            for name in terms.names(id) {
                functions.note(*name, id, usize::from(form != Form::Var));
            }
        }
        functions
    }

    fn note(&mut self, name: NameId, id: TermId, kind: usize) {
        let both = self.places.get_mut(name as usize).and_then(Option::as_mut);
        if let Some(places) = both.and_then(|both| both.get_mut(kind)) {
            places.push(id);
        }
    }

    /// Whether a name stands within some terms: used, or bound.
    fn is_within(&self, name: NameId, [from, to]: [TermId; 2], kind: usize) -> bool {
        let both = self.places.get(name as usize).and_then(Option::as_ref);
        let Some(places) = both.and_then(|both| both.get(kind)) else { return false };
        let first = self.first.get(from as usize).copied().unwrap_or_default();
        let next = places.partition_point(|place| *place < first);
        places.get(next).is_some_and(|place| *place <= to)
    }

    /// Whether a `let` binds functions only, and uses one of their names in them.
    pub(super) fn are_used(&self, terms: &Terms, id: TermId) -> bool {
        let values = terms.operands(id);
        let [first, .., last, _] = *values else {
            let [only, _] = *values else { return false };
            return is_binding(terms, id)
                && terms.names(id).iter().any(|name| self.is_within(*name, [only, only], 0));
        };
        is_binding(terms, id)
            && terms.names(id).iter().any(|name| self.is_within(*name, [first, last], 0))
    }

    /// Whether a function of a `letrec` uses itself or a later one, as far as that is certain.
    pub(super) fn are_recursive(&self, terms: &Terms, id: TermId) -> bool {
        let names = terms.names(id);
        terms.operands(id).iter().enumerate().any(|(index, value)| {
            names.iter().skip(index).any(|name| {
                let within = [*value, *value];
                self.is_within(*name, within, 0) && !self.is_within(*name, within, 1)
            })
        })
    }
}

/// Whether a term binds functions only.
fn is_binding(terms: &Terms, id: TermId) -> bool {
    let values = terms.operands(id).split_last().map_or(&[][..], |(_, values)| values);
    matches!(terms.form(id), Form::Let | Form::Letrec)
        && !values.is_empty()
        && values.iter().all(|value| terms.form(*value) == Form::Lam)
}
