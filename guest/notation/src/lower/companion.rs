//! Variables whose values are elements of a list, at an index that another variable holds.

use crate::ast::Span;
use crate::lower::context::Cx;
use crate::lower::flow::{ALL, Alias, Key};
use crate::lower::place::{Place, PlaceStep};
use crate::lower::resolve::{Companion, VarId};
use crate::tree::{Id, Words};
use pif_language::form::Form;

impl<'s> Cx<'_, 's> {
    /// The companion of a variable, if it is one that is pushed onto a list.
    pub(super) fn companion(&self, var: VarId) -> Option<&Companion<'s>> {
        self.lower.known.companions.get(&var)
    }

    /// Tells whether a place is the list of a variable's companion.
    pub(super) fn is_own_list(&self, var: VarId, root: VarId, steps: &[PlaceStep<'s>]) -> bool {
        let is_name = |(step, name): (&PlaceStep<'s>, &&str)| match step {
            PlaceStep::Name(own, _) => own == name,
            _ => false,
        };
        self.companion(var).is_some_and(|it| {
            it.list == root
                && it.path.len() == steps.len()
                && steps.iter().zip(&it.path).all(is_name)
        })
    }

    /// Tells whether a place is an element that `find` finds in the list of a variable's companion.
    pub(super) fn is_found_in_list(&self, var: VarId, place: &Place<'s>) -> bool {
        match place.steps.as_slice() {
            [path @ .., PlaceStep::Found(_)] => self.is_own_list(var, place.root, path),
            _ => false,
        }
    }

    /// The first value of a variable's companion: an index, or −1 for a value in no list.
    pub(super) fn companion_binding(
        &self,
        var: VarId,
        index: Option<Id>,
        span: Span,
    ) -> Option<(Words<'s>, Id)> {
        let name = self.name_of(self.companion(var)?.index);
        let none = || self.b().number("-1", span);
        Some((name, index.unwrap_or_else(none)))
    }

    /// Gives the companion of a variable another value.
    pub(super) fn step_companion(&self, var: VarId, index: Option<Id>, span: Span) {
        self.step(self.companion_binding(var, index, span).into_iter().collect(), false, span);
    }

    /// Makes a variable with a companion the alias of the element at its index, if there is one.
    pub(super) fn follow(&self, var: VarId, span: Span) {
        let Some(Companion { list, path, index }) = self.companion(var).cloned() else { return };
        let is_declared = self.known.var(list).at < span.1;
        let below = u8::try_from(path.len()).unwrap_or(ALL).saturating_add(2);
        if is_declared && self.flow.borrow().own(list) < below {
            return;
        }
        let known = self.followed.borrow().get(&var).cloned();
        let alias = known.unwrap_or_else(|| {
            let id = self.variable(index, span);
            let condition = {
                let mut b = self.b();
                let zero = b.number("0", span);
                b.form(Form::Gte, &[id, zero], span)
            };
            let named = path.iter().map(|name| Key::named(self.b().text(*name, span), name));
            let keys = named.chain([Key::made(id, false)]).collect();
            let alias = Alias { root: list, keys, condition: Some(condition), level: 0, made: 0 };
            self.followed.borrow_mut().insert(var, alias.clone());
            alias
        });
        self.flow.borrow_mut().add_alias(var, alias);
    }

    /// Tells whether a variable's value surely is in no list yet.
    pub(super) fn is_unlisted(&self, var: VarId) -> bool {
        let flow = self.flow.borrow();
        let follows = flow.aliases.get(&var).is_some_and(|it| it.condition.is_some());
        follows && self.companion(var).is_some() && flow.own(var) > 0
    }
}
