//! Conditions: the operands of `if`, `?`, `&&`, `||`, `!` and `??`. A condition may name an absent
//! member.

use crate::ast::{Binary, ExprId, What};
use crate::lower::binary::is_choice;
use crate::lower::context::{Cx, Lowered};
use crate::tree::Id;
use pif_language::form::Form;

impl Cx<'_, '_> {
    /// Lowers a condition to a boolean.
    pub(super) async fn test(&self, id: ExprId) -> Lowered {
        match self.ast.expr(id).what {
            What::Binary { operator: Binary::And | Binary::Or, right, .. }
                if !self.has_effects(right) =>
            {
                self.stack.call(self.clone().tests(id)).await
            }
            _ => {
                let value = self.lenient(id).await?;
                Ok(self.truth(value))
            }
        }
    }

    /// Converts a value to a boolean.
    pub(super) fn truth(&self, value: Id) -> Id {
        if self.is_boolean(value) {
            return value;
        }
        let mut b = self.b();
        let span = b.tree.span(value);
        b.form(Form::Truth, &[value], span)
    }

    /// Lowers `a && b` or `a || b` as a condition.
    async fn tests(self, id: ExprId) -> Lowered {
        let Some((operator, ..)) = self.binary_parts(id) else { return self.test(id).await };
        let list = self.chain(id, operator);
        let mut operands = Vec::with_capacity(list.len());
        for id in list {
            operands.push(self.test(id).await?);
        }
        let form = if operator == Binary::And { Form::And } else { Form::Or };
        Ok(self.b().form_of_many(form, &operands, self.span(id)))
    }

    /// Collects the operands of a chain of one operator. Parentheses and effects end the chain.
    fn chain(&self, id: ExprId, operator: Binary) -> Vec<ExprId> {
        let mut list = Vec::new();
        let mut first = id;
        loop {
            match self.binary_parts(first) {
                Some((inner, left, right))
                    if inner == operator
                        && (first == id || !self.ast.expr(first).in_parentheses)
                        && !self.has_effects(right) =>
                {
                    list.push(right);
                    first = left;
                }
                _ => {
                    list.push(first);
                    break;
                }
            }
        }
        list.reverse();
        list
    }

    /// Lowers `a && b`, `a || b` or `a ?? b` as a value.
    pub(super) async fn choice(&self, id: ExprId) -> Lowered {
        let Some((operator, left, right)) = self.binary_parts(id) else {
            return self.expr(id).await;
        };
        if self.has_effects(right) {
            return self.choice_with_effects(id, operator, left, right).await;
        }
        let mut operands = Vec::new();
        for id in self.chain(id, operator) {
            operands.push(self.lenient(id).await?);
        }
        let all_booleans = operands.iter().all(|id| self.is_boolean(*id));
        let form = match operator {
            Binary::Nullish => Form::Coalesce,
            Binary::And if all_booleans => Form::And,
            Binary::Or if all_booleans => Form::Or,
            Binary::And => Form::Both,
            _ => Form::Either,
        };
        Ok(self.b().form_of_many(form, &operands, self.span(id)))
    }

    /// Lowers an expression leniently: an absent member is null.
    pub(super) async fn lenient(&self, id: ExprId) -> Lowered {
        match self.ast.expr(id).what {
            What::Member { .. } | What::Index { .. } => {
                self.stack.call(self.clone().access_lenient(id)).await
            }
            What::Call { .. } => self.stack.call(self.clone().call_lenient(id)).await,
            What::Await(id) => self.stack.call(self.clone().lenient_level(id)).await,
            What::Conditional { test, then, otherwise } => {
                self.stack.call(self.clone().conditional_lenient(id, test, then, otherwise)).await
            }
            What::Binary { operator, .. } if is_choice(operator) => self.expr(id).await,
            _ => self.expr(id).await,
        }
    }

    async fn lenient_level(self, id: ExprId) -> Lowered {
        self.lenient(id).await
    }

    async fn access_lenient(self, id: ExprId) -> Lowered {
        self.access(id, true).await
    }

    async fn call_lenient(self, id: ExprId) -> Lowered {
        self.call(id, true).await
    }

    async fn conditional_lenient(
        self,
        id: ExprId,
        test: ExprId,
        then: ExprId,
        otherwise: ExprId,
    ) -> Lowered {
        self.conditional(id, test, then, otherwise, true).await
    }
}
