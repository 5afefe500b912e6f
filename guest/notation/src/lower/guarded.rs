//! `try`. Each statement of its body that changes a variable is tried by itself, so that the
//! handler sees the changes before the fault.

use crate::ast::{PatternId, Span, Statement, StmtId};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, List};
use crate::lower::flow::Flow;
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::cell::RefCell;
use std::rc::Rc;

/// The handler of a `try` as a function, and the continuation of the body.
struct Guard<'s> {
    name: Words<'s>,
    vars: Rc<[VarId]>,
    after: After<'s>,
    span: Span,
    /// The flow at all places where a fault may lead to the handler.
    flow: Rc<RefCell<Option<Flow>>>,
}

impl<'s> Cx<'_, 's> {
    /// Lowers a `try`. The result is none if the statements behind it still are to be lowered.
    pub(super) async fn try_statement(
        &self,
        list: &List,
        at: usize,
        after: &After<'s>,
    ) -> Result<Option<Id>, Wrong> {
        let id = list.stmt(at);
        let span = self.stmt_span(id);
        let Statement::Try { body, handler, finally } = &self.ast.stmt(id).what else {
            return Ok(None);
        };
        let exits = self.exits_of(id);
        let vars = self.changed(span);
        if let Some(finally) = finally {
            if exits.jumps() {
                let hint = "write what is to be done last behind the try";
                self.refuse(span.0, "a `finally` stands behind a way out of the function", hint);
                return Ok(None);
            }
            let mut all = list.to_vec();
            all.splice((at + 1)..=at, finally.iter().copied());
            let rest = After::Rest(all.into(), at + 1, Rc::new(after.clone()));
            let inner = self.tried(body, handler.as_ref(), &vars, rest, span).await?;
            return Ok(Some(inner));
        }
        if !exits.jumps() && exits.falls && !matches!(after, After::Value) {
            let end = After::State(vars.clone().into());
            self.open();
            let value = self.tried(body, handler.as_ref(), &vars, end, span).await?;
            let value = self.close(value, span);
            if vars.is_empty() {
                self.dropped(value, span);
            } else {
                self.spread(value, false, &vars, span);
            }
            return Ok(None);
        }
        let join = self.join(2, (list.clone(), at + 1), after, span);
        let value = self.tried(body, handler.as_ref(), &vars, join.after.clone(), span).await?;
        self.joined(join, value, span).await.map(Some)
    }

    /// Lowers the body and the handler of a `try` in tail position.
    async fn tried(
        &self,
        body: &[StmtId],
        handler: Option<&(Option<PatternId>, Vec<StmtId>)>,
        vars: &[VarId],
        after: After<'s>,
        span: Span,
    ) -> Lowered {
        let Some((pattern, handler)) = handler else {
            return self.statements(body.to_vec().into(), 0, after).await;
        };
        // The handler is a function of the fault and of the variables that may have changed.
        let (name, fault) = {
            let mut b = self.b();
            (b.make_name(), b.make_name())
        };
        let flow = Rc::new(RefCell::new(None));
        self.open();
        let guard = Guard {
            name: name.clone(),
            vars: vars.into(),
            after: after.clone(),
            span,
            flow: Rc::clone(&flow),
        };
        let body = self.stack.call(self.clone().guarded(body.to_vec().into(), 0, guard)).await?;
        let body = self.close(body, span);
        let behind = self.flow.borrow().clone();
        if let Some(flow) = flow.take() {
            self.flow.replace(flow);
            self.flow.borrow_mut().leave(self.chains.borrow().len());
        }
        self.open();
        let mut bindings = Vec::new();
        if let Some(pattern) = pattern {
            let caught = self.caught(&fault, span);
            self.bind_pattern(*pattern, caught, 0, &mut bindings).await?;
        }
        self.step(bindings, false, span);
        let value = self.statements(handler.clone().into(), 0, after).await?;
        let value = self.close(value, span);
        self.flow.borrow_mut().join(&behind);
        let mut names = vec![fault.clone()];
        names.extend(vars.iter().map(|var| self.name_of(*var)));
        let mut b = self.b();
        let function = b.function(names, value, span);
        Ok(b.bind(vec![(name, function)], body, span))
    }

    /// Makes the argument of a handler: the thrown value, or the fault.
    fn caught(&self, fault: &Words<'s>, span: Span) -> Id {
        let mut b = self.b();
        let variable = b.variable(fault, span);
        let key = b.text("code", span);
        let code = b.form(Form::Get, &[variable, key], span);
        let failed = b.text("fail", span);
        let test = b.form(Form::Eq, &[code, failed], span);
        let key = b.text("value", span);
        let value = b.form(Form::Get, &[variable, key], span);
        b.form(Form::If, &[test, value, variable], span)
    }

    /// Lowers the statements of a `try` from one on. Each statement is tried, and the others follow
    /// it.
    async fn guarded(self, list: List, at: usize, guard: Guard<'s>) -> Lowered {
        let span = guard.span;
        let handled = |fault: &Words<'s>| {
            let mut arguments = vec![self.b().variable(fault, span)];
            arguments.extend(guard.vars.iter().map(|var| self.variable(*var, span)));
            let mut b = self.b();
            let function = b.variable(&guard.name, span);
            let call = b.apply(function, &arguments, span);
            b.function(vec![fault.clone()], call, span)
        };
        let fault = self.b().make_name();
        {
            let mut flow = guard.flow.borrow_mut();
            self.join_flow(&mut flow);
        }
        // The rest is tried as a whole if it changes no variable that the handler sees.
        let rest = list.rest_span(at, &self.ast);
        let changes =
            rest.is_some_and(|rest| self.changed(rest).iter().any(|var| guard.vars.contains(var)));
        let jumps = list.iter_from(at).any(|id| self.exits_of(id).jumps());
        if !changes && (jumps || matches!(guard.after, After::Value)) {
            let handler = handled(&fault);
            self.open();
            let body = self.statements(list, at, guard.after).await?;
            let body = self.close(body, span);
            return Ok(self.b().form(Form::Try, &[body, handler], span));
        }
        if at >= list.len() {
            return self.finish(guard.after).await;
        }
        self.guarded_statement(list, at, guard, fault).await
    }

    /// Lowers a statement that is tried by itself, and those behind it.
    async fn guarded_statement(
        self,
        list: List,
        at: usize,
        guard: Guard<'s>,
        fault: Words<'s>,
    ) -> Lowered {
        let span = guard.span;
        // The locals that the statement declares are handed on to the rest, too.
        let id = list.stmt(at);
        let own = self.stmt_span(id);
        let mut state: Vec<VarId> = self.changed(own);
        let declared = self.declared_by(id);
        if self.exits_of(id).jumps() {
            let hint = "write the change behind the try, or return its value from a function";
            self.refuse(own.0, "a `try` changes locals and leaves its loop or function", hint);
        }
        state.extend(&declared);
        self.open();
        let end = After::State(state.clone().into());
        let value = self.statements(List::one(id), 0, end).await?;
        let value = self.close(value, span);
        let (done, step) = {
            let mut b = self.b();
            let done = b.list(&[value], span);
            let variable = b.variable(&fault, span);
            let function = b.function(vec![fault.clone()], variable, span);
            (done, function)
        };
        let tried = self.b().form(Form::Try, &[done, step], span);
        let tried = self.fixed(tried, span);
        // A list of one element holds the value, and a record is the fault.
        let test = {
            let mut b = self.b();
            let kind = b.form(Form::TypeOf, &[tried], span);
            let list = b.text("list", span);
            b.form(Form::Eq, &[kind, list], span)
        };
        let on_fault = {
            let mut arguments = vec![tried];
            arguments.extend(guard.vars.iter().map(|var| self.variable(*var, span)));
            let mut b = self.b();
            let function = b.variable(&guard.name, span);
            b.apply(function, &arguments, span)
        };
        self.open();
        let whole = {
            let mut b = self.b();
            let zero = b.number("0", span);
            b.form(Form::Nth, &[tried, zero], span)
        };
        if state.is_empty() {
            self.dropped(whole, span);
        } else {
            self.spread(whole, false, &state, span);
        }
        let next = self.stack.call(self.clone().guarded(list, at + 1, guard)).await?;
        let next = self.close(next, span);
        Ok(self.b().form(Form::If, &[test, next, on_fault], span))
    }
}
