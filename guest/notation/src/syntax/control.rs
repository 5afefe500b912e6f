//! Choices, `switch` and `try`.

use crate::ast::{ExprId, Statement, StmtId};
use crate::syntax::braces::Braces;
use crate::syntax::lexer::Kind;
use crate::syntax::parser::{Around, Read, Reader};

impl Reader<'_, '_> {
    /// Passes a word and the condition in parentheses behind it.
    pub(super) async fn condition(&self, word: &str) -> Read<ExprId> {
        let start = self.token(0).start;
        self.pass(1);
        if !self.is(0, "(") {
            let hint = match word {
                "while" => "write while (i < n) { … }",
                "switch" => "write switch (x) { case 1: … }",
                _ => "write if (a > 1) b else c, or a > 1 ? b : c",
            };
            let message = format!("the condition of `{word}` stands in parentheses");
            return self.wrong(start, &message, hint);
        }
        let close = self.open();
        let test = self.sequence(Around::default()).await?;
        self.close(close)?;
        Ok(test)
    }

    /// `if (test) then`, with as many `else if` as there are, and `else`.
    pub(super) async fn choice_statement(&self) -> Read<StmtId> {
        let mut choices = Vec::new();
        let mut otherwise = loop {
            let start = self.token(0).start;
            let test = self.condition("if").await?;
            choices.push((start, test, self.branch().await?));
            if self.is(0, ";") && self.is(1, "else") {
                self.pass(1);
            }
            if !self.take("else") {
                break None;
            }
            if !self.is(0, "if") || self.is_strict_if() {
                break Some(self.branch().await?);
            }
        };
        let mut last = None;
        while let Some((start, test, then)) = choices.pop() {
            let statement = self.add_statement(Statement::If { test, then, otherwise }, start);
            (otherwise, last) = (Some(statement), Some(statement));
        }
        match last {
            Some(last) => Ok(last),
            None => self.unexpected(),
        }
    }

    /// A statement within another, which declares nothing.
    pub(super) async fn inner(&self) -> Read<StmtId> {
        let word = self.word(0);
        if matches!(word, "const" | "let") && self.token(1).kind != Kind::Mark {
            let message = format!("`{word}` stands in braces here, or before");
            return self.wrong(self.token(0).start, &message, "write { … } around the statements");
        }
        self.statement().await
    }

    /// One side of a choice: a statement, or a record as its value.
    async fn branch(&self) -> Read<StmtId> {
        if !self.is(0, "{") || self.braces() != Braces::Record {
            return self.inner().await;
        }
        let start = self.token(0).start;
        let record = self.value(Around::default()).await?;
        self.take(";");
        Ok(self.add_statement(Statement::Expression(record), start))
    }

    /// `try { … } catch (e) { … } finally { … }`
    pub(super) async fn attempt(&self) -> Read<StmtId> {
        let start = self.token(0).start;
        let hint = "write try { … } catch (e) { … }, or try(t, e => e.message)";
        self.pass(1);
        if !self.is(0, "{") {
            return self.wrong(start, "`try` has a block, or a term and a function", hint);
        }
        let body = self.block().await?;
        let mut handler = None;
        if self.take("catch") {
            let mut name = None;
            if self.is(0, "(") {
                let close = self.open();
                name = Some(self.pattern(false).await?);
                self.close(close)?;
            }
            handler = Some((name, self.block().await?));
        }
        let finally = if self.take("finally") { Some(self.block().await?) } else { None };
        if handler.is_none() && finally.is_none() {
            return self.wrong(start, "`try` lacks its `catch`", hint);
        }
        Ok(self.add_statement(Statement::Try { body, handler, finally }, start))
    }

    /// `switch (value) { case a: … default: … }`
    pub(super) async fn switch(&self) -> Read<StmtId> {
        let start = self.token(0).start;
        let value = self.condition("switch").await?;
        let hint = "write switch (x) { case 1: … break; default: … }";
        if !self.is(0, "{") {
            return self.wrong(self.token(0).start, "the cases of `switch` stand in braces", hint);
        }
        let close = self.open();
        let mut cases = Vec::new();
        while self.at.get() != close {
            let test = if self.take("case") {
                Some(self.sequence(Around::default()).await?)
            } else if self.take("default") {
                None
            } else {
                return self.wrong(self.token(0).start, "a `case` is missing", hint);
            };
            if !self.take(":") {
                return self.wrong(self.token(0).start, "a `:` is missing after the case", hint);
            }
            let mut body = Vec::new();
            while self.at.get() != close && !self.is_case() {
                if !self.take(";") {
                    body.push(self.statement().await?);
                }
            }
            cases.push((test, body));
        }
        self.close(close)?;
        Ok(self.add_statement(Statement::Switch { value, cases }, start))
    }

    fn is_case(&self) -> bool {
        self.is(0, "case") || self.is(0, "default") && self.is(1, ":")
    }
}
