//! Statements in order, and their continuations.

use crate::ast::{ExprId, Span, Statement, StmtId, What};
use crate::lexer::Wrong;
use crate::lower::binary::is_choice;
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, List};
use crate::lower::resolve::{Origin, VarId};
use crate::tree::Id;
use pif_language::form::Form;
use std::rc::Rc;

impl<'s> Cx<'_, 's> {
    /// Lowers the statements of a list from one on, in tail position.
    pub(super) async fn statements(&self, list: List, at: usize, after: After<'s>) -> Lowered {
        self.stack.call(self.clone().run_of_statements(list, at, after)).await
    }

    async fn run_of_statements(self, list: List, at: usize, after: After<'s>) -> Lowered {
        let mut at = at;
        while at < list.len() {
            let id = list.stmt(at);
            if let Some(term) = self.statement(&list, at, &after).await? {
                return Ok(term);
            }
            if !self.exits_of(id).falls {
                break;
            }
            at += 1;
        }
        self.finish(after).await
    }

    /// Lowers a statement. What lowers its kind has a box of its own, so that statements that nest
    /// take no more memory than they need. The result is the whole term, or none
    /// if the statements behind it still are to be lowered.
    async fn statement(
        &self,
        list: &List,
        at: usize,
        after: &After<'s>,
    ) -> Result<Option<Id>, Wrong> {
        let id = list.stmt(at);
        let span = self.stmt_span(id);
        Box::pin(self.hoist(id)).await?;
        let is_last = at + 1 == list.len();
        match &self.ast.stmt(id).what {
            Statement::Empty => Ok(None),
            Statement::Expression(expr) => {
                if is_last && matches!(after, After::Value) {
                    return self.expr_value(*expr).await.map(Some);
                }
                Box::pin(self.effect(*expr)).await?;
                Ok(None)
            }
            Statement::Declare { names, .. } => {
                Box::pin(self.declaration(id, names)).await?;
                Ok(None)
            }
            Statement::Function(function) => {
                Box::pin(self.hoist_function(*function)).await?;
                if is_last
                    && matches!(after, After::Value)
                    && list.len() == 1
                    && let Some(var) =
                        self.known.function_vars.get(*function as usize).copied().flatten()
                    && !self.plan(*function).is_lifted()
                {
                    return Ok(Some(self.variable(var, span)));
                }
                Ok(None)
            }
            Statement::Return(value) => {
                let value = match value {
                    Some(value) => self.returned_expr(*value).await?,
                    None => self.b().null(span),
                };
                self.give(value, span).await.map(Some)
            }
            Statement::Throw(value) => {
                let value = self.expr(*value).await?;
                Ok(Some(self.b().form(Form::Fail, &[value], span)))
            }
            Statement::If { .. } => self.if_statement(list, at, after).await,
            Statement::Switch { .. } => Box::pin(self.switch(list, at, after)).await.map(Some),
            Statement::Try { .. } => Box::pin(self.try_statement(list, at, after)).await,
            Statement::Block(inner) => {
                if let (After::Value, true) = (after, is_last) {
                    return self.statements(inner.clone().into(), 0, After::Value).await.map(Some);
                }
                let rest = if is_last {
                    after.clone()
                } else {
                    After::Rest(list.clone(), at + 1, Rc::new(after.clone()))
                };
                self.statements(inner.clone().into(), 0, rest).await.map(Some)
            }
            Statement::Labeled(label, inner) => {
                Box::pin(self.loop_statement(*inner, Some(label), (list, at), after)).await
            }
            Statement::Break(label) | Statement::Continue(label) => {
                let continues = matches!(self.ast.stmt(id).what, Statement::Continue(_));
                self.jump(*label, continues, span).await.map(Some)
            }
            _ => Box::pin(self.loop_statement(id, None, (list, at), after)).await,
        }
    }

    /// Lowers the last expression of a program, which is its value.
    async fn expr_value(&self, id: ExprId) -> Lowered {
        self.lenient_value(id).await
    }

    /// Lowers a returned value.
    async fn returned_expr(&self, id: ExprId) -> Lowered {
        if self.around.tests {
            return self.test(id).await;
        }
        self.lenient_value(id).await
    }

    async fn lenient_value(&self, id: ExprId) -> Lowered {
        match self.ast.expr(id).what {
            What::Assign { .. } | What::Update { .. } => self.expr(id).await,
            _ => self.kept(id).await,
        }
    }

    /// Lowers an expression whose value is not used.
    pub(super) async fn effect(&self, id: ExprId) -> Result<(), Wrong> {
        let span = self.span(id);
        let value = match &self.ast.expr(id).what {
            What::Assign { target, operator, value } => {
                self.assign_any(id, *target, *operator, *value, false).await?;
                return Ok(());
            }
            What::Update { target, increases, is_prefix } => {
                self.update_any(id, *target, *increases, *is_prefix, false).await?;
                return Ok(());
            }
            What::Call { .. } => self.call_for_effect(id).await?,
            What::Sequence(list) => {
                for id in list {
                    self.stack.call(self.clone().effect_level(*id)).await?;
                }
                return Ok(());
            }
            What::Await(inner) => {
                self.stack.call(self.clone().effect_level(*inner)).await?;
                return Ok(());
            }
            What::Text(_)
            | What::Number(_)
            | What::Boolean(_)
            | What::Null
            | What::Name(_)
            | What::List(_)
            | What::Record(_)
            | What::Function(_)
            | What::Template(_)
            | What::Member { .. }
            | What::Index { .. }
                if !self.has_effects(id) =>
            {
                let hint = "bind it, const a = 1; or write `return` before it";
                self.refuse(span.0, "the value of this statement is not used", hint);
                return Ok(());
            }
            What::Binary { operator, .. } if !self.has_effects(id) && !is_choice(*operator) => {
                let hint = "bind it, const a = 1; or write `return` before it";
                self.refuse(span.0, "the value of this statement is not used", hint);
                return Ok(());
            }
            _ => self.expr(id).await?,
        };
        if !self.has_effects(id) || self.is_call(value) {
            self.dropped(value, span);
        }
        Ok(())
    }

    pub(super) async fn effect_level(self, id: ExprId) -> Result<(), Wrong> {
        self.effect(id).await
    }

    /// Tells whether a term may be a call, which may have effects.
    fn is_call(&self, value: Id) -> bool {
        !matches!(self.b().tree.form_of(value), Form::Var | Form::Unit | Form::Nth | Form::Get)
    }

    /// Lowers a declaration.
    async fn declaration(&self, id: StmtId, names: &[(u32, Option<ExprId>)]) -> Result<(), Wrong> {
        let span = self.stmt_span(id);
        if self.is_function_group(names) {
            return self.hoist_group(id).await;
        }
        let mut bindings = Vec::new();
        for (pattern, value) in names {
            let changes = value.is_some_and(|id| self.has_effects(id));
            if changes {
                self.step(std::mem::take(&mut bindings), false, span);
            }
            self.open();
            let mut own = Vec::new();
            self.declare(*pattern, *value, &mut own).await?;
            let steps = self.chains.borrow_mut().pop().unwrap_or_default();
            if !steps.is_empty() {
                self.step(std::mem::take(&mut bindings), false, span);
                if let Some(chain) = self.chains.borrow_mut().last_mut() {
                    chain.extend(steps);
                }
            }
            bindings.extend(own);
        }
        self.step(bindings, false, span);
        Ok(())
    }

    /// Makes the term of a continuation.
    pub(super) async fn finish(&self, after: After<'s>) -> Lowered {
        let span = (0, 0);
        match after {
            After::Value => Ok(self.b().null(span)),
            After::Null => {
                let null = self.b().null(span);
                self.give(null, span).await
            }
            After::State(vars) => Ok(self.tuple(None, &vars, span)),
            After::Rest(list, at, after) => self.statements(list, at, (*after).clone()).await,
            After::Join(join) => {
                {
                    let mut all = join.flow.borrow_mut();
                    self.join_flow(&mut all);
                }
                let arguments: Vec<Id> =
                    join.vars.iter().map(|var| self.variable(*var, span)).collect();
                let mut b = self.b();
                let function = b.variable(&join.name, span);
                Ok(b.apply(function, &arguments, span))
            }
            After::Gathered(lists, after) => {
                let gathers = self.gathers.borrow().clone();
                self.gathered(&lists, span);
                let value = self.stack.call(self.clone().finish_level((*after).clone())).await;
                self.gathers.replace(gathers);
                value
            }
            After::Changed(elements, after) => {
                self.keep_element(elements, span);
                self.stack.call(self.clone().finish_level((*after).clone())).await
            }
            After::Next(round) => self.next_round(&round).await,
        }
    }

    /// Returns a value from the function, together with the variables that it has changed.
    pub(super) async fn give(&self, value: Id, span: Span) -> Lowered {
        if let Some(end) = self.around.ends.clone() {
            return self.end_round(&end, value, span).await;
        }
        let vars = self.around.returned.clone();
        if vars.is_empty() {
            return Ok(value);
        }
        let value = self.fixed(value, span);
        let mut parts = vec![value];
        parts.extend(vars.iter().map(|var| self.seen(*var, span)));
        Ok(self.b().list(&parts, span))
    }

    /// Lowers a `break` or a `continue`.
    async fn jump(&self, label: Option<&str>, continues: bool, span: Span) -> Lowered {
        let jump = self.around.jumps.iter().find(|jump| match label {
            Some(label) => jump.label == Some(label),
            None => !continues || jump.next.is_some(),
        });
        let Some(jump) = jump.cloned() else {
            let hint = "leave it out, or write `return`";
            return Ok(self.refuse(span.0, "there is no loop to leave", hint));
        };
        let after = if continues { jump.next.clone() } else { Some(jump.end.clone()) };
        match after {
            Some(after) => self.finish(after).await,
            None => Ok(self.b().null(span)),
        }
    }

    /// Finds the variables that a statement declares for the statements behind it.
    pub(super) fn declared_by(&self, id: StmtId) -> Vec<VarId> {
        match &self.ast.stmt(id).what {
            Statement::Declare { names, .. } => names
                .iter()
                .flat_map(|(pattern, _)| self.known.names_of(&self.ast, *pattern))
                .collect(),
            _ => Vec::new(),
        }
    }

    pub(super) async fn program(self) -> Lowered {
        let list = self.ast.program.clone();
        let span = (0, 0);
        self.open();
        let value = self.statements(list.into(), 0, After::Value).await?;
        let value = self.called(value);
        Ok(self.close(value, span))
    }

    /// Calls a program that is a function without parameters and uses a name that it finds bound.
    fn called(&self, value: Id) -> Id {
        let [only] = *self.ast.program else { return value };
        let Statement::Expression(id) = self.ast.stmt(only).what else { return value };
        let What::Function(function) = self.ast.expr(id).what else { return value };
        let takes_nothing = self.ast.function(function).parameters.is_empty();
        let names_free =
            self.known.vars.iter().any(|var| var.origin == Origin::Free && !var.uses.is_empty());
        if takes_nothing && names_free { self.b().apply(value, &[], self.span(id)) } else { value }
    }
}
