//! Branches: `if`, `? :`, `switch`, and operators whose right operand changes a variable.

use crate::ast::{Binary, Case, ExprId, Span, Statement, StmtId};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, Arm, Jump, List};
use crate::tree::Id;
use pif_language::form::Form;
use std::rc::Rc;

impl<'s> Cx<'_, 's> {
    /// Lowers `test ? then : otherwise`.
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

    /// Lowers `a && (x = b)` and the other choices whose right operand changes a variable.
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

    /// Lowers a choice between values whose evaluation changes variables.
    pub(super) async fn arms(&self, test: Id, arms: [Arm; 2], span: Span) -> Lowered {
        let vars = self.changed(span);
        let before = self.flow.borrow().clone();
        let mut terms = vec![test];
        let mut after = None;
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

    /// Lowers an `if`. The result is none if the statements behind it still are to be lowered.
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
        let test_term = Box::pin(self.test(test)).await?;
        let is_value = matches!(after, After::Value) && at + 1 == list.len();
        if exits.jumps() || ends.contains(&true) || is_value {
            let arms: Vec<Option<StmtId>> = vec![Some(then), otherwise];
            return self.ways(test_term, &arms, (list, at), after, span).await.map(Some);
        }
        let vars = self.changed(span);
        let before = self.flow.borrow().clone();
        let mut terms = vec![test_term];
        let mut joined = None;
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

    /// Lowers two branches of which one may not reach its end. The statements behind them stand in
    /// the branch that goes on, or in a function that both call.
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

    /// Lowers a `switch`.
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
            around.jumps.push(Rc::new(Jump::of_switch(join.after.clone())));
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
            // An empty case shares the body of the next one.
            if body.is_empty() && index + 1 < bodies {
                continue;
            }
            let stmts = self.statements_from(cases.get(index..).unwrap_or_default());
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

    /// The statements of a case. Without a `break` it goes on with those of the next ones.
    fn statements_from(&self, cases: &[Case]) -> Vec<StmtId> {
        let mut stmts = Vec::new();
        for (_, body) in cases {
            stmts.extend(body);
            if body.iter().any(|id| !self.exits_of(*id).falls) {
                break;
            }
        }
        stmts
    }
}
