//! What branches hand on: the variables that they change go on together with their value, and are bound
//! anew where the branches come together.

use crate::ast::Span;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, Join, Joined, List};
use crate::lower::flow::Flow;
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::rc::Rc;

impl<'s> Cx<'_, 's> {
    /// A value and variables as one term.
    pub(super) fn tuple(&self, value: Option<Id>, vars: &[VarId], span: Span) -> Id {
        let mut parts: Vec<Id> = value.into_iter().collect();
        parts.extend(vars.iter().map(|var| self.variable(*var, span)));
        let mut b = self.b();
        match *parts {
            [] => b.null(span),
            [only] => only,
            _ => b.list(&parts, span),
        }
    }

    /// Binds variables to the parts of a `tuple`. The result is its value.
    pub(super) fn spread(&self, whole: Id, has_value: bool, vars: &[VarId], span: Span) -> Id {
        let count = vars.len() + usize::from(has_value);
        if count <= 1 {
            if let Some(var) = vars.first() {
                self.rebind(*var, whole, span);
                return self.variable(*var, span);
            }
            return whole;
        }
        let is_name = self.b().tree.form_of(whole) == Form::Var;
        let whole = if is_name { whole } else { self.fixed(whole, span) };
        let part = |at: usize| {
            let mut b = self.b();
            let at = b.number(at.to_string(), span);
            b.form(Form::Nth, &[whole, at], span)
        };
        let bindings = vars.iter().enumerate().map(|(at, var)| {
            let value = part(at + usize::from(has_value));
            (self.name_of(*var), value)
        });
        let bindings: Vec<(Words<'s>, Id)> = bindings.collect();
        let value = if has_value { part(0) } else { whole };
        // The value is read before a name of the tuple can hide anything it needs.
        self.step(bindings, false, span);
        value
    }

    /// Joins what is known here with what is known at the ends of other ways.
    pub(super) fn join_flow(&self, all: &mut Option<Flow>) {
        let here = self.flow.borrow();
        match all {
            Some(all) => all.join(&here),
            None => *all = Some(here.clone()),
        }
    }

    /// Where several ways go on.
    pub(super) fn join(
        &self,
        going: usize,
        (list, at): (List, usize),
        after: &After<'s>,
        span: Span,
    ) -> Joined<'s> {
        let is_end = at >= list.len();
        if is_end && (after.is_small() || going < 2) {
            return Joined { after: after.clone(), rest: None };
        }
        if going < 2 {
            let rest = After::Rest(list, at, Rc::new(after.clone()));
            return Joined { after: rest, rest: None };
        }
        let vars = self.changed(span);
        let join =
            Rc::new(Join { name: self.b().make_name(), vars: vars.into(), flow: None.into() });
        Joined { after: After::Join(Rc::clone(&join)), rest: Some((join, list, at, after.clone())) }
    }

    /// Puts the function that several ways call before them.
    pub(super) async fn joined(&self, join: Joined<'s>, ways: Id, span: Span) -> Lowered {
        let Some((join, list, at, after)) = join.rest else { return Ok(ways) };
        let Some(flow) = join.flow.take() else { return Ok(ways) };
        self.flow.replace(flow);
        self.open();
        let rest = self.statements(list, at, after).await?;
        let rest = self.close(rest, span);
        let mut b = self.b();
        let names = join.vars.iter().map(|var| self.name_of(*var)).collect();
        let function = b.function(names, rest, span);
        Ok(b.bind(vec![(join.name.clone(), function)], ways, span))
    }
}
