//! Functions: arrows, `function`, and the methods of records.

use crate::ast::{Body, Element, ExprId, Function, FunctionId, PatternId, Statement, StmtId, What};
use crate::syntax::braces::Braces;
use crate::syntax::lexer::Kind;
use crate::syntax::parser::{Around, Parser, Read, Reader};
use pif_core::stack::Answer;
use pif_core::text::quote::shorten;

impl<'s> Reader<'_, 's> {
    /// Reads an arrow, its parameters and its body.
    pub(super) async fn arrow(&self, around: Around) -> Read<ExprId> {
        let start = self.token(0).start;
        self.pass(usize::from(self.is(0, "async") && !self.is(1, "=>")));
        let (parameters, rest) = if self.token(0).kind == Kind::Name {
            let pattern = self.name_pattern()?;
            (vec![Element { pattern, default: None }], None)
        } else {
            self.parameters().await?
        };
        self.pass(1);
        let body = if self.is(0, "{") {
            self.check_body()?;
            Body::Block(self.block().await?)
        } else {
            let is_single = around.in_pipe;
            Body::Expression(self.value(Around { is_single, ..around }).await?)
        };
        let span = self.since(start);
        let function = Function { name: None, parameters, rest, body, span };
        let function = self.ast.borrow_mut().add_function(function);
        Ok(self.add(What::Function(function), start))
    }

    /// `function f(…) { … }` as an operand.
    pub(super) async fn function_expression(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        let name = self.function_head()?;
        let function = self.function(start, name).await?;
        Ok(self.add(What::Function(function), start))
    }

    /// Reads the parameters of a function, and its block.
    pub(super) fn function(&self, start: u32, name: Option<&'s str>) -> Answer<Read<FunctionId>> {
        self.stack.call(self.clone().read_function(start, name))
    }

    async fn read_function(self, start: u32, name: Option<&'s str>) -> Read<FunctionId> {
        let (parameters, rest) = self.parameters().await?;
        if self.is(0, ":") {
            return self.typed();
        }
        if !self.is(0, "{") {
            let hint = "write function f(x) { return x + 1; } or x => x + 1";
            return self.wrong(self.token(0).start, "the block of a function is missing", hint);
        }
        let body = Body::Block(self.block().await?);
        let span = self.since(start);
        let function = Function { name, parameters, rest, body, span };
        Ok(self.ast.borrow_mut().add_function(function))
    }

    async fn parameters(&self) -> Read<(Vec<Element>, Option<PatternId>)> {
        let close = self.open();
        let mut parameters = Vec::new();
        let mut rest = None;
        while self.at.get() != close {
            if self.take("...") {
                rest = Some(self.pattern(false).await?);
                if self.at.get() != close && !self.is(0, ":") {
                    let hint = "write (first, ...others) => others";
                    return self.wrong(
                        self.token(0).start,
                        "nothing follows the rest of the arguments",
                        hint,
                    );
                }
            } else {
                parameters.push(self.element(false).await?);
            }
            if self.is(0, ":") || self.is(0, "?") {
                return self.typed();
            }
            self.comma(close)?;
        }
        self.close(close)?;
        Ok((parameters, rest))
    }

    /// Statements in braces.
    pub(super) async fn block(&self) -> Read<Vec<StmtId>> {
        if !self.is(0, "{") {
            let hint = "write { … } around the statements";
            return self.wrong(self.token(0).start, "a `{` is missing", hint);
        }
        let close = self.open();
        let statements = self.statements(close).await;
        self.close(close)?;
        Ok(statements)
    }

    /// Statements in braces that stand for the value of the last.
    pub(super) async fn block_value(&self) -> Read<ExprId> {
        let start = self.token(0).start;
        let statements = self.block().await?;
        if statements.is_empty() {
            return self.wrong(start, "the braces are empty", "write ({}) for the empty record");
        }
        if let Some(last) = statements.last()
            && let Some(last) = self.ast.borrow_mut().stmts.get_mut(*last as usize)
            && let Statement::Expression(value) = last.what
        {
            last.what = Statement::Return(Some(value));
        }
        let body = Body::Block(statements);
        let span = self.since(start);
        let function = Function { name: None, parameters: Vec::new(), rest: None, body, span };
        let function = self.ast.borrow_mut().add_function(function);
        let callee = self.add(What::Function(function), start);
        Ok(self.add(What::Call { callee, arguments: Vec::new(), is_optional: false }, start))
    }
}

impl<'s> Parser<'s> {
    /// Tells whether an arrow and its parameters begin here.
    pub(super) fn is_arrow(&self) -> bool {
        self.is_arrow_at(0)
            || self.is(0, "async") && !self.token(1).on_new_line && self.is_arrow_at(1)
    }

    fn is_arrow_at(&self, ahead: usize) -> bool {
        match self.token(ahead).kind {
            Kind::Name => self.is(ahead + 1, "=>"),
            Kind::Open => self.is(ahead, "(") && self.is_at(self.behind(ahead), "=>"),
            _ => false,
        }
    }

    /// Passes `function`, also behind `async`, and the name.
    pub(super) fn function_head(&self) -> Read<Option<&'s str>> {
        let start = self.token(0).start;
        self.pass(1 + usize::from(self.is(0, "async")));
        if self.is(0, "*") {
            return self.generator(start);
        }
        let name = self.token(0);
        if name.kind == Kind::Name {
            self.check_bound()?;
            self.pass(1);
        }
        if !self.is(0, "(") {
            let hint = "write function f(x) { return x + 1; } or x => x + 1";
            return self.wrong(
                self.token(0).start,
                "the parameters of a function are missing",
                hint,
            );
        }
        Ok((name.kind == Kind::Name).then(|| self.spelling(name)))
    }

    /// A body in braces that is meant for a record.
    fn check_body(&self) -> Read<()> {
        if self.braces() != Braces::Record {
            return Ok(());
        }
        let key = shorten(self.spelling(self.token(1)));
        let message = "braces after an arrow hold statements";
        let hint = if self.is(1, "...") {
            "write x => ({...x}) for a record".to_owned()
        } else {
            format!("write x => ({{{key}: 1}}) for a record")
        };
        self.wrong(self.token(0).start, message, &hint)
    }

    pub(super) fn generator<T>(&self, start: u32) -> Read<T> {
        let hint = "write a function that gives a list: n => range(n).map(i => i * 2)";
        self.wrong(start, "`*`: there are no generators", hint)
    }

    /// A type stands behind a name.
    pub(super) fn typed<T>(&self) -> Read<T> {
        let hint = "leave the type out: (x, y) => x + y, const x = 1";
        self.wrong(self.token(0).start, "a name has no type", hint)
    }
}
