//! Lists that a loop only appends to. Appending copies the list, so the loop conses its elements
//! onto a list of its own. Behind the loop that list is reversed and appended.

use crate::ast::{ExprId, Span};
use crate::lower::context::Cx;
use crate::lower::control::{After, Elements, Gathered};
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::rc::Rc;

impl<'s> Cx<'_, 's> {
    /// Selects the variables that a loop only appends to.
    pub(super) fn gathered_in(&self, span: Span, vars: &[VarId]) -> Gathered {
        let calls: Vec<VarId> = self
            .known
            .within(span)
            .iter()
            .filter(|event| event.is_call)
            .filter_map(|event| self.known.var(event.var).function)
            .flat_map(|function| self.plan(function).takes.iter().copied())
            .collect();
        let only_grows = |var: &&VarId| {
            let uses = &self.known.var(**var).uses;
            let from = uses.partition_point(|at| *at < span.0);
            let mut inside = uses.iter().skip(from).take_while(|at| **at < span.1).peekable();
            let only_appends = self.known.within(span).iter().all(|event| {
                event.var != **var || event.is_call || self.known.appends.contains(&event.at)
            });
            only_appends
                && inside.peek().is_some()
                && inside.all(|at| self.known.appends.contains(at))
                && !calls.contains(var)
                && !self.gathers.borrow().contains_key(var)
                && !self.flow.borrow().aliases.contains_key(var)
        };
        vars.iter().filter(only_grows).copied().collect()
    }

    /// Begins to gather. Inside the loop each list holds only the new elements, in reverse order.
    pub(super) fn gather(&self, lists: &Gathered, span: Span) {
        for var in lists.iter() {
            let before = self.variable(*var, span);
            let before = self.temporary(before, span);
            self.gathers.borrow_mut().insert(*var, before);
        }
    }

    /// Makes the value of a variable with which a loop begins.
    pub(super) fn first_of(
        &self,
        var: VarId,
        lists: &Gathered,
        elements: Option<Elements>,
        span: Span,
    ) -> Id {
        if lists.contains(&var) || elements.is_some_and(|elements| elements.list == var) {
            self.b().list(&[], span)
        } else {
            self.variable(var, span)
        }
    }

    /// Makes a gathered list complete and in order, as the program sees it.
    fn whole_of(&self, var: VarId, before: &Words<'s>, span: Span) -> Id {
        let list = self.variable(var, span);
        let mut b = self.b();
        let turned = b.form(Form::Reverse, &[list], span);
        let before = b.variable(before, span);
        b.form(Form::Append, &[before, turned], span)
    }

    /// Binds gathered lists to their complete values.
    pub(super) fn show(&self, lists: &Gathered, span: Span) {
        for var in lists.iter() {
            let before = self.gathers.borrow().get(var).cloned();
            if let Some(before) = before {
                let value = self.whole_of(*var, &before, span);
                self.rebind(*var, value, span);
            }
        }
    }

    /// Binds gathered lists to their complete values behind the loop, and stops gathering.
    pub(super) fn gathered(&self, lists: &Gathered, span: Span) {
        self.show(lists, span);
        for var in lists.iter() {
            self.gathers.borrow_mut().remove(var);
        }
    }

    /// Makes the continuation of a loop that gathers lists.
    pub(super) fn behind(lists: &Gathered, after: After<'s>) -> After<'s> {
        if lists.is_empty() { after } else { After::Gathered(Rc::clone(lists), Rc::new(after)) }
    }

    /// Reads a variable for the caller of the function. A gathered list is complete.
    pub(super) fn seen(&self, var: VarId, span: Span) -> Id {
        let before = self.gathers.borrow().get(&var).cloned();
        match before {
            Some(before) => self.whole_of(var, &before, span),
            None => self.variable(var, span),
        }
    }

    /// Puts elements in front of a gathered list.
    pub(super) fn put_in_front(&self, var: VarId, parts: &[(Id, bool)], span: Span) {
        let mut list = self.variable(var, span);
        for (id, is_spread) in parts {
            let mut b = self.b();
            list = if *is_spread {
                let elements = b.form(Form::Elements, &[*id], span);
                let turned = b.form(Form::Reverse, &[elements], span);
                b.form(Form::Append, &[turned, list], span)
            } else {
                b.form(Form::Cons, &[*id, list], span)
            };
        }
        self.rebind(var, list, span);
    }

    /// Finds the list whose elements a loop changes one after another, as in `for (const r of rows)
    /// r.n = 1`. Nobody else may see the elements. The loop builds the list anew.
    pub(super) fn changed_elements(
        &self,
        over: ExprId,
        item: Option<VarId>,
        body: Span,
        vars: &[VarId],
    ) -> Option<Elements> {
        let list = self.var_of(over)?;
        let item = item?;
        let is_named = self.known.var(list).uses.iter().any(|at| body.0 <= *at && *at < body.1);
        let calls = self.known.within(body).iter().any(|event| {
            let function = self.known.var(event.var).function.filter(|_| event.is_call);
            function.is_some_and(|function| self.plan(function).takes.contains(&list))
        });
        let own = self.flow.borrow().own(list);
        let is_meant = self.known.var(item).is_mutated
            && vars.contains(&list)
            && !is_named
            && !calls
            && own >= 2
            && !self.gathers.borrow().contains_key(&list);
        is_meant.then_some(Elements { list, item, own: own.saturating_sub(1) })
    }

    /// Makes the continuation of a round that may change its element.
    pub(super) fn behind_round(elements: Option<Elements>, after: After<'s>) -> After<'s> {
        match elements {
            Some(elements) => After::Changed(elements, Rc::new(after)),
            None => after,
        }
    }

    /// Adds the changed element of this round to the new list.
    pub(super) fn keep_element(&self, elements: Elements, span: Span) {
        let item = self.variable(elements.item, span);
        self.put_in_front(elements.list, &[(item, false)], span);
        let own = self.flow.borrow().own(elements.item);
        self.flow.borrow_mut().limit(elements.list, own.saturating_add(1));
        let mut depths = self.depths.borrow_mut();
        let deepest = depths.get(elements.item as usize).copied().unwrap_or_default() + 1;
        if let Some(known) = depths.get_mut(elements.list as usize) {
            *known = deepest.max(2).max(*known);
        }
    }

    /// Reverses the new list behind the loop.
    pub(super) fn elements_kept(&self, elements: Elements, span: Span) {
        let list = self.variable(elements.list, span);
        let turned = self.b().form(Form::Reverse, &[list], span);
        self.rebind(elements.list, turned, span);
    }
}
