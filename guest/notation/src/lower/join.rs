//! Join points. Branches hand on the variables that they change together with their value, and
//! these are bound anew where the branches join.

use crate::ast::Span;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, Join, Joined, List};
use crate::lower::flow::Flow;
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::rc::Rc;

impl<'s> Cx<'_, 's> {
    /// Makes one term of a value and variables.
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

    /// Binds variables to the parts of a `tuple`. The result is the value.
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
        // The result is the value of the tuple, which no name of a variable can hide.
        self.step(bindings, false, span);
        value
    }

    /// Joins the flow here with the flow at the ends of other branches.
    pub(super) fn join_flow(&self, all: &mut Option<Flow>) {
        let here = self.flow.borrow();
        match all {
            Some(all) => all.join(&here),
            None => *all = Some(here.clone()),
        }
    }

    /// Makes the continuation of several branches, of which `going` reach their ends.
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

    /// Binds the function of a join point before the branches that call it.
    pub(super) async fn joined(&self, join: Joined<'s>, ways: Id, span: Span) -> Lowered {
        let Some((join, list, at, after)) = join.rest else { return Ok(ways) };
        let Some(flow) = join.flow.take() else { return Ok(ways) };
        self.flow.replace(flow);
        self.flow.borrow_mut().leave(self.chains.borrow().len());
        self.open();
        let rest = self.statements(list, at, after).await?;
        let rest = self.close(rest, span);
        let mut b = self.b();
        let names = join.vars.iter().map(|var| self.name_of(*var)).collect();
        let function = b.function(names, rest, span);
        Ok(b.bind(vec![(join.name.clone(), function)], ways, span))
    }
}
