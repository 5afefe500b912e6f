//! Branches: `if`, `? :`, `switch`, `try`, and operators whose right operand changes something.
//! What a branch changes it hands on, and the name is bound anew behind the branches.

use crate::ast::{Binary, ExprId, PatternId, Span, Statement, StmtId};
use crate::lexer::Wrong;
use crate::lower::owned::Flow;
use crate::lower::resolve::VarId;
use crate::lower::statement::{After, Join, List};
use crate::lower::{Cx, Lowered};
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::cell::RefCell;
use std::rc::Rc;

/// A branch of a choice between values.
#[derive(Clone, Copy)]
pub(super) enum Arm {
    Value(Id),
    Expr {
        id: ExprId,
        lenient: bool,
    },
    /// The call `id`, of a member of another object.
    Member {
        id: ExprId,
        object: ExprId,
        is_wanted: bool,
    },
}

impl<'a, 's> Cx<'a, 's> {
    /// `test ? then : otherwise`
    pub(super) async fn conditional(
        &self,
        id: ExprId,
        test: ExprId,
        then: ExprId,
        otherwise: ExprId,
        lenient: bool,
    ) -> Lowered {
        let span = self.span(id);
        let test = self.test(test).await?;
        if self.has_effects(then) || self.has_effects(otherwise) {
            let arms = [Arm::Expr { id: then, lenient }, Arm::Expr { id: otherwise, lenient }];
            return self.arms(test, arms, span).await;
        }
        let mut parts = vec![test];
        for id in [then, otherwise] {
            self.open();
            let value = if lenient { self.lenient(id).await? } else { self.expr(id).await? };
            parts.push(self.close(value, self.span(id)));
        }
        Ok(self.b().form(Form::If, &parts, span))
    }

    /// `a && (x = b)` and its like.
    pub(super) async fn choice_with_effects(
        &self,
        id: ExprId,
        operator: Binary,
        left: ExprId,
        right: ExprId,
    ) -> Lowered {
        let span = self.span(id);
        let left = self.lenient(left).await?;
        let left = self.fixed(left, span);
        let right = Arm::Expr { id: right, lenient: true };
        let (test, arms) = match operator {
            Binary::And => (self.truth(left), [right, Arm::Value(left)]),
            Binary::Or => (self.truth(left), [Arm::Value(left), right]),
            _ => {
                let mut b = self.b();
                let null = b.null(span);
                (b.form(Form::Eq, &[left, null], span), [right, Arm::Value(left)])
            }
        };
        self.arms(test, arms, span).await
    }

    /// A choice between values that change variables on the way.
    pub(super) async fn arms(&self, test: Id, arms: [Arm; 2], span: Span) -> Lowered {
        let vars = self.changed(span);
        let before = self.flow.borrow().clone();
        let (mut terms, mut after) = (vec![test], None);
        for arm in arms {
            *self.flow.borrow_mut() = before.clone();
            self.open();
            let value = match arm {
                Arm::Value(id) => id,
                Arm::Expr { id, lenient: true } => self.lenient(id).await?,
                Arm::Expr { id, lenient: false } => self.expr(id).await?,
                Arm::Member { id, object, is_wanted } => {
                    self.stack.call(self.clone().member_of(id, object, is_wanted)).await?
                }
            };
            let whole = self.tuple(Some(value), &vars, span);
            terms.push(self.close(whole, span));
            self.join_flow(&mut after);
        }
        self.flow.replace(after.unwrap_or(before));
        let choice = self.b().form(Form::If, &terms, span);
        Ok(self.spread(choice, true, &vars, span))
    }

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

    /// An `if`. Nothing, if what follows it stands behind it as behind any statement.
    pub(super) async fn if_statement(
        &self,
        list: &List,
        at: usize,
        after: &After<'s>,
    ) -> Result<Option<Id>, Wrong> {
        let id = list.stmt(at);
        let Statement::If { test, then, otherwise } = self.ast.stmt(id).what else {
            return Ok(None);
        };
        let span = self.stmt_span(id);
        let exits = self.exits_of(id);
        let ends = [Some(then), otherwise].map(|id| id.is_some_and(|id| !self.exits_of(id).falls));
        let test_term = self.test(test).await?;
        let is_value = matches!(after, After::Value) && at + 1 == list.len();
        if exits.jumps() || ends.contains(&true) || is_value {
            let arms: Vec<Option<StmtId>> = vec![Some(then), otherwise];
            return self.ways(test_term, &arms, (list, at), after, span).await.map(Some);
        }
        let vars = self.changed(span);
        let before = self.flow.borrow().clone();
        let (mut terms, mut joined) = (vec![test_term], None);
        for arm in [Some(then), otherwise] {
            *self.flow.borrow_mut() = before.clone();
            self.open();
            let end = After::State(vars.clone().into());
            let value = match arm {
                Some(id) => self.statements(List::one(id), 0, end).await?,
                None => self.tuple(None, &vars, span),
            };
            terms.push(self.close(value, span));
            self.join_flow(&mut joined);
        }
        self.flow.replace(joined.unwrap_or(before));
        let choice = self.b().form(Form::If, &terms, span);
        if vars.is_empty() {
            self.dropped(choice, span);
        } else {
            self.spread(choice, false, &vars, span);
        }
        Ok(None)
    }

