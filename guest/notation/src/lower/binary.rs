//! Binary operators.

use crate::ast::{Binary, ExprId, Span, What};
use crate::lexer::Wrong;
use crate::lower::context::{Cx, Lowered};
use crate::tree::Id;
use pif_language::form::Form;

impl Cx<'_, '_> {
    /// Lowers a binary operator. A chain of operators to the left is lowered in a loop, so its
    /// length is not limited by the stack.
    pub(super) async fn binary(&self, id: ExprId) -> Lowered {
        let mut chain = vec![id];
        let mut first = id;
        while let Some((operator, left, _)) = self.binary_parts(first) {
            let goes_on = !self.ast.expr(left).in_parentheses
                && matches!(self.ast.expr(left).what, What::Binary { .. })
                && !is_choice(operator)
                && self.binary_parts(left).is_some_and(|(inner, ..)| !is_choice(inner));
            if !goes_on {
                break;
            }
            chain.push(left);
            first = left;
        }
        if let Some((operator, ..)) = self.binary_parts(id)
            && is_choice(operator)
        {
            return self.choice(id).await;
        }
        let Some((operator, left, right)) = self.binary_parts(first) else {
            return self.expr(id).await;
        };
        if operator == Binary::Instanceof
            && first == id
            && let Some(value) = self.is_instance(left, right, self.span(id)).await?
        {
            return Ok(value);
        }
        let mut value = self.operand(operator, left).await?;
        let mut is_open = false;
        for id in chain.into_iter().rev() {
            let Some((operator, _, right)) = self.binary_parts(id) else { break };
            if self.has_effects(right) {
                value = self.fixed(value, self.span(left));
            }
            let right = self.operand(operator, right).await?;
            value = self.operation(operator, [value, right], self.span(id), is_open);
            is_open = true;
        }
        Ok(value)
    }

    /// `x instanceof Array`, and `e instanceof Error`: a fault is a record with a message.
    async fn is_instance(
        &self,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Result<Option<Id>, Wrong> {
        let What::Name(class) = self.ast.expr(right).what else { return Ok(None) };
        let kind = match class {
            "Array" => "list",
            "Error" | "TypeError" | "RangeError" | "SyntaxError" => "record",
            _ => return Ok(None),
        };
        if self.var_of(right).is_some() {
            return Ok(None);
        }
        let value = self.lenient(left).await?;
        let value = self.fixed(value, span);
        let mut b = self.b();
        let found = b.form(Form::TypeOf, &[value], span);
        let wanted = b.text(kind, span);
        let is_kind = b.form(Form::Eq, &[found, wanted], span);
        if kind == "list" {
            return Ok(Some(is_kind));
        }
        let key = b.text("message", span);
        let has = b.form(Form::Has, &[value, key], span);
        Ok(Some(b.form(Form::And, &[is_kind, has], span)))
    }

    /// Lowers an operand. An operand of `==` may be an absent member.
    async fn operand(&self, operator: Binary, id: ExprId) -> Lowered {
        match operator {
            Binary::Eq | Binary::NotEq => self.lenient(id).await,
            _ => self.expr(id).await,
        }
    }

    /// Makes the term of an operator. `is_open` tells whether the left operand is an operation
    /// without parentheses.
    pub(super) fn operation(
        &self,
        operator: Binary,
        operands: [Id; 2],
        span: Span,
        is_open: bool,
    ) -> Id {
        let form = match operator {
            Binary::Add => self.sum(operands),
            Binary::Sub => Form::Sub,
            Binary::Mul => Form::Mul,
            Binary::Div => Form::Divide,
            Binary::Rem => Form::Rem,
            Binary::Pow => Form::Pow,
            Binary::Eq => Form::Eq,
            Binary::Lt => Form::Lt,
            Binary::Lte => Form::Lte,
            Binary::Gt => Form::Gt,
            Binary::Gte => Form::Gte,
            Binary::NotEq => {
                let mut b = self.b();
                let equal = b.form(Form::Eq, &operands, span);
                return b.form(Form::Not, &[equal], span);
            }
            Binary::In => {
                let [key, whole] = operands;
                return self.b().form(Form::Has, &[whole, key], span);
            }
            Binary::Instanceof => {
                return self.refuse(
                    span.0,
                    "there are no classes",
                    "write Array.isArray(x), or typeof x === \"object\"",
                );
            }
            Binary::BitAnd => return self.bits("&", operands, span),
            Binary::BitOr => return self.bits("|", operands, span),
            Binary::BitXor => return self.bits("^", operands, span),
            Binary::ShiftLeft => return self.bits("<<", operands, span),
            Binary::ShiftRight => return self.bits(">>", operands, span),
            Binary::ShiftRightUnsigned => return self.bits(">>>", operands, span),
            Binary::And => Form::And,
            Binary::Or => Form::Or,
            Binary::Nullish => Form::Coalesce,
        };
        let is_many = matches!(form, Form::Add | Form::Mul | Form::Plus | Form::Concat);
        let mut b = self.b();
        let [left, right] = operands;
        if is_many && is_open && b.tree.form_of(left) == form {
            return b.tree.extended(left, right, span);
        }
        b.form(form, &[left, right], span)
    }

    /// Chooses the form of a `+` by the types of its operands, as far as these are known.
    fn sum(&self, [left, right]: [Id; 2]) -> Form {
        if self.is_number(left) && self.is_number(right) {
            return Form::Add;
        }
        let b = self.b();
        if b.tree.is_textual(left) && b.tree.is_textual(right) { Form::Concat } else { Form::Plus }
    }

    fn bits(&self, operator: &'static str, [left, right]: [Id; 2], span: Span) -> Id {
        let mut b = self.b();
        let operator = b.text(operator, span);
        b.form(Form::Bits, &[operator, left, right], span)
    }
}

/// Tells whether an operator may skip its right operand.
pub(super) fn is_choice(operator: Binary) -> bool {
    matches!(operator, Binary::And | Binary::Or | Binary::Nullish)
}