    /// Two ways that may not come together: what follows stands in the one that goes on, or in a
    /// function that both call.
    async fn ways(
        &self,
        test: Id,
        arms: &[Option<StmtId>],
        (list, at): (&List, usize),
        after: &After<'s>,
        span: Span,
    ) -> Lowered {
        let falls = |arm: &Option<StmtId>| arm.is_none_or(|id| self.exits_of(id).falls);
        let going = arms.iter().filter(|arm| falls(arm)).count();
        let join = self.join(going, (list.clone(), at + 1), after, span);
        let before = self.flow.borrow().clone();
        let mut terms = vec![test];
        for arm in arms {
            *self.flow.borrow_mut() = before.clone();
            self.open();
            let stmts = arm.map_or_else(List::none, List::one);
            let value = self.statements(stmts, 0, join.after.clone()).await?;
            terms.push(self.close(value, span));
        }
        let choice = self.b().form(Form::If, &terms, span);
        self.joined(join, choice, span).await
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

    /// A `switch`.
    pub(super) async fn switch(&self, list: &List, at: usize, after: &After<'s>) -> Lowered {
        let id = list.stmt(at);
        let span = self.stmt_span(id);
        let Statement::Switch { value, cases } = &self.ast.stmt(id).what else {
            return Ok(self.b().null(span));
        };
        let value = self.lenient(*value).await?;
        let value = self.fixed(value, span);
        let join = self.join(2, (list.clone(), at + 1), after, span);
        let inner = self.with(|around| {
            around.jumps.push(Rc::new(super::loops::Jump::of_switch(join.after.clone())));
        });
        let before = self.flow.borrow().clone();
        let bodies = cases.len();
        let mut arms: Vec<(Option<Id>, Id)> = Vec::new();
        let mut tests: Vec<Id> = Vec::new();
        let mut default = None;
        let mut has_default = false;
        for (index, (test, body)) in cases.iter().enumerate() {
            let mut is_default = has_default;
            match test {
                Some(test) => {
                    let test = self.expr(*test).await?;
                    tests.push(self.b().form(Form::Eq, &[value, test], span));
                }
                None => is_default = true,
            }
            has_default = is_default;
            // An empty case goes on with the next one.
            if body.is_empty() && index + 1 < bodies {
                continue;
            }
            // A case without a `break` goes on with the statements of the next ones.
            let mut stmts: Vec<StmtId> = Vec::new();
            for (_, body) in cases.get(index..).unwrap_or_default() {
                stmts.extend(body);
                if body.iter().any(|id| !self.exits_of(*id).falls) {
                    break;
                }
            }
            *self.flow.borrow_mut() = before.clone();
            self.open();
            let term = inner.statements(stmts.into(), 0, join.after.clone()).await?;
            let term = self.close(term, span);
            let all = std::mem::take(&mut tests);
            if is_default {
                default = Some(term);
                has_default = false;
            }
            let is_only_default = is_default && all.is_empty();
            if !is_only_default {
                let test = (!all.is_empty()).then(|| self.b().form_of_many(Form::Or, &all, span));
                arms.push((test, term));
            }
        }
        *self.flow.borrow_mut() = before;
        self.open();
        let otherwise = match default {
            Some(term) => term,
            None => self.statements(List::none(), 0, join.after.clone()).await?,
        };
        let otherwise = self.close(otherwise, span);
        let choice = arms.into_iter().rev().fold(otherwise, |otherwise, (test, then)| match test {
            Some(test) => self.b().form(Form::If, &[test, then, otherwise], span),
            None => otherwise,
        });
        self.joined(join, choice, span).await
    }

    /// A `try`. Each statement of its body that changes something is tried by itself, so that the
    /// handler sees what has been changed before the fault.
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
            all.splice(at + 1..at + 1, finally.iter().copied());
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

    /// The body and the handler of a `try`, in tail position.
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
        // The handler is a function of the fault and of what may have changed.
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

    /// What a handler gets: the value that was thrown, or the fault.
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

    /// The statements of a `try` from one on: each is tried, and behind it come the others.
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
        // The rest is tried as a whole, if it changes nothing that is seen behind a fault.
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
        // Locals of the body that the rest needs go on, too.
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
        // A list of one holds the value; a record is the fault.
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

/// The way to the handler of a `try`.
struct Guard<'s> {
    name: Words<'s>,
    vars: Rc<[VarId]>,
    after: After<'s>,
    span: Span,
    /// What is known wherever a fault may lead to the handler.
    flow: Rc<RefCell<Option<Flow>>>,
}

/// Where ways go on, and what is left to lower there.
pub(super) struct Joined<'s> {
    pub(super) after: After<'s>,
    rest: Option<(Rc<Join<'s>>, List, usize, After<'s>)>,
}
